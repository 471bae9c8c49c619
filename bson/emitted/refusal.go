package emitted

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// UnsupportedOptionError says that the server is too old for an option that it would ignore or misread.
type UnsupportedOptionError struct {
	Command, Option string
	Since           string // first release that knows the option
	WireVersion     int32  // of the server
}

// Error names the option and the release that knows it.
func (e UnsupportedOptionError) Error() string {
	return "option " + e.Option + " of " + e.Command + " needs MongoDB " + e.Since +
		" or newer, the server has wire version " + strconv.Itoa(int(e.WireVersion))
}

// As fills a target of type *UnsupportedOptionError or **UnsupportedOptionError; errors.As and errors.AsType call it.
func (e UnsupportedOptionError) As(target any) bool {
	switch t := target.(type) {
	case *UnsupportedOptionError:
		*t = e
	case **UnsupportedOptionError:
		*t = &e
	default:
		return false
	}
	return true
}

// ErrNegativeTimeout refuses a timeout below 0.
var ErrNegativeTimeout = errors.New("mongo: a timeout is negative: 0 means no limit, leave it unset to inherit one")

// NewUnsupportedOptionError returns the error for an option that the server is too old for.
func NewUnsupportedOptionError(command, option, since string, wireVersion int32) error {
	return UnsupportedOptionError{Command: command, Option: option, Since: since, WireVersion: wireVersion}
}

// WrongModelError returns the error for a write model that does not belong to the command.
func WrongModelError(model any, i int) error {
	return fmt.Errorf("write model %d: %T does not belong to this command", i, model)
}

// Text returns the bytes of a string where they are in the reply.
func Text(v bson.RawValue) (text []byte, ok bool) {
	if v.Type != bsontype.String || len(v.Value) < 5 {
		return nil, false
	}
	return v.Value[4 : len(v.Value)-1], true
}

// FieldTypeError returns the error for a field of a reply whose type is not the one that the driver reads.
func FieldTypeError(path string, v bson.RawValue) error {
	return fmt.Errorf("reply: field %s is a %s", path, v.Type)
}

// MissingFieldError returns the error for a reply without a field.
func MissingFieldError(path string) error { return fmt.Errorf("reply: field %s is missing", path) }
