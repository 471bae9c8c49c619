package expr

import (
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// fold evaluates the constant parts of a compiled expression, inner ones first. It comes after compilation, so any
// mistake in the expression is found before an error of a constant part.
func (c *compiler) fold() error {
	if c.scope != nil && c.scope.Unfolded {
		return nil
	}
	for _, p := range c.parts {
		v, err := p.run(c.env())
		if err != nil {
			return &FoldError{err}
		}
		p.v, p.folded = v, true
	}
	c.parts = nil
	return nil
}

// env returns the environment in which constant parts are evaluated. It has no document, and room for the variables of the parts.
func (c *compiler) env() *Env {
	return Node{slots: c.slots, collation: c.scope.collation(), wire: c.scope.Wire()}.env(value.EmptyDocument)
}
