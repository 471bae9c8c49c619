package main

import (
	"fmt"
	"go/types"
)

// decodeMethod prints
//
//	func (v *Order) DecodeBSON(doc bson.Raw) error {
//		return bson.DecodeShared(v, doc, (*Order).decodeBSON)
//	}
//
//	func (v *Order) decodeBSON(r bson.Reader) error {
//		for r.Next() {
//			... decodeBSONField
//		}
//		return r.Err()
//	}
//
//	func (v *Order) decodeBSONField(key string, value bson.SharedValue) (known bool, err error) {
//		switch key {
//		case "name":
//			return true, bson.DecodeString(&v.Name, value)
//		}
//		return false, nil
//	}
func (e *emitter) decodeMethod(s *structType) {
	params, args := "", ""
	e.p("\n// DecodeBSON stores the elements of doc in the fields that they are named after and leaves the other fields alone.")
	e.p("func (v *%s) DecodeBSON(doc %s) error {", s.receiver(), e.bson("Raw"))
	if s.recursive {
		params, args = ", depth int", ", depth"
		e.p("return %s(v, doc, func(v *%s, r %s) error { return v.decodeBSON(r, %s) })\n}\n",
			e.bson("DecodeShared"), s.receiver(), e.bson("Reader"), e.bson("DefaultMaxDepth"))
		e.p("// decodeBSON is DecodeBSON for values of at most depth levels.")
		e.p("func (v *%s) decodeBSON(r %s, depth int) error {", s.receiver(), e.bson("Reader"))
		e.p("if depth <= 0 {\nreturn %s\n}", e.bson("ErrMaxDepth"))
	} else {
		e.p("return %s(v, doc, (*%s).decodeBSON)\n}\n", e.bson("DecodeShared"), s.receiver())
		e.p("func (v *%s) decodeBSON(r %s) error {", s.receiver(), e.bson("Reader"))
	}
	e.p("for r.Next() {")
	e.p("known, err := v.decodeBSONField(r.Key(), r.Shared()%s)", args)
	e.p("if !known {\nif lower, changed := %s(r.Key()); changed {", e.bson("LowerKey"))
	if s.rest == nil {
		e.p("_, err = v.decodeBSONField(lower, r.Shared()%s)\n}\n}", args)
	} else {
		e.p("known, err = v.decodeBSONField(lower, r.Shared()%s)\n}\n}\nif !known {", args)
		e.makeHops(*s.rest)
		e.p("err = %s(&%s, r.Key(), r.Shared(), %s)\n}", e.bson("DecodeMapElement"), s.rest.expr, e.decoder(s, elemOf(s.rest.typ)))
	}
	e.p("if err != nil {\nreturn r.Fail(err)\n}\n}\nreturn r.Err()\n}\n")

	e.p("func (v *%s) decodeBSONField(key string, value %s%s) (known bool, err error) {", s.receiver(), e.bson("SharedValue"), params)
	if len(s.fields) > 0 {
		e.p("switch key {")
		for _, f := range s.fields {
			e.decodeField(s, f)
		}
		e.p("}")
	}
	e.p("return false, nil\n}")
}

func (e *emitter) decodeField(s *structType, f field) {
	e.p("case %q:", f.name)
	e.makeHops(f)
	if f.truncate {
		e.p("return true, value.Unmarshal(&%s, &%s{AllowTruncatingDoubles: true})", f.expr, e.bson("UnmarshalOptions"))
		return
	}
	e.p("return true, %s", e.decodeCall(s, "&"+f.expr, "value", f.typ))
}

// makeHops prints what allocates the inlined structs on the way to f.
func (e *emitter) makeHops(f field) {
	for _, h := range f.hops {
		e.p("if %s == nil {\n%s = new(%s)\n}", h.expr, h.expr, e.typeName(h.elem))
	}
}

// decodeCall returns the call that decodes value into what the expression pointer points to.
func (e *emitter) decodeCall(s *structType, pointer, value string, t types.Type) string {
	switch e.model.formOf(t) {
	case aStruct:
		decode := fmt.Sprintf("(*%s).decodeBSON", e.typeName(t))
		if inner := e.model.find(t); inner.recursive {
			depth := e.bson("DefaultMaxDepth")
			if s.recursive {
				depth = "depth-1"
			}
			decode = fmt.Sprintf("func(p *%s, r %s) error { return p.decodeBSON(r, %s) }", e.typeName(t), e.bson("Reader"), depth)
		}
		return fmt.Sprintf("%s(%s, %s, %s)", e.bson("DecodeNested"), pointer, value, decode)
	case aPointer:
		return fmt.Sprintf("%s(%s, %s, %s)", e.bson("DecodePointer"), pointer, value, e.decoder(s, elemOf(t)))
	case aSlice:
		return fmt.Sprintf("%s(%s, %s, %s)", e.bson("DecodeSlice"), pointer, value, e.decoder(s, elemOf(t)))
	case aMap:
		return fmt.Sprintf("%s(%s, %s, %s)", e.bson("DecodeMap"), pointer, value, e.decoder(s, elemOf(t)))
	}
	return fmt.Sprintf("%s(%s, %s)", e.simpleDecoder(t), pointer, value)
}

// decoder returns a function value that decodes values of type t.
func (e *emitter) decoder(s *structType, t types.Type) string {
	f := e.model.formOf(t)
	if f == aPointer || f == aSlice || f == aMap || f == aStruct {
		return fmt.Sprintf("func(p *%s, value %s) error {\nreturn %s\n}",
			e.typeName(t), e.bson("SharedValue"), e.decodeCall(s, "p", "value", t))
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
		return e.bson(name)
	}
	return e.bson("DecodeValue")
}
