package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// scope is the variables that the command's expressions may use.
func (e *Engine) scope(a *args, c *collate.Collator) (*expr.Scope, error) {
	s := &expr.Scope{Now: e.now(), Collation: c, WireVersion: a.wire, Interrupt: a.check, Scripts: e.scripts, Meta: &expr.Metadata{}}
	ts := e.store.Latest().Time()
	s.ClusterTime = value.Timestamp(ts.T(), ts.I())
	let := a.document("let")
	if len(let) <= 5 {
		return s, nil
	}
	vars := map[string]bson.RawValue{}
	for name, v := range let.All() {
		if err := expr.CheckVariable(name); err != nil {
			return nil, err
		}
		node, err := expr.Compile(v, s)
		if err != nil {
			return nil, err
		}
		got, err := node.Eval(value.EmptyDocument)
		if err != nil {
			return nil, err
		}
		vars[name] = got
		s = s.With(vars)
	}
	return s, nil
}
