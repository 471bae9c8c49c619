package main

import (
	"fmt"
	"go/types"
	"strings"
)

// decodeMethod prints
//
//	var orderFields = bsonimpl.Fields{Names: []string{"name"}}
//
//	func (v *Order) DecodeBSON(doc bson.Raw) error {
//		return bsonimpl.Decode(v, doc, (*Order).decodeBSON)
//	}
//
//	func (v *Order) decodeBSON(r *bsonimpl.Reader) error {
//		b := r.Remaining()
//		if len(b) >= 6 && string(b[1:6]) == "name\x00" {
//			if s, rest, ok := r.Text(b, 6); ok {
//				v.Name, b = s, rest
//			} else if r.Take(b, 6) {
//				if err := bsonimpl.DecodeString(r, &v.Name); err != nil {
//					return r.Fail(err)
//				}
//				b = r.Remaining()
//			}
//		}
//		if len(b) == 0 {
//			return nil
//		}
//		r.Continue(b)
//		for r.Next(&orderFields) {
//			var err error
//			switch r.Field() {
//			case 0: // "name"
//				err = bsonimpl.DecodeString(r, &v.Name)
//			}
//			if err != nil {
//				return r.Fail(err)
//			}
//		}
//		return r.Err()
//	}
func (e *emitter) decodeMethod(s *structType) {
	table := e.fieldTable(s)
	e.p("\n// DecodeBSON stores the elements of doc in the fields that they are named after and leaves the other fields alone.")
	e.p("func (v *%s) DecodeBSON(doc %s) error {", s.receiver(), e.bson("Raw"))
	e.p("return %s(v, doc, (*%s).decodeBSON)\n}\n", e.impl("Decode"), s.receiver())
	e.p("func (v *%s) decodeBSON(r *%s) error {", s.receiver(), e.impl("Reader"))
	e.decodeInOrder(s)
	e.p("for r.Next(&%s) {", table)
	if len(s.fields) > 0 || s.rest != nil {
		e.p("var err error\nswitch r.Field() {")
		for i, f := range s.fields {
			e.p("case %d: // %q", i, f.name)
			e.makeHops(f)
			e.p("err = %s", e.decodeField(f))
		}
		if s.rest != nil {
			e.p("default:")
			e.makeHops(*s.rest)
			e.p("err = %s(r, &%s, %s)", e.impl("DecodeMapElement"), s.rest.expr, e.decoder(elemOf(s.rest.typ)))
		}
		e.p("}\nif err != nil {\nreturn r.Fail(err)\n}")
	}
	e.p("}\nreturn r.Err()\n}")
}

// decodeInOrder prints the steps for documents that have their elements in the order of the fields, as most do. They
// need no table and no switch, so they are faster than the loop after them, which reads every element that is left.
func (e *emitter) decodeInOrder(s *structType) {
	if len(s.fields) == 0 {
		return
	}
	e.p("b := r.Remaining()")
	for _, f := range s.fields {
		n := len(f.name) + 2
		e.p("if len(b) >= %d && string(b[1:%d]) == %q {", n, n, f.name+"\x00")
		otherwise := e.decodeFixed(f, n)
		e.p("%sif r.Take(b, %d) {", otherwise, n)
		e.makeHops(f)
		e.p("if err := %s; err != nil {\nreturn r.Fail(err)\n}\nb = r.Remaining()\n}\n}", e.decodeField(f))
	}
	e.p("if len(b) == 0 {\nreturn nil\n}\nr.Continue(b)")
}

// decodeFixed prints the step for a value of the BSON type that the field is encoded as, after a header of n bytes, and
// returns what joins it to the step for other types. It prints nothing for types that need more than a line.
func (e *emitter) decodeFixed(f field, n int) (otherwise string) {
	form := e.model.formOf(f.typ)
	if form == aString {
		e.p("if s, rest, ok := r.Text(b, %d); ok {", n)
		e.makeHops(f)
		e.p("%s, b = %s, rest", f.expr, e.convert("s", f.typ, types.String))
		return "} else "
	}
	typeName, size, value := e.fixedValue(form, f.typ, n)
	if typeName == "" {
		return ""
	}
	more := ""
	if form == aBool {
		more = fmt.Sprintf(" && b[%d] <= 1", n)
	}
	e.p("if b[0] == %#02x && len(b) >= %d%s {", typeCodes[typeName], n+size, more)
	e.makeHops(f)
	e.p("%s, b = %s, b[%d:]", f.expr, value, n+size)
	return "} else "
}

