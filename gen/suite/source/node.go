package source

import (
	"fmt"
	"strings"
)

// Kind is the kind of a value.
type Kind uint8

// The kinds of values, as JSON has them.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// Node is a value in a test file.
type Node struct {
	Kind    Kind
	Line    int
	Text    string   // a string's value; a number, true or false as it is spelled
	Items   []*Node  // of an array
	Members []Member // of an object, in the order of the file
}

// Member is a key of an object and its value.
type Member struct {
	Key   string
	Line  int
	Value *Node
}

// Get returns the value of a key of an object, or nil when it is absent or n is not an object.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for _, m := range n.Members {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// Has reports whether an object has a key, even one that is null.
func (n *Node) Has(key string) bool { return n.Get(key) != nil }

// IsInteger reports whether a number is written without a fraction or an exponent.
func (n *Node) IsInteger() bool {
	return n.Kind == Number && !strings.ContainsAny(n.Text, ".eEnN")
}

// Error says why a file cannot be read as JSON or YAML.
type Error struct {
	Line int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }
