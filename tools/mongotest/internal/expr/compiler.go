package expr

import (
	"time"

	"github.com/specdrivers/onion/bson"
)

type compiler struct {
	scope *Scope
	names []string // the variables in scope; the index is the slot
	slots int
	depth int
	now   time.Time
	varys bool // the expression reads the document or is random
	parts []*constantPart
	// build compiles an operator's argument. It is a field so that the operators' files can use this one.
	build func(c *compiler, name string, arg bson.RawValue) (eval, error)
}

// constantPart is a constant part of an expression.
type constantPart struct {
	run    eval
	v      bson.RawValue
	folded bool // v is the value
}

func (p *constantPart) eval(env *Env) (bson.RawValue, error) {
	if p.folded {
		return p.v, nil
	}
	return p.run(env)
}

// depthMax limits the nesting of expressions.
const depthMax = 180

func literal(v bson.RawValue) eval {
	return func(*Env) (bson.RawValue, error) { return v, nil }
}

// bind adds a variable to the scope and returns its slot. unbind removes the last n.
func (c *compiler) bind(name string) int {
	c.names = append(c.names, name)
	c.slots = max(c.slots, len(c.names))
	return len(c.names) - 1
}

func (c *compiler) unbind(n int) { c.names = c.names[:len(c.names)-n] }
