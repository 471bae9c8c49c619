package main

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
)

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
		e.p("dst = %s(dst, 0, %s)", e.impl("AppendBinary"), expr)
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
			e.p("if %s < 10 {\ndst = append(dst, %#02x, '0'+byte(%s), 0)\n} else {", i, typeCodes[t], i)
			e.p("dst = %s(dst, %s.%s, %s)\n}", e.bson("AppendArrayIndexHeader"), e.use(typePath, "bsontype"), t, i)
		},
		fail: func(err string) { at.fail(fmt.Sprintf("%s(%s, %s)", e.impl("EncodeErrorIn"), i, err)) },
	})
	e.p("}\ndst = %s(dst, %s)", e.bson("AppendDocumentEnd"), start)
}

func (e *emitter) appendMap(s *structType, expr string, t types.Type, at place) {
	at.header("EmbeddedDocument")
	start, k, elem := fmt.Sprintf("start%d", e.nesting), fmt.Sprintf("key%d", e.nesting), fmt.Sprintf("elem%d", e.nesting)
	e.p("var %s int\ndst, %s = %s(dst)", start, start, e.bson("AppendDocumentStart"))
	e.p("for %s, %s := range %s {", k, elem, expr)
	key := e.convertToBasic(k, t.Underlying().(*types.Map).Key())
	e.appendValue(s, elem, elemOf(t), place{
		header: func(t string) {
			e.p("if dst, err = %s(dst, %s.%s, %s); err != nil {", e.impl("AppendMapHeader"), e.use(typePath, "bsontype"), t, key)
			at.fail("err")
			e.p("}")
		},
		fail: func(err string) { at.fail(fmt.Sprintf("%s(%s, %s)", e.impl("EncodeErrorIn"), key, err)) },
	})
	e.p("}\ndst = %s(dst, %s)", e.bson("AppendDocumentEnd"), start)
}

// appendRest prints the code that appends the elements of the inlined map. A key that is the name of a field is an error.
func (e *emitter) appendRest(s *structType) {
	for _, h := range s.rest.hops {
		e.p("if %s != nil {", h.expr)
	}
	key := e.convertToBasic("key", s.rest.typ.Underlying().(*types.Map).Key())
	e.p("for key, elem := range %s {", s.rest.expr)
	if len(s.fields) > 0 {
		e.p("switch key {\ncase %s:", s.fieldNames())
		e.p("return dst, %s(%s, %s.New(%q))\n}", e.impl("EncodeErrorIn"), key, e.use("errors", "errors"),
			"the inlined map has the key of a field of "+s.named.Obj().Name())
	}
	elem := elemOf(s.rest.typ)
	if e.model.formOf(elem) == viaPackage {
		e.p("if dst, err = %s(dst, %s, elem); err != nil {\nreturn dst, err\n}", e.bson("AppendValueElement"), key)
	} else {
		fail := func(err string) { e.p("return dst, %s(%s, %s)", e.impl("EncodeErrorIn"), key, err) }
		e.appendValue(s, "elem", elem, place{fail: fail, header: func(t string) {
			e.p("if dst, err = %s(dst, %s.%s, %s); err != nil {\nreturn dst, err\n}",
				e.impl("AppendMapHeader"), e.use(typePath, "bsontype"), t, key)
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
