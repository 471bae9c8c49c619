package main

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
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
	e.p("dst, start := %s(dst)", e.bson("AppendDocumentStart"))
	for _, f := range s.fields {
		e.appendField(s, f)
	}
	if s.rest != nil {
		e.appendRest(s)
	}
	e.p("return %s(dst, start), nil\n}", e.bson("AppendDocumentEnd"))
}

// appendRest prints what appends the elements of the inlined map, whose keys must not be those of fields.
func (e *emitter) appendRest(s *structType) {
	for _, h := range s.rest.hops {
		e.p("if %s != nil {", h.expr)
	}
	key := e.basic("key", s.rest.typ.Underlying().(*types.Map).Key())
	e.p("for key, elem := range %s {", s.rest.expr)
	if len(s.fields) > 0 {
		e.p("switch key {\ncase %s:", s.fieldNames())
		e.p("return dst, %s(%s, %s.New(%q))\n}", e.bson("EncodeErrorIn"), key, e.use("errors", "errors"),
			"the inlined map has the key of a field of "+s.named.Obj().Name())
	}
	elem := elemOf(s.rest.typ)
	if e.model.formOf(elem) == viaPackage {
		e.p("if dst, err = %s(dst, %s, elem); err != nil {\nreturn dst, err\n}", e.bson("AppendValueElement"), key)
	} else {
		fail := func(err string) { e.p("return dst, %s(%s, %s)", e.bson("EncodeErrorIn"), key, err) }
		e.appendValue(s, "elem", elem, place{fail: fail, header: func(t string) {
			e.p("if dst, err = %s(dst, %s.%s, %s); err != nil {\nreturn dst, err\n}",
				e.bson("AppendMapHeader"), e.use(typePath, "bsontype"), t, key)
		}})
	}
	e.p("}")
	for range s.rest.hops {
		e.p("}")
	}
}

func (s *structType) fieldNames() string {
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = strconv.Quote(f.name)
	}
	return strings.Join(names, ", ")
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
	case viaPackage, aString, aStruct, aMap:
		return true
	case aPointer, aSlice:
		return e.typeMayFail(elemOf(t))
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
	if cond := e.keep(f); cond != "" {
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
			fail:   func(err string) { e.p("return dst, %s(%q, %s)", e.bson("EncodeErrorIn"), f.name, err) },
			notNil: f.omitEmpty || f.omitZero,
		})
	}
	for range closing {
		e.p("}")
	}
}

// keep returns the condition under which the field is written, empty if it always is.
func (e *emitter) keep(f field) string {
	empty, zero := "", ""
	if f.omitEmpty {
		empty = e.notEmpty(f)
	}
	if f.omitZero {
		zero = e.notZero(f)
	}
	if empty != "" && zero != "" {
		return empty + " && " + zero
	}
	return empty + zero
}

func (e *emitter) notEmpty(f field) string {
	form := e.model.formOf(f.typ)
	if form != viaPackage && form != aPointer && hasMethod(f.typ, "IsZero") {
		return "!" + f.expr + ".IsZero()"
	}
	switch form {
	case aBool:
		return f.expr
	case anInt, aShortInt, aLongInt, aShortUint, aLongUint, aFloat, aDateTime:
		return f.expr + " != 0"
	case aString:
		return f.expr + ` != ""`
	case aBytes, aSlice, aMap:
		return "len(" + f.expr + ") != 0"
	case aStruct:
		return ""
	case aPointer:
		if !hasMethod(elemOf(f.typ), "IsZero") {
			return f.expr + " != nil"
		}
	}
	return "!" + e.bson("IsEmpty") + "(&" + f.expr + ")"
}

func (e *emitter) notZero(f field) string {
	form := e.model.formOf(f.typ)
	if form != viaPackage && form != aPointer && hasMethod(f.typ, "IsZero") {
		return "!" + f.expr + ".IsZero()"
	}
	switch form {
	case aBool:
		return f.expr
	case anInt, aShortInt, aLongInt, aShortUint, aLongUint, aFloat, aDateTime:
		return f.expr + " != 0"
	case aString:
		return f.expr + ` != ""`
	case aBytes, aSlice, aMap, aPointer:
		return f.expr + " != nil"
	}
	return "!" + e.bson("IsZero") + "(&" + f.expr + ")"
}

