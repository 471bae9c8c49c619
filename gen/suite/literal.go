package suite

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
)

// literals prints extended JSON as Go that yields the same value.
type literals struct {
	exact bool // int32 spelled out, because the value is compared and not only marshaled
	// operator prints an object whose one key starts with two dollars; nil when there are no operators.
	operator func(n *source.Node) (code jen.Code, ok bool)
}

// document prints an object as a bson.D, whatever its keys are.
func (l literals) document(n *source.Node) (jen.Code, bool) {
	if len(n.Members) == 0 {
		return module("bson", "D").Values(), true
	}
	args := make([]jen.Code, 0, 2*len(n.Members))
	short := true
	for _, m := range n.Members {
		v, ok := l.value(m.Value)
		if !ok {
			return nil, false
		}
		args = append(args, text(m.Key), v)
		short = short && len(m.Value.Members) < 2 && len(m.Value.Items) < 4
	}
	if short && len(n.Members) <= 4 {
		return module("bson", "Doc").Call(args...), true
	}
	pairs := make([]jen.Code, 0, len(n.Members))
	for i := 0; i < len(args); i += 2 {
		pairs = append(pairs, jen.List(args[i], args[i+1]))
	}
	return lines(module("bson", "Doc"), pairs...), true
}

func (l literals) value(n *source.Node) (jen.Code, bool) {
	switch n.Kind {
	case source.Null:
		return jen.Nil(), true
	case source.Bool:
		return jen.Lit(n.Text == "true"), true
	case source.String:
		return text(n.Text), true
	case source.Number:
		return l.plainNumber(n)
	case source.Array:
		items := make([]jen.Code, len(n.Items))
		for i, item := range n.Items {
			v, ok := l.value(item)
			if !ok {
				return nil, false
			}
			items[i] = v
		}
		return module("bson", "A").Values(items...), true
	}
	if l.operator != nil && len(n.Members) == 1 && strings.HasPrefix(n.Members[0].Key, "$$") {
		return l.operator(n)
	}
	if code, known, ok := l.wrapper(n); known {
		return code, ok
	}
	return l.document(n)
}

// plainNumber follows the relaxed format: the smallest integer type that holds an integer, a double for anything else.
func (l literals) plainNumber(n *source.Node) (jen.Code, bool) {
	if !n.IsInteger() {
		return l.double(n.Text)
	}
	v, err := strconv.ParseInt(n.Text, 10, 64)
	switch {
	case err != nil:
		return l.double(n.Text)
	case v < math.MinInt32 || v > math.MaxInt32:
		return jen.Int64().Call(jen.Id(n.Text)), true
	}
	return l.int32(v), true
}

func (l literals) int32(v int64) jen.Code {
	number := jen.Id(strconv.FormatInt(v, 10))
	if l.exact {
		return jen.Int32().Call(number)
	}
	return number
}

func (l literals) double(text string) (jen.Code, bool) {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case text == "NaN":
		return jen.Qual("math", "NaN").Call(), true
	case text == "Infinity":
		return jen.Qual("math", "Inf").Call(jen.Lit(1)), true
	case text == "-Infinity":
		return jen.Qual("math", "Inf").Call(jen.Lit(-1)), true
	case err != nil:
		return nil, false
	case v == 0 && math.Signbit(v):
		return jen.Qual("math", "Copysign").Call(jen.Lit(0), jen.Lit(-1)), true
	}
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return jen.Id(s), true
}

// wrapper prints an object that represents a value of another type. known is false for a document that merely looks
// unusual, such as a DBRef.
func (l literals) wrapper(n *source.Node) (code jen.Code, known, ok bool) {
	if len(n.Members) == 0 || !strings.HasPrefix(n.Members[0].Key, "$") {
		return nil, false, false
	}
	first := n.Members[0].Value
	if len(n.Members) == 2 && n.Has("$code") && n.Has("$scope") {
		scope, ok := l.value(n.Get("$scope"))
		return module("bson", "CodeWithScope").Values(field("Code", text(n.Get("$code").Text)), field("Scope", scope)), true, ok
	}
	if len(n.Members) != 1 {
		return nil, false, false
	}
	switch n.Members[0].Key {
	case "$numberInt":
		v, err := strconv.ParseInt(first.Text, 10, 32)
		return l.int32(v), true, err == nil
	case "$numberLong":
		_, err := strconv.ParseInt(first.Text, 10, 64)
		return jen.Int64().Call(jen.Id(first.Text)), true, err == nil
	case "$numberDouble":
		code, ok = l.double(first.Text)
		return code, true, ok
	case "$numberDecimal":
		return module(helpers, "Decimal").Call(text(first.Text)), true, true
	case "$oid":
		_, err := hex.DecodeString(first.Text)
		return module(helpers, "ObjectID").Call(text(first.Text)), true, err == nil
	case "$symbol":
		return module("bson", "Symbol").Call(text(first.Text)), true, true
	case "$code":
		return module("bson", "JavaScript").Call(text(first.Text)), true, true
	case "$uuid":
		return module(helpers, "UUID").Call(text(first.Text)), true, true
	case "$minKey":
		return module("bson", "MinKey").Values(), true, true
	case "$maxKey":
		return module("bson", "MaxKey").Values(), true, true
	case "$undefined":
		return module("bson", "Undefined").Values(), true, true
	}
	return l.objectWrapper(n.Members[0])
}

// objectWrapper prints the types whose single key holds an object.
func (l literals) objectWrapper(m source.Member) (code jen.Code, known, ok bool) {
	v := m.Value
	switch m.Key {
	case "$date":
		return l.date(v)
	case "$timestamp":
		t, i := v.Get("t"), v.Get("i")
		if t == nil || i == nil {
			return nil, true, false
		}
		return module("bson", "Timestamp").Values(field("T", jen.Id(t.Text)), field("I", jen.Id(i.Text))), true, true
	case "$regularExpression":
		p, o := v.Get("pattern"), v.Get("options")
		if p == nil || o == nil {
			return nil, true, false
		}
		return module("bson", "Regex").Values(field("Pattern", text(p.Text)), field("Options", text(o.Text))), true, true
	case "$binary":
		data, subtype := v.Get("base64"), v.Get("subType")
		if data == nil || subtype == nil {
			return nil, true, false
		}
		code, err := strconv.ParseUint(subtype.Text, 16, 8)
		if _, bad := base64.StdEncoding.DecodeString(data.Text); bad != nil || err != nil {
			return nil, true, false
		}
		return module(helpers, "Binary").Call(jen.Id("0x"+strconv.FormatUint(code, 16)), text(data.Text)), true, true
	case "$dbPointer":
		ref, id := v.Get("$ref"), v.Get("$id")
		if ref == nil || id == nil || id.Get("$oid") == nil {
			return nil, true, false
		}
		pointer := module(helpers, "ObjectID").Call(text(id.Get("$oid").Text))
		return module("bson", "DBPointer").Values(field("DB", text(ref.Text)), field("Pointer", pointer)), true, true
	}
	return nil, false, false
}

func (l literals) date(v *source.Node) (code jen.Code, known, ok bool) {
	ms, err := int64(0), error(nil)
	if n := v.Get("$numberLong"); n != nil {
		ms, err = strconv.ParseInt(n.Text, 10, 64)
	} else {
		var at time.Time
		at, err = time.Parse(time.RFC3339Nano, v.Text)
		ms = at.UnixMilli()
	}
	return module("bson", "DateTime").Call(jen.Id(strconv.FormatInt(ms, 10))), true, err == nil
}
