package agg

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/script"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// scriptedFunctions are the functions of {$accumulator: {init, initArgs, accumulate, accumulateArgs, merge, finalize,
// lang}}. It compiles merge but never calls it, because there is only one shard.
type scriptedFunctions struct {
	init, accumulate, finalize script.Function // finalize may be nil
	initArgs, accumulateArgs   *expr.Node      // initArgs may be nil
	check                      *interrupt.Check
}

func (c *compiler) compileFunctions(spec bson.RawValue) (*scriptedFunctions, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(4544703, "$accumulator expects an object as an argument; found: %s", spec.Type)
	}
	s := &scriptedFunctions{check: c.Scope.Check()}
	given := map[string]bson.RawValue{}
	for key, v := range d.All() {
		switch key {
		case "init", "accumulate", "merge", "finalize":
			f, err := expr.CompileScript(c.Scope, v, "$accumulator")
			if err != nil {
				return nil, err
			}
			*map[string]*script.Function{"init": &s.init, "accumulate": &s.accumulate, "merge": new(script.Function),
				"finalize": &s.finalize}[key] = f
		case "initArgs", "accumulateArgs":
			node, err := expr.Compile(v, c.Scope)
			if err != nil {
				return nil, err
			}
			*map[string]**expr.Node{"initArgs": &s.initArgs, "accumulateArgs": &s.accumulateArgs}[key] = &node
		case "lang":
			if lang, _ := v.StringOK(); lang != "js" {
				return nil, status.Errorf(4544701, "$accumulator only supports lang: 'js'")
			}
		default:
			return nil, status.Errorf(4544706, "$accumulator got an unexpected field: %s", key)
		}
		given[key] = v
	}
	for _, name := range [...]string{"init", "accumulate", "accumulateArgs", "merge", "lang"} {
		if given[name].IsZero() {
			return nil, status.Errorf(errcode.FailedToParse, "$accumulator missing required argument '%s'", name)
		}
	}
	return s, nil
}

// start creates the state of a group. init may use the group's key.
func (f *scriptedFunctions) start(id bson.RawValue) (expr.Accumulator, error) {
	root := value.EmptyDocument
	if d, ok := id.DocumentOK(); ok {
		root = d
	}
	args, err := evaluateArguments(f.initArgs, root)
	if err != nil {
		return nil, err
	}
	s := &scriptedState{scriptedFunctions: f}
	s.state, err = f.init.Call(&script.Call{Args: args, Interrupt: f.check})
	return s, err
}

func evaluateArguments(n *expr.Node, d bson.Raw) ([]bson.RawValue, error) {
	if n == nil {
		return nil, nil
	}
	v, err := n.Eval(d)
	if err != nil {
		return nil, err
	}
	if v.Type != bsontype.Array {
		return nil, status.Errorf(4544711, "the arguments of $accumulator must evaluate to an array, found: %s", v.Type)
	}
	return value.Elements(v), nil
}

// scriptedState is the state of one group.
type scriptedState struct {
	*scriptedFunctions
	state bson.RawValue
	err   error // from finalize
}

func (s *scriptedState) add(d bson.Raw) error {
	args, err := evaluateArguments(s.accumulateArgs, d)
	if err != nil {
		return err
	}
	s.state, err = s.accumulate.Call(&script.Call{Args: append([]bson.RawValue{s.state}, args...), Interrupt: s.check})
	return err
}

// Add is never called: the functions take their arguments from the document.
func (s *scriptedState) Add(bson.RawValue) {}

// Result runs finalize on the state.
func (s *scriptedState) Result() bson.RawValue {
	if s.finalize == nil {
		return s.state
	}
	v, err := s.finalize.Call(&script.Call{Args: []bson.RawValue{s.state}, Interrupt: s.check})
	s.err = err
	return v
}

// failure returns the error of a script.
func (s *scriptedState) failure() error { return s.err }
