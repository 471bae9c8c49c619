package fault

import (
	"fmt"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
)

// WriteError is the failure of one statement of a write command.
type WriteError struct {
	Index   int // the position of the statement in the caller's request
	Code    errcode.Code
	Name    string // the server's name for the code, empty when it has none
	Message string
	Details bson.Raw // the server's errInfo, nil when there is none
	Raw     bson.Raw // the element of writeErrors
}

// maxDetails is how much of the server's errInfo the text of an error shows.
const maxDetails = 500

// Error describes the statement and what the server said. The reason why a document failed validation is in Details, so
// the text shows them too.
func (e WriteError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "write %d failed: ", e.Index)
	appendCode(&b, e.Code, e.Name, e.Message)
	appendDetails(&b, e.Details)
	return b.String()
}

// As fills a target of type *WriteError or **WriteError; errors.As and errors.AsType call it.
func (e WriteError) As(target any) bool { return fill(e, target) }

// Timeout reports whether the server gave up because the time that the command was allowed had passed.
func (e WriteError) Timeout() bool { return e.Code == errcode.MaxTimeMSExpired }

func (e WriteError) answers(match func(errcode.Code, string) bool) bool {
	return match(e.Code, e.Message)
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
func (e WriteConcernError) Error() string {
	var b strings.Builder
	b.WriteString("write concern was not satisfied: ")
	appendCode(&b, e.Code, e.Name, e.Message)
	return b.String()
}

// As fills a target of type *WriteConcernError or **WriteConcernError; errors.As and errors.AsType call it.
func (e WriteConcernError) As(target any) bool { return fill(e, target) }

// HasErrorLabel reports whether the error carries the label.
func (e WriteConcernError) HasErrorLabel(label string) bool { return contains(e.Labels, label) }

// Timeout reports whether the server gave up because the time that the command was allowed had passed.
func (e WriteConcernError) Timeout() bool { return e.Code == errcode.MaxTimeMSExpired }

func (e WriteConcernError) withLabels(labels []string) error {
	e.Labels = union(e.Labels, labels)
	return e
}

func (e WriteConcernError) answers(match func(errcode.Code, string) bool) bool {
	return match(e.Code, e.Message)
}

// WriteErrors are the failures of the statements of one command.
type WriteErrors []WriteError

// Error describes the first errors and counts the others.
func (e WriteErrors) Error() string { return joinErrors(e.Unwrap()) }

// Unwrap returns the errors.
func (e WriteErrors) Unwrap() []error {
	list := make([]error, len(e))
	for i := range e {
		list[i] = e[i]
	}
	return list
}

// As fills a target of type *WriteErrors or **WriteErrors; errors.As and errors.AsType call it.
func (e WriteErrors) As(target any) bool { return fill(e, target) }

// maxListed is how many errors the text of one error spells out.
const maxListed = 5

func joinErrors(errs []error) string {
	texts := make([]string, 0, maxListed+1)
	for _, err := range errs[:min(len(errs), maxListed)] {
		texts = append(texts, err.Error())
	}
	if more := len(errs) - maxListed; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, "; ")
}

func appendDetails(b *strings.Builder, details bson.Raw) {
	if len(details) == 0 {
		return
	}
	b.WriteString(": " + shorten(details.String(), maxDetails))
}

func atServer(address string) string {
	if address == "" {
		return ""
	}
	return "server " + address + ": "
}
