// Package script declares what a deployment needs of a JavaScript engine: $where, $function, $accumulator and mapReduce call
// functions. It is not an engine; package javascript has one, and only a deployment that is given it runs scripts.
package script

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
)

// Engine compiles JavaScript. It is safe for concurrent use.
type Engine interface {
	// Function compiles source: a function, or, when body is allowed, statements or an expression that are the body of one.
	// The functions may read the variables of scope.
	Function(source string, scope bson.Raw, body bool) (Function, error)
}

// Function is a compiled function. It is safe for concurrent use.
type Function interface {
	Call(c *Call) (bson.RawValue, error)
}

// Call is a call of a function.
type Call struct {
	This      bson.RawValue
	Args      []bson.RawValue
	Emit      func(key, value bson.RawValue) // what the function emit does; nil when there is none
	Interrupt *interrupt.Check
}

// Source returns the text and the scope of a value that holds JavaScript: code, code with scope, or a string.
func Source(v bson.RawValue) (source string, scope bson.Raw, ok bool) {
	switch v.Type {
	case bsontype.String:
		source, ok = v.StringOK()
	case bsontype.JavaScript:
		source, ok = v.JavaScriptOK()
	case bsontype.CodeWithScope:
		source, scope, ok = v.CodeWithScopeOK()
	}
	return source, scope, ok
}
