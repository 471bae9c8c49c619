package main

import (
	"fmt"
	"go/types"
)

// decodeMethod prints
//
//	func (v *Order) DecodeBSON(doc bson.Raw) error {
//		r := bson.NewReader(doc)
//		for r.Next() {
//			... decodeBSONField
//		}
//		return r.Err()
//	}
//
//	func (v *Order) decodeBSONField(key string, value bson.RawValue) (known bool, err error) {
//		switch key {
//		case "name":
//			return true, bson.DecodeString(&v.Name, value)
//		}
//		return false, nil
//	}
func (e *emitter) decodeMethod(s *structType) {
	name := s.named.Obj().Name()
	params, args := "", ""
	e.p("\n// DecodeBSON stores the elements of doc in the fields that they are named after and leaves the other fields alone.")
	e.p("func (v *%s) DecodeBSON(doc %s) error {", s.receiver(), e.bson("Raw"))
	if s.recursive {
		params, args = ", depth int", ", depth"
		e.p("return v.decodeBSON(doc, %s)\n}\n", e.bson("DefaultMaxDepth"))
		e.p("// decodeBSON is DecodeBSON for %s values of at most depth levels.", name)
		e.p("func (v *%s) decodeBSON(doc %s, depth int) error {", s.receiver(), e.bson("Raw"))
		e.p("if depth <= 0 {\nreturn %s\n}", e.bson("ErrMaxDepth"))
	}
	e.p("r := %s(doc)\nfor r.Next() {", e.bson("NewReader"))
	e.p("known, err := v.decodeBSONField(r.Key(), r.Value()%s)", args)
	e.p("if !known {\nif lower, changed := %s(r.Key()); changed {", e.bson("LowerKey"))
	if s.rest == nil {
		e.p("_, err = v.decodeBSONField(lower, r.Value()%s)\n}\n}", args)
	} else {
		e.p("known, err = v.decodeBSONField(lower, r.Value()%s)\n}\n}\nif !known {", args)
		e.makeHops(*s.rest)
		e.p("err = %s(&%s, r.Key(), r.Value(), %s)\n}", e.bson("DecodeMapElement"), s.rest.expr, e.decoder(s, elemOf(s.rest.typ)))
	}
	e.p("if err != nil {\nreturn r.Fail(err)\n}\n}\nreturn r.Err()\n}\n")

	e.p("func (v *%s) decodeBSONField(key string, value %s%s) (known bool, err error) {", s.receiver(), e.bson("RawValue"), params)
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
		if s.recursive && e.model.find(t).recursive {
			return fmt.Sprintf("%s(%s, %s, func(p *%s, doc %s) error { return p.decodeBSON(doc, depth-1) })",
				e.bson("DecodeNested"), pointer, value, e.typeName(t), e.bson("Raw"))
		}
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
	if f == aPointer || f == aSlice || f == aMap || f == aStruct && s.recursive && e.model.find(t).recursive {
		return fmt.Sprintf("func(p *%s, value %s) error {\nreturn %s\n}",
			e.typeName(t), e.bson("RawValue"), e.decodeCall(s, "p", "value", t))
	}
	return e.simpleDecoder(t)
}

func (e *emitter) simpleDecoder(t types.Type) string {
	names := map[form]string{
		aBool: "DecodeBool", anInt: "DecodeInt", aShortInt: "DecodeInt", aLongInt: "DecodeInt", aShortUint: "DecodeUint",
		aLongUint: "DecodeUint", aFloat: "DecodeFloat", aString: "DecodeString", anObjectID: "DecodeObjectID",
		aTime: "DecodeTime", aStruct: "DecodeDocument",
	}
	if name, ok := names[e.model.formOf(t)]; ok {
		return e.bson(name)
	}
	return e.bson("DecodeValue")
}