// appendValue prints what appends the header and the value of expr.
func (e *emitter) appendValue(s *structType, expr string, t types.Type, at place) {
	switch e.model.formOf(t) {
	case aBool:
		at.header("Boolean")
		e.p("dst = %s(dst, %s)", e.bson("AppendBool"), e.basic(expr, t))
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
		e.p("if n, err := %s(%s); err != nil {", e.bson("Signed"), e.basic(expr, t))
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
		e.p("if dst, err = %s(dst, %s); err != nil {", e.bson("AppendText"), e.basic(expr, t))
		at.fail("err")
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

// basic returns expr as its basic type, for functions that take no other.
func (e *emitter) basic(expr string, t types.Type) string {
	if _, ok := types.Unalias(t).(*types.Basic); ok {
		return expr
	}
	return t.Underlying().String() + "(" + expr + ")"
}

// appendNullable is appendValue for values that are null when they are nil.
func (e *emitter) appendNullable(s *structType, expr string, t types.Type, at place) {
	nullable := !at.notNil
	if nullable {
		e.p("if %s == nil {", expr)
		at.header("Null")
		e.p("} else {")
	}
	e.nesting++
	switch e.model.formOf(t) {
	case aPointer:
		target := expr
		switch e.model.formOf(elemOf(t)) {
		case aStruct, aTime, anObjectID: // their methods and parts are reached through the pointer
		case aSlice, aMap:
			target = "(*" + expr + ")"
		default:
			target = "*" + expr
		}
		at.notNil = false // what it points to may still be
		e.appendValue(s, target, elemOf(t), at)
	case aBytes:
		at.header("Binary")
		e.p("dst = %s(dst, 0, %s)", e.bson("AppendBinary"), expr)
	case aSlice:
		e.appendSlice(s, expr, t, at)
	case aMap:
		e.appendMap(s, expr, t, at)
	default:
		panic(fmt.Sprintf("bsongen: no way to append %v", t))
	}
	e.nesting--
	if nullable {
		e.p("}")
	}
}

func (e *emitter) appendSlice(s *structType, expr string, t types.Type, at place) {
	at.header("Array")
	start, i := fmt.Sprintf("start%d", e.nesting), fmt.Sprintf("i%d", e.nesting)
	e.p("var %s int\ndst, %s = %s(dst)", start, start, e.bson("AppendDocumentStart"))
	e.p("for %s := range %s {", i, expr)
	e.appendValue(s, expr+"["+i+"]", elemOf(t), place{
		header: func(t string) {
			e.p("dst = %s(dst, %s.%s, %s)", e.bson("AppendArrayIndexHeader"), e.use(typePath, "bsontype"), t, i)
		},
		fail: func(err string) { at.fail(fmt.Sprintf("%s(%s, %s)", e.bson("EncodeErrorIn"), i, err)) },
	})
	e.p("}\ndst = %s(dst, %s)", e.bson("AppendDocumentEnd"), start)
}

func (e *emitter) appendMap(s *structType, expr string, t types.Type, at place) {
	at.header("EmbeddedDocument")
	start, k, elem := fmt.Sprintf("start%d", e.nesting), fmt.Sprintf("key%d", e.nesting), fmt.Sprintf("elem%d", e.nesting)
	e.p("var %s int\ndst, %s = %s(dst)", start, start, e.bson("AppendDocumentStart"))
	e.p("for %s, %s := range %s {", k, elem, expr)
	key := e.basic(k, t.Underlying().(*types.Map).Key())
	e.appendValue(s, elem, elemOf(t), place{
		header: func(t string) {
			e.p("if dst, err = %s(dst, %s.%s, %s); err != nil {", e.bson("AppendMapHeader"), e.use(typePath, "bsontype"), t, key)
			at.fail("err")
			e.p("}")
		},
		fail: func(err string) { at.fail(fmt.Sprintf("%s(%s, %s)", e.bson("EncodeErrorIn"), key, err)) },
	})
	e.p("}\ndst = %s(dst, %s)", e.bson("AppendDocumentEnd"), start)
}
