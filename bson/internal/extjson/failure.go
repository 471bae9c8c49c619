package extjson

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// failure says where and why extended JSON or the document that it is made from is wrong. It has the fields of
// bson.DecodeError, which package bson makes of it.
type failure struct {
	Path   string // keys and array indexes joined by dots
	Offset int    // bytes from the start
	Err    error
}

func failureAt(err error, offset int) *failure { return &failure{Offset: offset, Err: err} }

// prefixPath puts key in front of the failure's path.
func (f *failure) prefixPath(key string) *failure {
	f.Path = wire.JoinPath(key, f.Path)
	return f
}

// ErrInvalid is matched (errors.Is) by every error about text that is not extended JSON.
var ErrInvalid = errors.New("invalid extended JSON")

// invalidError is a reason that matches ErrInvalid.
type invalidError string

// Error returns the reason.
func (e invalidError) Error() string { return string(e) }

// Is reports that the error matches ErrInvalid.
func (e invalidError) Is(target error) bool { return target == ErrInvalid }

func invalidf(format string, args ...any) error { return invalidError(fmt.Sprintf(format, args...)) }

// NotAnObject is the failure of a text that is a value of another type.
func NotAnObject(t bsontype.Type) *failure {
	return failureAt(invalidf("expected an object, found %v", t), 0)
}
