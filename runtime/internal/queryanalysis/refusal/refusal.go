// Package refusal holds the error of query analysis. Only packages of query analysis and the driver's encryption import it.
package refusal

import (
	"fmt"
	"strings"

	"github.com/specdrivers/onion/bson"
)

// Error says why a command is not sent: it could carry the value of an encrypted field in plain text, or it asks for
// something that encrypted fields do not support. It holds no value of the command.
type Error struct {
	Text     string // what is not supported
	Path     string // the field concerned; empty if there is none
	Operator string // the operator, stage or argument concerned; empty if there is none
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("encrypt: ")
	b.WriteString(e.Text)
	if e.Path != "" {
		fmt.Fprintf(&b, ": field %q", e.Path)
	}
	if e.Operator != "" {
		fmt.Fprintf(&b, ", in %s", e.Operator)
	}
	return b.String()
}

// New returns an Error.
func New(operator, path, format string, args ...any) error {
	return &Error{Text: fmt.Sprintf(format, args...), Path: path, Operator: operator}
}

// Text is New for a text that a table holds.
func Text(operator, path, text string) error { return New(operator, path, "%s", text) }

// RemovedField refuses to use a field that a stage removed: a user who names it may believe that its value would be encrypted
// (departures.yaml, removed-fields).
func RemovedField(operator, path string) error {
	return New(operator, path, "a stage has removed the field, so a value compared with it would be sent in plain text")
}

// CheckUniqueKeys refuses a document of arguments that has one of them twice: the server may take the one that was not analyzed.
func CheckUniqueKeys(operator string, doc bson.Raw) error {
	seen := make(map[string]struct{}, 8)
	for key := range doc.All() {
		if _, again := seen[key]; again {
			return New(operator, "", "the argument %q appears twice", key)
		}
		seen[key] = struct{}{}
	}
	return nil
}
