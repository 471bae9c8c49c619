package status

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
)

// Error is what a command answers instead of its result.
type Error struct {
	Code    errcode.Code
	Message string
	Labels  []string
	// Info holds further fields of the reply besides the code (keyPattern, keyValue, errInfo), or nil.
	Info bson.Raw
}

// Error returns the message with its code name, for a reader of a test log.
func (e *Error) Error() string {
	return fmt.Sprintf("mongotest: (%s) %s", e.Code, e.Message)
}

// Errorf returns an error with a code and a formatted message.
func Errorf(code errcode.Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// From turns any error into one with a code. An error that is not an *Error becomes an internal error.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Errorf(errcode.InternalError, "%s", err.Error())
}

// Is reports whether err carries the code.
func Is(err error, code errcode.Code) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}

// AppendFields appends what the error adds to a reply or to a write error: code, codeName, errmsg and Info.
func (e *Error) AppendFields(dst []byte) []byte {
	dst = bson.AppendStringElement(dst, "errmsg", e.Message)
	dst = bson.AppendInt32Element(dst, "code", int32(e.Code))
	dst = bson.AppendStringElement(dst, "codeName", e.Code.String())
	return e.AppendInfo(dst)
}

// AppendInfo appends the elements of Info.
func (e *Error) AppendInfo(dst []byte) []byte {
	if e.Info == nil {
		return dst
	}
	for key, v := range e.Info.All() {
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	return dst
}

// WrongType returns the error of a field whose type is not the one that a command expects.
func WrongType(path string, value bson.RawValue, expected string) *Error {
	return Errorf(errcode.TypeMismatch, "BSON field '%s' is the wrong type '%s', expected type '%s'", path, value.Type, expected)
}

// UnknownCommand returns the error of a command that the server does not have.
func UnknownCommand(command string) *Error {
	return Errorf(errcode.CommandNotFound, "no such command: '%s'", command)
}
