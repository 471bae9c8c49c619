package expr

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var getFieldSignature = signature{
	names:   []string{"field", "input"},
	unknown: refusal{3041701, "{op} found an unknown argument: {arg}"},
	missing: []refusal{{3041702, "{op} requires 'field' to be specified"}, {3041703, "{op} requires 'input' to be specified"}},
}

// compileGetField compiles {field, input}, or an expression that names a field of the current document.
func (c *compiler) compileGetField(arg bson.RawValue) (eval, error) {
	var field, input eval
	var err error
	d, ok := arg.DocumentOK()
	first, some := d.Index(0)
	if ok && !(some && strings.HasPrefix(first.Key, "$")) {
		args, err := c.compileArguments("$getField", arg, getFieldSignature)
		if err != nil {
			return nil, err
		}
		field, input = args[0], args[1]
	} else {
		if field, err = c.compile(arg); err != nil {
			return nil, err
		}
		if input, err = c.compileVariable("CURRENT"); err != nil {
			return nil, err
		}
	}
	return func(env *Env) (bson.RawValue, error) {
		name, err := field(env)
		if err != nil {
			return missing, err
		}
		if name.Type != bsontype.String {
			return missing, status.Errorf(3041704,
				"$getField requires 'field' to evaluate to type String, but got %s", value.TypeName(name))
		}
		v, err := input(env)
		switch {
		case err != nil:
			return missing, err
		case v.Type == bsontype.EmbeddedDocument:
			return path.Field(bson.Raw(v.Value), value.Text(name)), nil
		case value.IsNullish(v) && !v.IsZero():
			return value.Null, nil
		}
		return missing, nil
	}, nil
}

var setFieldSignature = signature{
	names:   []string{"field", "value", "input"},
	object:  refusal{4161100, "{op} only supports an object as its argument"},
	unknown: refusal{4161101, "{op} found an unknown argument: {arg}"},
	missing: []refusal{
		{4161102, "{op} requires 'field' to be specified"}, {4161103, "{op} requires 'value' to be specified"},
		{4161109, "{op} requires 'input' to be specified"},
	},
}

var unsetFieldSignature = signature{
	names:   []string{"field", "input"},
	object:  setFieldSignature.object,
	unknown: setFieldSignature.unknown,
	missing: []refusal{setFieldSignature.missing[0], setFieldSignature.missing[2]},
}

// compileSetField compiles $setField, and $unsetField, which sets the field to a missing value.
func (c *compiler) compileSetField(op string, arg bson.RawValue) (eval, error) {
	s := setFieldSignature
	if op == "$unsetField" {
		s = unsetFieldSignature
	}
	args, err := c.compileArguments(op, arg, s)
	if err != nil {
		return nil, err
	}
	name, err := c.readConstantField(bson.Raw(arg.Value))
	if err != nil {
		return nil, err
	}
	input, newValue := args[len(args)-1], literal(missing)
	if op == "$setField" {
		newValue = args[1]
	}
	return func(env *Env) (bson.RawValue, error) {
		in, err := input(env)
		switch {
		case err != nil:
			return missing, err
		case value.IsNullish(in):
			return value.Null, nil
		case in.Type != bsontype.EmbeddedDocument:
			return missing, status.Errorf(4161105, "$setField requires 'input' to evaluate to type Object")
		}
		v, err := newValue(env)
		if err != nil {
			return missing, err
		}
		return value.Document(replaceField(bson.Raw(in.Value), name, v)), nil
	}, nil
}

// readConstantField returns the field name of $setField, which must be constant.
func (c *compiler) readConstantField(d bson.Raw) (string, error) {
	spec := path.Field(d, "field")
	if s := value.Text(spec); strings.HasPrefix(s, "$") && !strings.HasPrefix(s, "$$") {
		return "", status.Errorf(4161108,
			"'%s' is a field path reference which is not allowed in this context. Did you mean {$literal: '%s'}?", s, s)
	}
	if d, ok := spec.DocumentOK(); ok {
		if first, _ := d.Index(0); first.Key != "$literal" && first.Key != "$const" {
			return "", status.Errorf(4161106, "$setField requires 'field' to evaluate to a constant, but got a non-constant argument")
		}
	}
	run, constant, err := c.compileConstant(spec)
	if err != nil {
		return "", err
	}
	if !constant {
		return "", status.Errorf(4161106, "$setField requires 'field' to evaluate to a constant, but got a non-constant argument")
	}
	v, err := run(c.env())
	if err == nil && v.Type != bsontype.String {
		err = status.Errorf(4161107, "$setField requires 'field' to evaluate to type String, but got %s", value.TypeName(v))
	}
	if err == nil && strings.Contains(value.Text(v), "\x00") {
		err = status.Errorf(9534700, "$setField: 'field' cannot contain an embedded null byte")
	}
	return value.Text(v), err
}

// compileConstant compiles an expression and reports whether it is constant.
func (c *compiler) compileConstant(v bson.RawValue) (run eval, constant bool, err error) {
	outer := c.varys
	c.varys = false
	run, err = c.compile(v)
	constant, c.varys = !c.varys, c.varys || outer
	return run, constant, err
}

// replaceField sets a field. A missing value removes it.
func replaceField(d bson.Raw, name string, v bson.RawValue) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	done := false
	for key, old := range d.All() {
		if key == name {
			old, done = v, true
		}
		if !old.IsZero() {
			dst = bson.AppendRawValueElement(dst, key, old)
		}
	}
	if !done && !v.IsZero() {
		dst = bson.AppendRawValueElement(dst, name, v)
	}
	return bson.AppendDocumentEnd(dst, start)
}
