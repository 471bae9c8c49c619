package expr

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// signature holds the names of an operator's arguments and its errors. The first len(missing) arguments are required.
// Arguments from lazy on are evaluated when the operator asks for them.
type signature struct {
	names   []string
	lazy    int
	object  refusal // the argument is not a document
	unknown refusal
	missing []refusal
	check   func(presentArguments) error // refuses arguments that contradict each other; may be nil
}

// refusal is an error. In its text, {op} is the operator, {arg} the argument, {found} the value that was found and
// {type} its type.
type refusal struct {
	code errcode.Code
	text string
}

func (r refusal) err(op, arg string, v bson.RawValue) error {
	return status.Errorf(r.code,
		"%s", strings.NewReplacer("{op}", op, "{arg}", arg, "{type}", value.TypeName(v), "{found}", status.TextOf(v)).Replace(r.text))
}

// presentArguments holds the arguments that are present, and evaluates the lazy ones.
type presentArguments []eval

func (g presentArguments) has(i int) bool { return g[i] != nil }

// evaluateOrNull evaluates a lazy argument. An absent argument is null.
func (g presentArguments) evaluateOrNull(env *Env, i int) (bson.RawValue, error) {
	if g[i] == nil {
		return value.Null, nil
	}
	return g[i](env)
}

// members returns the arguments in the order of the names. An absent one is zero.
func (s signature) members(name string, arg bson.RawValue) ([]bson.RawValue, error) {
	d, isDocument := arg.DocumentOK()
	if !isDocument {
		return nil, s.object.err(name, "", arg)
	}
	members := make([]bson.RawValue, len(s.names))
	for key, v := range d.All() {
		i := slices.Index(s.names, key)
		if i < 0 {
			return nil, s.unknown.err(name, key, v)
		}
		members[i] = v
	}
	for i, m := range s.missing {
		if members[i].IsZero() {
			return nil, m.err(name, s.names[i], arg)
		}
	}
	return members, nil
}

// compileArguments compiles named arguments. Unknown and missing arguments are errors.
func (c *compiler) compileArguments(name string, arg bson.RawValue, s signature) (presentArguments, error) {
	members, err := s.members(name, arg)
	if err != nil {
		return nil, err
	}
	args := make(presentArguments, len(s.names))
	for i, v := range members {
		if v.IsZero() {
			continue
		}
		if args[i], err = c.compile(v); err != nil {
			return nil, err
		}
	}
	if s.check != nil {
		return args, s.check(args)
	}
	return args, nil
}

// namedFunction is an operator with named arguments.
type namedFunction struct {
	signature
	call func(env *Env, args []bson.RawValue, g presentArguments) (bson.RawValue, error)
}