// fixedValue returns the name and size of the BSON type that a field of type t is encoded as, and the expression that
// reads a value at index n of b. The name is empty if the type has no fixed size, or if the value may not fit.
func (e *emitter) fixedValue(form form, t types.Type, n int) (typeName string, size int, value string) {
	word := func(bits int) string {
		return fmt.Sprintf("%s.LittleEndian.Uint%d(b[%d:])", e.use("encoding/binary", "binary"), bits, n)
	}
	kind := types.Invalid
	if b, ok := t.Underlying().(*types.Basic); ok {
		kind = b.Kind()
	}
	switch {
	case form == aBool:
		return "Boolean", 1, fmt.Sprintf("b[%d] == 1", n)
	case form == anInt:
		return "Int32", 4, fmt.Sprintf("%s(int32(%s))", e.typeName(t), word(32))
	case form == aShortInt && kind == types.Int32:
		return "Int32", 4, fmt.Sprintf("%s(%s)", e.typeName(t), word(32))
	case form == aLongInt:
		return "Int64", 8, fmt.Sprintf("%s(%s)", e.typeName(t), word(64))
	case form == aDateTime:
		return "DateTime", 8, fmt.Sprintf("%s(%s)", e.typeName(t), word(64))
	case form == aTime:
		return "DateTime", 8, fmt.Sprintf("%s(%s)", e.impl("Time"), word(64))
	case form == aFloat && kind == types.Float64:
		bits := fmt.Sprintf("%s.Float64frombits(%s)", e.use("math", "math"), word(64))
		return "Double", 8, e.convert(bits, t, kind)
	case form == anObjectID:
		return "ObjectID", 12, fmt.Sprintf("%s(b[%d:])", e.bson("ObjectID"), n)
	}
	return "", 0, ""
}

// convert returns expr, which is of the basic type have, as a t.
func (e *emitter) convert(expr string, t types.Type, have types.BasicKind) string {
	if types.Unalias(t) == types.Typ[have] {
		return expr
	}
	return e.typeName(t) + "(" + expr + ")"
}

// fieldTable prints the variable that holds the names of the fields and returns its name.
func (e *emitter) fieldTable(s *structType) string {
	name := s.named.Obj().Name()
	table := strings.ToLower(name[:1]) + name[1:] + "Fields"
	for e.model.pkg.Scope().Lookup(table) != nil {
		table += "BSON"
	}
	e.p("\nvar %s = %s{Names: []string{%s}}", table, e.impl("Fields"), s.fieldNames())
	return table
}

// infoMethod prints
//
//	func (*Order) BSONStatic() bsonimpl.Info {
//		return bsonimpl.Info{Type: reflect.TypeFor[Order](), Depth: 2}
//	}
func (e *emitter) infoMethod(s *structType) {
	e.p("\n// BSONStatic tells package bson what AppendBSON and DecodeBSON do: with options, it does not call them.")
	e.p("func (*%s) BSONStatic() %s {", s.receiver(), e.impl("Info"))
	more := ""
	if e.model.jsonTags {
		more += ", JSONTags: true"
	}
	if depth := e.model.depthOf(s); depth > 0 {
		more += fmt.Sprintf(", Depth: %d", depth)
	}
	e.p("return %s{Type: %s.TypeFor[%s]()%s}\n}", e.impl("Info"), e.use("reflect", "reflect"), s.receiver(), more)
}

func (e *emitter) decodeField(f field) string {
	if f.truncate {
		return fmt.Sprintf("%s(r, &%s)", e.impl("DecodeTruncated"), f.expr)
	}
	return e.decodeCall("&"+f.expr, f.typ)
}

// makeHops prints the allocation of the inlined structs that lead to f.
func (e *emitter) makeHops(f field) {
	for _, h := range f.hops {
		e.p("if %s == nil {\n%s = new(%s)\n}", h.expr, h.expr, e.typeName(h.elem))
	}
}

// decodeCall returns the call that decodes the current value into what the expression pointer points to.
func (e *emitter) decodeCall(pointer string, t types.Type) string {
	switch e.model.formOf(t) {
	case aStruct:
		return fmt.Sprintf("%s(r, %s, (*%s).decodeBSON)", e.impl("DecodeNested"), pointer, e.typeName(t))
	case aPointer:
		return fmt.Sprintf("%s(r, %s, %s)", e.impl("DecodePointer"), pointer, e.decoder(elemOf(t)))
	case aSlice:
		return fmt.Sprintf("%s(r, %s, %s)", e.impl("DecodeSlice"), pointer, e.decoder(elemOf(t)))
	case aMap:
		return fmt.Sprintf("%s(r, %s, %s)", e.impl("DecodeMap"), pointer, e.decoder(elemOf(t)))
	}
	return fmt.Sprintf("%s(r, %s)", e.simpleDecoder(t), pointer)
}

// decoder returns a function value that decodes values of type t.
func (e *emitter) decoder(t types.Type) string {
	switch e.model.formOf(t) {
	case aPointer, aSlice, aMap, aStruct:
		return fmt.Sprintf("func(r *%s, p *%s) error {\nreturn %s\n}", e.impl("Reader"), e.typeName(t), e.decodeCall("p", t))
	}
	return e.simpleDecoder(t)
}

func (e *emitter) simpleDecoder(t types.Type) string {
	names := map[form]string{
		aBool: "DecodeBool", anInt: "DecodeInt", aShortInt: "DecodeInt", aLongInt: "DecodeInt", aShortUint: "DecodeUint",
		aLongUint: "DecodeUint", aFloat: "DecodeFloat", aString: "DecodeString", anObjectID: "DecodeObjectID",
		aTime: "DecodeTime",
	}
	if name, ok := names[e.model.formOf(t)]; ok {
		return e.impl(name)
	}
	return e.impl("DecodeValue")
}
