package fault

import (
	"errors"
	"fmt"
)

// Common mistakes of callers. They arrive wrapped in an error that names the argument and the remedy: use errors.Is.
var (
	// ErrNilDocument is returned when a document, a filter or an update is nil.
	ErrNilDocument = errors.New("mongo: a document is nil")

	// ErrNilValue is returned when an argument other than a document is nil.
	ErrNilValue = errors.New("mongo: a value is nil")

	// ErrEmptySlice is returned when a method that needs at least one element is given none.
	ErrEmptySlice = errors.New("mongo: a slice is empty")

	// ErrNotSlice is returned when an argument that must be a slice is something else.
	ErrNotSlice = errors.New("mongo: an argument is not a slice")

	// ErrInvalidIndexValue is returned when an index has a key that is neither a number nor the name of an index type.
	ErrInvalidIndexValue = errors.New("mongo: an index key is invalid")

	// ErrMultipleIndexDrop is returned when a method that drops one index is asked to drop all of them.
	ErrMultipleIndexDrop = errors.New("mongo: several indexes would be dropped")
)

// ErrMapForOrderedArgument says that an argument in which the order of the keys counts is a map with several keys.
// Two of them are equal if they name the same argument.
type ErrMapForOrderedArgument struct {
	ParamName string // sort, hint, keys of an index, cmd, "$sort stage" or "bound of an index"
}

// Error names the argument and shows what to pass instead.
func (e ErrMapForOrderedArgument) Error() string {
	what, example := e.ParamName, `bson.Doc("name", 1, "age", -1)`
	switch e.ParamName {
	case "cmd":
		what, example = "command", `bson.Doc("collStats", "users", "scale", 1024)`
	case "keys":
		what = "index keys"
	case "$sort stage":
		example = `bson.Doc("$sort", ` + example + ")"
	}
	return "mongo: the order of the keys matters in the " + what + ", and a map has none: pass a bson.D, such as " + example
}

// As fills a target of type *ErrMapForOrderedArgument or **ErrMapForOrderedArgument; errors.As and errors.AsType call it.
func (e ErrMapForOrderedArgument) As(target any) bool { return fill(e, target) }

// Misuse returns an error with its own text that matches the sentinel (errors.Is).
func Misuse(sentinel error, format string, args ...any) error {
	return misuse{sentinel: sentinel, text: "mongo: " + fmt.Sprintf(format, args...)}
}

type misuse struct {
	sentinel error
	text     string
}

func (e misuse) Error() string { return e.text }
func (e misuse) Unwrap() error { return e.sentinel }
