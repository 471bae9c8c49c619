package fault

import (
	"strconv"

	"github.com/specdrivers/onion/bson/emitted"
)

// UnsupportedOptionError says that the server is too old for an option that it would ignore or misread.
type UnsupportedOptionError = emitted.UnsupportedOptionError

// DocumentTooLargeError says that a document, or the statement that holds it, is larger than the server accepts. Its
// message was not sent.
type DocumentTooLargeError struct {
	Index int // the position in the request of the caller
	Size  int // in bytes
	Limit int // of the server
}

func (e DocumentTooLargeError) Error() string {
	return "document " + strconv.Itoa(e.Index) + " has " + strconv.Itoa(e.Size) + " bytes, and the server accepts at most " +
		strconv.Itoa(e.Limit) + ": make it smaller, or keep large data in other documents or files"
}

// As fills a target of type *DocumentTooLargeError or **DocumentTooLargeError; errors.As and errors.AsType call it.
func (e DocumentTooLargeError) As(target any) bool { return fill(e, target) }

// CommandTooLargeError says that a command, with its filter, pipeline and options, is larger than the server accepts. It
// was not sent.
type CommandTooLargeError struct {
	Command string
	Field   string // the field that is too large by itself, empty when it is the command as a whole
	Size    int    // in bytes
	Limit   int    // of the server
}

func (e CommandTooLargeError) Error() string {
	what := e.Command
	if e.Field != "" {
		what = strconv.Quote(e.Field) + " of " + e.Command
	}
	return what + " has " + strconv.Itoa(e.Size) + " bytes, and the server accepts at most " + strconv.Itoa(e.Limit) +
		": ask for less at a time"
}

// As fills a target of type *CommandTooLargeError or **CommandTooLargeError; errors.As and errors.AsType call it.
func (e CommandTooLargeError) As(target any) bool { return fill(e, target) }
