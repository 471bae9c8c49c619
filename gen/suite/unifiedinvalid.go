package suite

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
)

// unifiedInvalid judges a file that the unified format must reject. The compiler itself does that, so there is nothing
// left to run.
func unifiedInvalid(c *compiler, n *source.Node) []jen.Code {
	if len(c.unified.Validate(n)) == 0 {
		c.problemf(n, "the file is valid, and must not be")
	}
	c.judged = true
	return nil
}
