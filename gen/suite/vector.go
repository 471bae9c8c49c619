package suite

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
)

// readVectorTop reads what a file of vectors says about all of its cases.
func readVectorTop(f *fields) {
	f.str("description")
	f.str("test_key")
}

// vectorCase emits the checks of Testing Binary subtype 9, "Required tests".
func vectorCase(c *compiler, n *source.Node) []jen.Code {
	f := c.object(n)
	defer f.reportUnread()
	f.str("description")
	valid := f.flag("valid")
	alias, _ := f.strOr("dtype_alias")
	code, err := strconv.ParseUint(f.str("dtype_hex"), 0, 8)
	if err != nil {
		c.problemf(n, "%q is not an element type", f.str("dtype_hex"))
	}
	padding, _ := f.integerOr("padding")
	items, hasVector := f.listOr("vector")
	numbers := make([]jen.Code, len(items))
	for i, item := range items {
		numbers[i] = c.number(item)
	}
	dtype := vectorType(byte(code), alias)
	key := jen.Lit(c.file.Root.Get("test_key").Text)
	var body []jen.Code
	if valid {
		if !hasVector {
			c.problemf(n, "a valid case has no vector")
		}
		v := helper("vector", "Of").Call(append([]jen.Code{dtype, jen.Lit(int(padding))}, numbers...)...)
		return append(body,
			jen.Id("v").Op(":=").Add(v),
			call("v", "EncodesTo", jen.Id("t"), key, f.hex("canonical_bson")),
			call("v", "DecodesFrom", jen.Id("t"), key, f.hex("canonical_bson")))
	}
	if hasVector {
		v := helper("vector", "Of").Call(append([]jen.Code{dtype, jen.Lit(int(padding))}, numbers...)...)
		body = append(body, v.Dot("DoesNotEncode").Call(jen.Id("t")))
	}
	if f.value("canonical_bson") != nil {
		body = append(body, helper("vector", "DoesNotDecode").Call(jen.Id("t"), key, f.hex("canonical_bson")))
	}
	if len(body) == 0 {
		c.problemf(n, "an invalid case has neither a vector nor BSON")
	}
	return body
}

// vectorType is the constant of a type of elements. A code without a constant becomes a number, because the case tests
// that code.
func vectorType(code byte, alias string) jen.Code {
	switch code {
	case 0x03:
		return module("bson", "VectorInt8")
	case 0x10:
		return module("bson", "VectorPackedBit")
	case 0x27:
		return module("bson", "VectorFloat32")
	}
	return module("bson", "VectorType").Call(jen.Id("0x" + strconv.FormatUint(uint64(code), 16)))
}

// number is an element of a vector: a number, or a double that plain JSON cannot spell.
func (c *compiler) number(n *source.Node) jen.Code {
	if n.Has("$numberLong") {
		return jen.Float64().Call(c.double(n, "vector"))
	}
	if n.Kind == source.Object {
		return c.double(n, "vector")
	}
	if !c.kind(n, "vector", source.Number) {
		return jen.Null()
	}
	if !n.IsInteger() { // Go's -0.0 has no sign
		return c.double(n, "vector")
	}
	return jen.Id(n.Text)
}
