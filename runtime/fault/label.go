package fault

import (
	"slices"

	"github.com/specdrivers/onion/generated/errcode"
)

// The error labels, as they are written on the wire.
const (
	LabelRetryableWriteError            = errcode.LabelRetryableWriteError
	LabelTransientTransactionError      = errcode.LabelTransientTransactionError
	LabelUnknownTransactionCommitResult = errcode.LabelUnknownTransactionCommitResult
	LabelNoWritesPerformed              = errcode.LabelNoWritesPerformed
	LabelRetryableError                 = errcode.LabelRetryableError
	LabelSystemOverloadedError          = errcode.LabelSystemOverloadedError
)

// HasErrorLabel reports whether err, or an error that it wraps, carries the label.
func HasErrorLabel(err error, label string) bool {
	return find(err, func(err error) bool {
		l, ok := err.(interface{ HasErrorLabel(string) bool })
		return ok && l.HasErrorLabel(label)
	})
}

// AddLabels returns err with the labels added. err itself is not changed; the result has its type where that is a type
// of this package with a Labels field, else it wraps err. A nil err stays nil.
func AddLabels(err error, labels ...string) error {
	if err == nil || len(labels) == 0 {
		return err
	}
	if l, ok := err.(interface{ withLabels([]string) error }); ok {
		return l.withLabels(labels)
	}
	return &labeledError{err: err, labels: slices.Clone(labels)}
}

// labeledError adds labels to an error that has no field for them.
type labeledError struct {
	err    error
	labels []string
}

func (e *labeledError) Error() string                   { return e.err.Error() }
func (e *labeledError) Unwrap() error                   { return e.err }
func (e *labeledError) HasErrorLabel(label string) bool { return contains(e.labels, label) }
func (e *labeledError) withLabels(labels []string) error {
	return &labeledError{err: e.err, labels: union(e.labels, labels)}
}

func contains(labels []string, label string) bool { return slices.Contains(labels, label) }

// union returns a new slice: errors are shared, so their labels are never appended to in place.
func union(have, added []string) []string {
	out := make([]string, len(have), len(have)+len(added))
	copy(out, have)
	for _, label := range added {
		if !slices.Contains(out, label) {
			out = append(out, label)
		}
	}
	return out
}

// find walks err and everything that it wraps, depth first, until match says yes.
func find(err error, match func(error) bool) bool {
	for err != nil {
		if match(err) {
			return true
		}
		switch x := err.(type) {
		case interface{ Unwrap() error }:
			err = x.Unwrap()
		case interface{ Unwrap() []error }:
			return slices.ContainsFunc(x.Unwrap(), func(err error) bool { return find(err, match) })
		default:
			return false
		}
	}
	return false
}
