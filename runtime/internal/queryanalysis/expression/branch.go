package expression

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// branches are the operands of $cond, $ifNull and $switch: conditions, and the values that the result is chosen from.
type branches struct {
	values []bson.RawValue
}

func branchesOf(name string, operand bson.RawValue) (branches, error) {
	var out branches
	err := eachBranch(name, operand, func(_ string, v bson.RawValue, isValue bool) error {
		if isValue {
			out.values = append(out.values, v)
		}
		return nil
	})
	return out, err
}

func malformedError(name string) error {
	return refusal.New(name, "", "the operator has unknown operands")
}

// eachBranch visits the operands of $cond and $ifNull, or the parts of $switch's branches.
func eachBranch(name string, operand bson.RawValue, visit func(key string, v bson.RawValue, isValue bool) error) error {
	doc := bson.Raw(operand.Value)
	switch {
	case name == analysis.OpIfNull && operand.Type == bsontype.Array:
		for key, v := range doc.All() {
			if err := visit(key, v, true); err != nil {
				return err
			}
		}
	case name == analysis.OpCond && operand.Type == bsontype.Array && doc.Len() == 3:
		i := 0
		for key, v := range doc.All() {
			if err := visit(key, v, i > 0); err != nil {
				return err
			}
			i++
		}
	case name == analysis.OpCond && operand.Type == bsontype.EmbeddedDocument:
		for key, v := range doc.All() {
			if key != "if" && key != "then" && key != "else" {
				return malformedError(name)
			}
			if err := visit(key, v, key != "if"); err != nil {
				return err
			}
		}
	case name == analysis.OpSwitch && operand.Type == bsontype.EmbeddedDocument:
		return eachCase(name, doc, visit)
	default:
		return malformedError(name)
	}
	return nil
}

func eachCase(name string, doc bson.Raw, visit func(key string, v bson.RawValue, isValue bool) error) error {
	for key, v := range doc.All() {
		list, isList := v.ArrayOK()
		switch {
		case key == "default":
			if err := visit(key, v, true); err != nil {
				return err
			}
		case key == "branches" && isList:
			for _, one := range list.All() {
				if one.Type != bsontype.EmbeddedDocument {
					return malformedError(name)
				}
				for part, v := range bson.Raw(one.Value).All() {
					if part != "case" && part != "then" {
						return malformedError(name)
					}
					if err := visit(part, v, part == "then"); err != nil {
						return err
					}
				}
			}
		default:
			return malformedError(name)
		}
	}
	return nil
}

// appendBranches appends $cond, $ifNull or $switch.
func (e Env) appendBranches(dst []byte, name string, operand bson.RawValue, want *schema.Field) ([]byte, error) {
	if name == analysis.OpSwitch {
		return e.appendCases(dst, name, operand, want)
	}
	dst = bson.AppendHeader(dst, operand.Type, name)
	dst, start := bson.AppendDocumentStart(dst)
	err := eachBranch(name, operand, func(key string, v bson.RawValue, isValue bool) (err error) {
		dst, err = e.appendPart(dst, key, v, isValue, name, want)
		return err
	})
	if err != nil {
		return dst, err
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// appendPart appends a value, or a condition.
func (e Env) appendPart(dst []byte, key string, v bson.RawValue, isValue bool, name string, want *schema.Field) ([]byte, error) {
	if !isValue {
		return e.AppendPlain(dst, key, v, name)
	}
	if name == analysis.OpIfNull && want != nil && v.IsNull() {
		return bson.AppendRawValueElement(dst, key, v), nil
	}
	return e.append(dst, key, v, want)
}

// appendCases appends $switch.
func (e Env) appendCases(dst []byte, name string, operand bson.RawValue, want *schema.Field) ([]byte, error) {
	if err := eachBranch(name, operand, func(string, bson.RawValue, bool) error { return nil }); err != nil {
		return dst, err
	}
	dst, start := bson.AppendDocumentElementStart(dst, name)
	var err error
	for key, v := range bson.Raw(operand.Value).All() {
		if key == "default" {
			dst, err = e.appendPart(dst, key, v, true, name, want)
		} else {
			dst, err = appendList(dst, key, elements(v), func(dst []byte, i string, one bson.RawValue) ([]byte, error) {
				dst, doc := bson.AppendDocumentElementStart(dst, i)
				for part, v := range bson.Raw(one.Value).All() {
					var err error
					if dst, err = e.appendPart(dst, part, v, part == "then", name, want); err != nil {
						return dst, err
					}
				}
				return bson.AppendDocumentEnd(dst, doc), nil
			})
		}
		if err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// readLet reads the operands of $let; inner sees its variables. A variable with a literal in it counts as computed,
// because its value is sent in plain text where it is bound.
func (e Env) readLet(operand bson.RawValue) (vars bson.Raw, in bson.RawValue, inner Env, err error) {
	inner = e
	doc, ok := operand.DocumentOK()
	if !ok {
		return nil, in, e, malformedError(analysis.OpLet)
	}
	if err := refusal.CheckUniqueKeys(analysis.OpLet, doc); err != nil {
		return nil, in, e, err
	}
	for key, v := range doc.All() {
		switch key {
		case "vars":
			vars, ok = v.DocumentOK()
		case "in":
			in = v
		default:
			ok = false
		}
		if !ok {
			return nil, in, e, malformedError(analysis.OpLet)
		}
	}
	if in.IsZero() {
		return nil, in, e, malformedError(analysis.OpLet)
	}
	if err := refusal.CheckUniqueKeys(analysis.OpLet, vars); err != nil {
		return nil, in, e, err
	}
	for name, v := range vars.All() {
		value, err := e.Value(v)
		if err != nil {
			return nil, in, e, err
		}
		if inner, err = inner.Bind(name, value.shape()); err != nil {
			return nil, in, e, err
		}
	}
	return vars, in, inner, nil
}

func (e Env) appendLet(dst []byte, name string, operand bson.RawValue, want *schema.Field) ([]byte, error) {
	vars, in, inner, err := e.readLet(operand)
	if err != nil {
		return dst, err
	}
	dst, start := bson.AppendDocumentElementStart(dst, name)
	dst, bound := bson.AppendDocumentElementStart(dst, "vars")
	for name, v := range vars.All() {
		if dst, err = e.append(dst, name, v, nil); err != nil {
			return dst, err
		}
	}
	dst = bson.AppendDocumentEnd(dst, bound)
	if dst, err = inner.append(dst, "in", in, want); err != nil {
		return dst, err
	}
	return bson.AppendDocumentEnd(dst, start), nil
}
