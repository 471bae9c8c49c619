package fault

import (
	"maps"
	"slices"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
)

// ClientBulkWriteException is the failure of a bulk write on a client.
type ClientBulkWriteException struct {
	Err                error // what stopped the whole operation; nil when only single writes failed
	WriteConcernErrors []WriteConcernError
	WriteErrors        map[int]WriteError             // by the position of the write in the caller's request
	PartialResult      *options.ClientBulkWriteResult // nil when nothing is known to have been written
	Labels             []string
}

// Error describes the first errors and counts the others.
func (e ClientBulkWriteException) Error() string { return "bulk write: " + joinErrors(e.Unwrap()) }

// Unwrap returns all errors: what stopped the operation, then the write errors by position, then the write concern errors.
func (e ClientBulkWriteException) Unwrap() []error {
	var list []error
	if e.Err != nil {
		list = append(list, e.Err)
	}
	for _, index := range slices.Sorted(maps.Keys(e.WriteErrors)) {
		list = append(list, e.WriteErrors[index])
	}
	for i := range e.WriteConcernErrors {
		list = append(list, e.WriteConcernErrors[i])
	}
	return list
}

// As fills a target of type *ClientBulkWriteException or **ClientBulkWriteException; errors.As and errors.AsType call it.
func (e ClientBulkWriteException) As(target any) bool { return fill(e, target) }

// HasErrorLabel reports whether the error carries the label.
func (e ClientBulkWriteException) HasErrorLabel(label string) bool { return contains(e.Labels, label) }

// HasErrorCode reports whether one of the errors has the code.
func (e ClientBulkWriteException) HasErrorCode(code errcode.Code) bool { return hasCode(e, code) }

// HasErrorMessage reports whether the message of one of the errors contains part.
func (e ClientBulkWriteException) HasErrorMessage(part string) bool { return hasMessage(e, part) }

// HasErrorCodeWithMessage reports whether one of the errors has the code and a message that contains part.
func (e ClientBulkWriteException) HasErrorCodeWithMessage(code errcode.Code, part string) bool {
	return hasCodeWithMessage(e, code, part)
}

// ErrorCodes returns every code that the server returned.
func (e ClientBulkWriteException) ErrorCodes() []errcode.Code { return codes(e) }

func (e ClientBulkWriteException) withLabels(labels []string) error {
	e.Labels = union(e.Labels, labels)
	return e
}

func (e ClientBulkWriteException) answers(match func(errcode.Code, string) bool) bool {
	for _, index := range slices.Sorted(maps.Keys(e.WriteErrors)) {
		if e.WriteErrors[index].answers(match) {
			return true
		}
	}
	return slices.ContainsFunc(e.WriteConcernErrors, func(wce WriteConcernError) bool { return wce.answers(match) })
}
