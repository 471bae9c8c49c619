package suite

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/suite/source"
)

// readUnified judges and reads a file of the unified format. The emitter of its operations starts from the model that
// is read here.
func (f *File) readUnified(o Options) []load.Problem {
	found := o.Unified.Validate(f.Root)
	if len(found) == 0 {
		_, found = o.Unified.Read(f.Root)
	}
	var problems []load.Problem
	for _, v := range found {
		problems = append(problems, load.Problem{Pos: load.Pos{File: o.From + f.Path, Line: v.Line}, Text: v.String()})
	}
	return problems
}

// unifiedInvalid judges a file that the unified format must reject. That is the compiler's own work: there is nothing
// left to run.
func unifiedInvalid(c *compiler, n *source.Node) []jen.Code {
	if len(c.unified.Validate(n)) == 0 {
		c.problemf(n, "the file is valid, and must not be")
	}
	c.judged = true
	return nil
}
