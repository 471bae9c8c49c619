package main

import (
	"go/types"
	"slices"
	"strconv"
)

// typeCodes are the type bytes of BSON that the output writes as part of a field's header.
var typeCodes = map[string]byte{
	"Double": 0x01, "String": 0x02, "EmbeddedDocument": 0x03, "Array": 0x04, "Binary": 0x05, "ObjectID": 0x07,
	"Boolean": 0x08, "DateTime": 0x09, "Null": 0x0A, "Int32": 0x10, "Int64": 0x12,
}

// place is where a value goes: a field, an element of an array, or an element of a map.
type place struct {
	header func(typeName string) // prints what appends the type and the key
	fail   func(err string)      // prints the return of an error about the value
	notNil bool                  // a condition around the value excludes nil
}

// appendMethod prints
//
//	func (v *Order) AppendBSON(dst []byte) ([]byte, error) {
//		dst, start := bson.AppendDocumentStart(dst)
//		... the fields
//		return bson.AppendDocumentEnd(dst, start), nil
//	}
//
// and for structs that may contain themselves a method in addition that counts the depth.
func (e *emitter) appendMethod(s *structType) {
	name := s.named.Obj().Name()
	e.p("\n// AppendBSON appends v as a document.")
	e.p("func (v *%s) AppendBSON(dst []byte) ([]byte, error) {", s.receiver())
	if s.recursive {
		e.p("return v.appendBSON(dst, %s)\n}\n", e.bson("DefaultMaxDepth"))
		e.p("// appendBSON is AppendBSON for %s values of at most depth levels.", name)
		e.p("func (v *%s) appendBSON(dst []byte, depth int) ([]byte, error) {", s.receiver())
		e.p("if depth <= 0 {\nreturn dst, %s\n}", e.bson("ErrMaxDepth"))
	}
	if e.mayFail(s) {
		e.p("var err error")
	}
	if e.hasText(s) {
		e.p("var valid bool")
	}
	e.p("dst, start := %s(dst)", e.bson("AppendDocumentStart"))
	for _, f := range s.fields {
		e.appendField(s, f)
	}
	if s.rest != nil {
		e.appendRest(s)
	}
	e.p("return %s(dst, start), nil\n}", e.bson("AppendDocumentEnd"))
}

// mayFail reports whether appending a field can fail.
func (e *emitter) mayFail(s *structType) bool {
	for _, f := range s.fields {
		if f.minSize || e.typeMayFail(f.typ) {
			return true
		}
	}
	return s.rest != nil
}

func (e *emitter) typeMayFail(t types.Type) bool {
	switch e.model.formOf(t) {
	case viaPackage, aStruct, aMap:
		return true
	case aPointer, aSlice:
		return e.typeMayFail(elemOf(t))
	}
	return false
}

// hasText reports whether appending the fields appends a string.
func (e *emitter) hasText(s *structType) bool {
	return slices.ContainsFunc(s.fields, func(f field) bool { return !f.minSize && e.typeHasText(f.typ) }) ||
		s.rest != nil && e.typeHasText(s.rest.typ)
}

func (e *emitter) typeHasText(t types.Type) bool {
	switch e.model.formOf(t) {
	case aString:
		return true
	case aPointer, aSlice, aMap:
		return e.typeHasText(elemOf(t))
	}
	return false
}

func elemOf(t types.Type) types.Type { return t.Underlying().(interface{ Elem() types.Type }).Elem() }

