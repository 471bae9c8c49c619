package fault

import (
	"fmt"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
)

// WriteError is the failure of one statement of a write command.
type WriteError struct {
	Index   int // the position of the statement in the request of the caller
	Code    errcode.Code
	Message string
	Details bson.Raw // the server's errInfo, nil when there is none
	Raw     bson.Raw // the element of writeErrors
}

// Error describes the statement and what the server said.
func (e *WriteError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "write %d failed: ", e.Index)
	appendCode(&b, e.Code, "", e.Message)
	return b.String()
}

// WriteConcernError says that a write was applied, or may have been, but that its write concern was not satisfied.
type WriteConcernError struct {
	Code    errcode.Code
	Name    string
	Message string
	Details bson.Raw // the server's errInfo, nil when there is none
	Labels  []string
	Raw     bson.Raw // the writeConcernError of the reply
}

// Error describes what the server said.
func (e *WriteConcernError) Error() string {
	var b strings.Builder
	b.WriteString("write concern was not satisfied: ")
	appendCode(&b, e.Code, e.Name, e.Message)
	return b.String()
}

// HasErrorLabel reports whether the error carries the label.
func (e *WriteConcernError) HasErrorLabel(label string) bool { return contains(e.Labels, label) }

// Timeout reports whether the server gave up because the time that the command was allowed had passed.
func (e *WriteConcernError) Timeout() bool { return e.Code == errcode.MaxTimeMSExpired }

func (e *WriteConcernError) withLabels(labels []string) error {
	c := *e
	c.Labels = union(e.Labels, labels)
	return &c
}

// WriteException is the failure of an operation that writes once. At least one of its two errors is set, and both are
// reached through errors.As.
type WriteException struct {
	WriteError        *WriteError
	WriteConcernError *WriteConcernError
	Labels            []string
	Address           string
	Raw               bson.Raw // the whole reply
}

// Error describes both errors.
func (e *WriteException) Error() string {
	return atServer(e.Address) + joinErrors(e.Unwrap())
}

// Unwrap returns the errors that are set.
func (e *WriteException) Unwrap() []error {
	var errs []error
	if e.WriteError != nil {
		errs = append(errs, e.WriteError)
	}
	if e.WriteConcernError != nil {
		errs = append(errs, e.WriteConcernError)
	}
	return errs
}

// HasErrorLabel reports whether the error carries the label.
func (e *WriteException) HasErrorLabel(label string) bool { return contains(e.Labels, label) }

func (e *WriteException) withLabels(labels []string) error {
	c := *e
	c.Labels = union(e.Labels, labels)
	return &c
}

// BulkWriteError is the failure of an operation that writes more than once. What was written before and after the
// failures is in the result that the operation returns beside the error.
type BulkWriteError struct {
	WriteErrors        []*WriteError
	WriteConcernErrors []*WriteConcernError
	Err                error // what stopped the whole operation; nil when only single statements failed
	Labels             []string
	Address            string
}

// maxListed is how many errors the text of one error spells out.
const maxListed = 5

// Error describes the first errors and counts the others.
func (e *BulkWriteError) Error() string {
	errs := e.Unwrap()
	if len(errs) > maxListed {
		more := len(errs) - maxListed
		return fmt.Sprintf("%sbulk write: %s; and %d more", atServer(e.Address), joinErrors(errs[:maxListed]), more)
	}
	return atServer(e.Address) + "bulk write: " + joinErrors(errs)
}

// Unwrap returns all errors, the one that stopped the operation first.
func (e *BulkWriteError) Unwrap() []error {
	var errs []error
	if e.Err != nil {
		errs = append(errs, e.Err)
	}
	for _, we := range e.WriteErrors {
		errs = append(errs, we)
	}
	for _, wce := range e.WriteConcernErrors {
		errs = append(errs, wce)
	}
	return errs
}

// HasErrorLabel reports whether the error carries the label.
func (e *BulkWriteError) HasErrorLabel(label string) bool { return contains(e.Labels, label) }

func (e *BulkWriteError) withLabels(labels []string) error {
	c := *e
	c.Labels = union(e.Labels, labels)
	return &c
}

func atServer(address string) string {
	if address == "" {
		return ""
	}
	return "server " + address + ": "
}

func joinErrors(errs []error) string {
	texts := make([]string, len(errs))
	for i, err := range errs {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}
