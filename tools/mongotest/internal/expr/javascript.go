package expr

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/script"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// compileFunction compiles {$function: {body, args, lang}}.
func (c *compiler) compileFunction(arg bson.RawValue) (eval, error) {
	d, ok := arg.DocumentOK()
	if !ok {
		return nil, status.Errorf(4660800, "$function requires an object as an argument, found: %s", arg.Type)
	}
	for key := range d.All() {
		if key != "body" && key != "args" && key != "lang" {
			return nil, status.Errorf(errcode.FailedToParse, "BSON field '$function.%s' is an unknown field.", key)
		}
	}
	list := d.Lookup("args")
	switch lang, _ := d.Lookup("lang").StringOK(); {
	case d.Lookup("body").IsZero():
		return nil, status.Errorf(4660803, "Missing 'body' field in expression $function")
	case list.IsZero():
		return nil, status.Errorf(4660804, "Missing 'args' field in expression $function")
	case list.Type != bsontype.Array:
		return nil, status.Errorf(4660802, "The args field must be specified as an array")
	case d.Lookup("lang").IsZero():
		return nil, status.Errorf(4660805, "Missing 'lang' field in expression $function")
	case lang != "js":
		return nil, status.Errorf(4660801, "Currently the only supported language specifier is 'js'.")
	}
	f, err := CompileScript(c.scope, d.Lookup("body"), "$function")
	if err != nil {
		return nil, err
	}
	args, err := c.compileAll(value.Elements(list))
	if err != nil {
		return nil, err
	}
	c.varys = true // the result of a function is unknown before the call
	return func(env *Env) (bson.RawValue, error) {
		values, err := evaluate(env, args)
		if err != nil {
			return bson.RawValue{}, err
		}
		return f.Call(&script.Call{Args: values, Interrupt: env.check})
	}, nil
}

// CompileScript compiles a JavaScript function inside an expression.
func CompileScript(s *Scope, v bson.RawValue, what string) (script.Function, error) {
	source, variables, ok := script.Source(v)
	if !ok {
		return nil, status.Errorf(4660809, "The functions of %s must be strings or code, found: %s", what, v.Type)
	}
	return s.Engine().Function(source, variables, false)
}