func (e *emitter) appendField(s *structType, f field) {
	closing := 0
	for _, h := range f.hops {
		e.p("if %s != nil {", h.expr)
		closing++
	}
	if cond := e.keepCondition(f); cond != "" {
		e.p("if %s {", cond)
		closing++
	}
	if e.model.formOf(f.typ) == viaPackage || f.minSize {
		options := ""
		if f.minSize {
			options = ", &" + e.bson("MarshalOptions") + "{IntMinSize: true}"
		}
		e.p("if dst, err = %s(dst, %q, &%s%s); err != nil {\nreturn dst, err\n}",
			e.bson("AppendValueElement"), f.name, f.expr, options)
	} else {
		e.appendValue(s, f.expr, f.typ, place{
			header: func(t string) {
				name := strconv.Quote(f.name)
				e.p("dst = append(dst, \"\\x%02x%s\\x00\"...)", typeCodes[t], name[1:len(name)-1])
			},
			fail:   func(err string) { e.p("return dst, %s(%q, %s)", e.impl("EncodeErrorIn"), f.name, err) },
			notNil: f.omitEmpty || f.omitZero,
		})
	}
	for range closing {
		e.p("}")
	}
}

// appendValue prints what appends the header and the value of expr.
func (e *emitter) appendValue(s *structType, expr string, t types.Type, at place) {
	switch e.model.formOf(t) {
	case aBool:
		at.header("Boolean")
		e.p("dst = %s(dst, %s)", e.impl("AppendBool"), e.convertToBasic(expr, t))
	case anInt:
		e.p("if n := int64(%s); n == int64(int32(n)) {", expr)
		at.header("Int32")
		e.p("dst = %s.LittleEndian.AppendUint32(dst, uint32(n))\n} else {", e.use("encoding/binary", "binary"))
		at.header("Int64")
		e.p("dst = %s.LittleEndian.AppendUint64(dst, uint64(n))\n}", e.use("encoding/binary", "binary"))
	case aShortInt, aShortUint:
		at.header("Int32")
		e.p("dst = %s.LittleEndian.AppendUint32(dst, uint32(%s))", e.use("encoding/binary", "binary"), expr)
	case aLongInt, aDateTime:
		at.header(map[bool]string{true: "DateTime", false: "Int64"}[e.model.formOf(t) == aDateTime])
		e.p("dst = %s.LittleEndian.AppendUint64(dst, uint64(%s))", e.use("encoding/binary", "binary"), expr)
	case aLongUint:
		e.p("if n, err := %s(%s); err != nil {", e.impl("Signed"), e.convertToBasic(expr, t))
		at.fail("err")
		e.p("} else {")
		at.header("Int64")
		e.p("dst = %s.LittleEndian.AppendUint64(dst, uint64(n))\n}", e.use("encoding/binary", "binary"))
	case aFloat:
		at.header("Double")
		if types.Unalias(t) != types.Typ[types.Float64] {
			expr = "float64(" + expr + ")"
		}
		e.p("dst = %s.LittleEndian.AppendUint64(dst, %s.Float64bits(%s))", e.use("encoding/binary", "binary"), e.use("math", "math"), expr)
	case aString:
		at.header("String")
		e.p("if dst, valid = %s(dst, %s); !valid {", e.impl("AppendText"), e.convertToBasic(expr, t))
		at.fail(e.impl("ErrText"))
		e.p("}")
	case anObjectID:
		at.header("ObjectID")
		e.p("dst = append(dst, %s[:]...)", expr)
	case aTime:
		at.header("DateTime")
		e.p("dst = %s.LittleEndian.AppendUint64(dst, uint64(%s.UnixMilli()))", e.use("encoding/binary", "binary"), expr)
	case aStruct:
		at.header("EmbeddedDocument")
		call := "AppendBSON(dst)"
		if s.recursive && e.model.find(t).recursive {
			call = "appendBSON(dst, depth-1)"
		}
		e.p("if dst, err = %s.%s; err != nil {", expr, call)
		at.fail("err")
		e.p("}")
	default:
		e.appendNullable(s, expr, t, at)
	}
}

// convertToBasic returns expr as its basic type, for functions that take no other.
func (e *emitter) convertToBasic(expr string, t types.Type) string {
	if _, ok := types.Unalias(t).(*types.Basic); ok {
		return expr
	}
	return t.Underlying().String() + "(" + expr + ")"
}
