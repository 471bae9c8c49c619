package engine

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// scope returns the variables that the command's expressions may use.
func (e *Engine) scope(a *args, c *collate.Collator) (*expr.Scope, error) {
	s := &expr.Scope{Now: e.now(), Collation: c, WireVersion: a.wire, Interrupt: a.check, Scripts: e.scripts,
		Meta: &expr.Metadata{}, Caller: a.caller, Roles: e.hooks.Roles}
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
		if readsDocument(v) {
			return nil, status.Errorf(4890500, "Command let Expression tried to access a field, but this is not allowed because "+
				"Command let expressions run before the query examines any documents.")
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

// readsDocument reports whether an expression reads a field of a document, which the values of let cannot.
func readsDocument(v bson.RawValue) bool {
	if s, ok := v.StringOK(); ok {
		name, isVariable := strings.CutPrefix(s, "$$")
		name, _, _ = strings.Cut(name, ".")
		return strings.HasPrefix(s, "$") && (!isVariable || name == "ROOT" || name == "CURRENT")
	}
	if doc, ok := v.DocumentOK(); ok {
		for name, inner := range doc.All() {
			if name == "$literal" {
				continue
			}
			if _, isText := inner.StringOK(); name == "$getField" && isText || readsDocument(inner) {
				return true
			}
		}
	}
	list, _ := v.ArrayOK()
	for _, element := range list.All() {
		if readsDocument(element) {
			return true
		}
	}
	return false
}
