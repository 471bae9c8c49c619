package fault

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/generated/errcode"
)

// ServerError is implemented by the errors that a server returned: CommandError, WriteError, WriteConcernError,
// WriteException, BulkWriteError, BulkWriteException and ClientBulkWriteException. The methods look at every error that
// the type holds.
type ServerError interface {
	error
	HasErrorLabel(label string) bool
	HasErrorCode(code errcode.Code) bool
	HasErrorMessage(part string) bool
	HasErrorCodeWithMessage(code errcode.Code, part string) bool
	ErrorCodes() []errcode.Code
}

var (
	_ ServerError = CommandError{}
	_ ServerError = WriteError{}
	_ ServerError = WriteConcernError{}
	_ ServerError = WriteException{}
	_ ServerError = BulkWriteError{}
	_ ServerError = BulkWriteException{}
)

// serverErrors is an error of this package that holds errors of a server. answers calls match with the code and the
// message of each until one matches.
type serverErrors interface {
	answers(match func(code errcode.Code, message string) bool) bool
}

func hasCode(e serverErrors, code errcode.Code) bool {
	return e.answers(func(c errcode.Code, _ string) bool { return c == code })
}

func hasMessage(e serverErrors, part string) bool {
	return e.answers(func(_ errcode.Code, message string) bool { return strings.Contains(message, part) })
}

func hasCodeWithMessage(e serverErrors, code errcode.Code, part string) bool {
	return e.answers(func(c errcode.Code, message string) bool {
		return c == code && strings.Contains(message, part)
	})
}

func codes(e serverErrors) []errcode.Code {
	var list []errcode.Code
	e.answers(func(c errcode.Code, _ string) bool {
		list = append(list, c)
		return false
	})
	return list
}

// HasErrorCode reports whether err, or an error that it wraps, is a server error with the given code.
func HasErrorCode(err error, code errcode.Code) bool {
	return find(err, func(err error) bool {
		e, ok := err.(serverErrors)
		return ok && hasCode(e, code)
	})
}

// ErrorCodes returns the codes of all server errors in err and in the errors that it wraps, each code once, in the
// order of the writes that failed. It is nil if no server returned an error.
func ErrorCodes(err error) []errcode.Code {
	var list []errcode.Code
	find(err, func(err error) bool {
		if e, ok := err.(serverErrors); ok {
			for _, code := range codes(e) {
				if !slices.Contains(list, code) {
					list = append(list, code)
				}
			}
		}
		return false
	})
	return list
}

// IsDuplicateKeyError reports whether err, or an error that it wraps, says that a unique index already holds the key.
func IsDuplicateKeyError(err error) bool { return HasErrorCode(err, errcode.DuplicateKey) }
