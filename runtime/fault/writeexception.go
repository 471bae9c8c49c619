package fault

import (
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
)

// WriteException is the failure of an operation that sends one write command: InsertOne, UpdateMany and so on. At least
// one of its two fields of errors is set; errors.As reaches what they hold.
type WriteException struct {
	WriteConcernError *WriteConcernError
	WriteErrors       WriteErrors // one at most, unless the operation was an insert of many
	Labels            []string
	Address           string   // the server that replied
	Raw               bson.Raw // the whole reply
}

// Error describes both kinds of errors.
func (e WriteException) Error() string { return atServer(e.Address) + joinErrors(e.Unwrap()) }

// Unwrap returns the write errors and the write concern error.
func (e WriteException) Unwrap() []error {
	return appendConcern(e.WriteErrors.Unwrap(), e.WriteConcernError)
}

// As fills a target of type *WriteException or **WriteException; errors.As and errors.AsType call it.
func (e WriteException) As(target any) bool { return fill(e, target) }

// HasErrorLabel reports whether the error carries the label.
func (e WriteException) HasErrorLabel(label string) bool { return contains(e.Labels, label) }

func (e WriteException) withLabels(labels []string) error {
	e.Labels = union(e.Labels, labels)
	return e
}

func (e WriteException) answers(match func(errcode.Code, string) bool) bool {
	for i := range e.WriteErrors {
		if e.WriteErrors[i].answers(match) {
			return true
		}
	}
	return e.WriteConcernError != nil && e.WriteConcernError.answers(match)
}

// BulkWriteError is the failure of one write of a bulk write or of InsertMany. It occurs in a BulkWriteException only.
type BulkWriteError struct {
	WriteError
	Request options.WriteModel // what failed; an InsertOneModel after InsertMany
}

// As fills a target of type *BulkWriteError, *WriteError or a pointer to one of them.
func (e BulkWriteError) As(target any) bool { return fill(e, target) || fill(e.WriteError, target) }

// BulkWriteException is the failure of BulkWrite and InsertMany. What was written before and after the failures is in the
// result that the operation returns beside the error.
type BulkWriteException struct {
	WriteConcernError *WriteConcernError // of the last command that had one
	WriteErrors       []BulkWriteError
	Err               error // what stopped the whole operation; nil when only single writes failed
	Unprocessed       []int // the positions of the writes that were never tried, in rising order
	Labels            []string
	Address           string
}

// Error describes the first errors, counts the others and says what was not tried.
func (e BulkWriteException) Error() string {
	text := atServer(e.Address) + "bulk write: " + joinErrors(e.Unwrap())
	if n := len(e.Unprocessed); n > 0 {
		text += fmt.Sprintf("; not tried: %d writes, the first of them at position %d", n, e.Unprocessed[0])
	}
	return text
}

// Unwrap returns all errors, the one that stopped the operation first.
func (e BulkWriteException) Unwrap() []error {
	var list []error
	if e.Err != nil {
		list = append(list, e.Err)
	}
	for i := range e.WriteErrors {
		list = append(list, e.WriteErrors[i])
	}
	return appendConcern(list, e.WriteConcernError)
}

// As fills a target of type *BulkWriteException or **BulkWriteException; errors.As and errors.AsType call it.
func (e BulkWriteException) As(target any) bool { return fill(e, target) }

// HasErrorLabel reports whether the error carries the label.
func (e BulkWriteException) HasErrorLabel(label string) bool { return contains(e.Labels, label) }

func (e BulkWriteException) withLabels(labels []string) error {
	e.Labels = union(e.Labels, labels)
	return e
}

func (e BulkWriteException) answers(match func(errcode.Code, string) bool) bool {
	for i := range e.WriteErrors {
		if e.WriteErrors[i].answers(match) {
			return true
		}
	}
	return e.WriteConcernError != nil && e.WriteConcernError.answers(match)
}

func appendConcern(list []error, e *WriteConcernError) []error {
	if e == nil {
		return list
	}
	return append(list, *e)
}
