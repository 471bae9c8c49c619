package interop

import (
	"bytes"
	"cmp"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// matches reports whether a document meets a query according to MongoDB's manual. It models what the generator makes,
// for steps on which the servers disagree.
func matches(doc bson.D, query bson.D) bool {
	for _, e := range query {
		switch e.Key {
		case "$and", "$or", "$nor":
			met := 0
			for _, clause := range e.Value.(bson.A) {
				if matches(doc, clause.(bson.D)) {
					met++
				}
			}
			if e.Key == "$and" && met < len(e.Value.(bson.A)) || e.Key == "$or" && met == 0 || e.Key == "$nor" && met > 0 {
				return false
			}
		default:
			if !meets(doc, strings.Split(e.Key, "."), e.Value) {
				return false
			}
		}
	}
	return true
}

// meets applies the conditions on one path.
func meets(doc bson.D, path []string, condition any) bool {
	operators, ok := condition.(bson.D)
	if !ok || len(operators) == 0 || !strings.HasPrefix(operators[0].Key, "$") {
		return operate(doc, path, "$eq", condition, nil)
	}
	for _, e := range operators {
		if e.Key != "$options" && !operate(doc, path, e.Key, e.Value, operators) {
			return false
		}
	}
	return true
}

func operate(doc bson.D, path []string, operator string, operand any, all bson.D) bool {
	some := func(test func(foundValue) bool) bool { return slices.ContainsFunc(reach(doc, path, true), test) }
	switch operator {
	case "$ne":
		return !operate(doc, path, "$eq", operand, nil)
	case "$nin":
		return !operate(doc, path, "$in", operand, nil)
	case "$not":
		return !meets(doc, path, operand)
	case "$in":
		return slices.ContainsFunc(operand.(bson.A), func(v any) bool { return operate(doc, path, "$eq", v, nil) })
	case "$all":
		list := operand.(bson.A)
		return len(list) > 0 && !slices.ContainsFunc(list, func(v any) bool { return !operate(doc, path, "$eq", v, nil) })
	case "$exists":
		return isTruthy(operand) == some(func(f foundValue) bool { return !f.missing })
	case "$size", "$elemMatch":
		return slices.ContainsFunc(reach(doc, path, false), func(f foundValue) bool { return holds(f.value, operator, operand) })
	}
	return some(func(f foundValue) bool { return compares(f, operator, operand, all) })
}

// holds applies the operators that concern an array as a whole.
func holds(v any, operator string, operand any) bool {
	array, ok := v.(bson.A)
	if !ok {
		return false
	}
	if operator == "$size" {
		return float64(len(array)) == toNumber(operand)
	}
	query := operand.(bson.D)
	return slices.ContainsFunc(array, func(element any) bool {
		if len(query) > 0 && strings.HasPrefix(query[0].Key, "$") {
			return meets(bson.Doc("element", element), []string{"element"}, query)
		}
		doc, ok := element.(bson.D)
		return ok && matches(doc, query)
	})
}

// compares applies an operator to one value that a path reaches.
func compares(f foundValue, operator string, operand any, all bson.D) bool {
	switch operator {
	case "$type":
		kinds, ok := operand.(bson.A)
		if !ok {
			kinds = bson.A{operand}
		}
		return !f.missing && slices.ContainsFunc(kinds, func(kind any) bool { return isType(f.value, kind) })
	case "$regex":
		s, ok := f.value.(string)
		options, _ := field(all, "$options").(string)
		if options != "" {
			options = "(?" + options + ")"
		}
		return ok && regexp.MustCompile(options+operand.(string)).MatchString(s)
	case "$mod":
		pair := operand.(bson.A)
		n := toNumber(f.value)
		return !math.IsNaN(n) && int64(n)%int64(toNumber(pair[0])) == int64(toNumber(pair[1]))
	case "$bitsAllSet", "$bitsAnySet", "$bitsAllClear", "$bitsAnyClear":
		if data, ok := f.value.(bson.Binary); ok {
			var n int64
			for i, b := range data.Data[:min(8, len(data.Data))] {
				n |= int64(b) << (8 * i)
			}
			return hasBits(n, operator, mask(operand))
		}
		n := toNumber(f.value)
		return n == math.Trunc(n) && hasBits(int64(n), operator, mask(operand))
	}
	if f.missing || typeClass(f.value) == typeClass(nil) || typeClass(operand) == typeClass(nil) {
		null := (f.missing || f.value == nil) && operand == nil
		return null && (operator == "$eq" || operator == "$gte" || operator == "$lte")
	}
	if typeClass(f.value) != typeClass(operand) {
		return false
	}
	c := compareValues(f.value, operand)
	switch operator {
	case "$eq":
		return c == 0
	case "$gt":
		return c > 0
	case "$gte":
		return c >= 0
	case "$lt":
		return c < 0
	case "$lte":
		return c <= 0
	}
	panic("the model does not know " + operator)
}

// isTruthy reports whether a value counts as true where a boolean is expected.
func isTruthy(v any) bool { return v != false && v != nil && toNumber(v) != 0 }

func mask(operand any) int64 {
	positions, ok := operand.(bson.A)
	if !ok {
		return int64(toNumber(operand))
	}
	var m int64
	for _, p := range positions {
		m |= 1 << int(toNumber(p))
	}
	return m
}

func hasBits(n int64, operator string, m int64) bool {
	switch operator {
	case "$bitsAllSet":
		return n&m == m
	case "$bitsAnySet":
		return n&m != 0
	case "$bitsAllClear":
		return n&m == 0
	default:
		return n&m != m
	}
}

// foundValue is a value at the end of a path in a document, or a missing one.
type foundValue struct {
	value   any
	missing bool
}

// reach follows a path. It enters an array on the way, and an array at the end if elements are wanted; then it also
// returns the array itself.
func reach(doc bson.D, path []string, elements bool) []foundValue {
	i := indexOf(doc, path[0])
	if i < 0 {
		return []foundValue{{missing: true}}
	}
	v, rest := doc[i].Value, path[1:]
	array, isArray := v.(bson.A)
	if len(rest) == 0 {
		var out []foundValue
		if isArray && elements {
			for _, element := range array {
				out = append(out, foundValue{value: element})
			}
		}
		return append(out, foundValue{value: v})
	}
	if sub, ok := v.(bson.D); ok {
		return reach(sub, rest, elements)
	}
	if !isArray {
		return []foundValue{{missing: true}}
	}
	var out []foundValue
	for j, element := range array {
		if strconv.Itoa(j) == rest[0] {
			out = append(out, reach(bson.Doc("", element), append([]string{""}, rest[1:]...), elements)...)
		}
		if sub, ok := element.(bson.D); ok {
			out = append(out, reach(sub, rest, elements)...)
		}
	}
	return out
}

// typeClass returns the rank of a value's type in the order of BSON types.
func typeClass(v any) int {
	switch v.(type) {
	case nil:
		return 1
	case int32, int64, float64, int:
		return 2
	case string:
		return 3
	case bson.D:
		return 4
	case bson.A:
		return 5
	case bson.Binary:
		return 6
	case bson.ObjectID:
		return 7
	case bool:
		return 8
	case bson.DateTime:
		return 9
	case bson.Timestamp:
		return 10
	}
	panic("the model does not know " + reflect.TypeOf(v).String())
}

func toNumber(v any) float64 {
	switch v := v.(type) {
	case int32:
		return float64(v)
	case int64:
		return float64(v)
	case int:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

// compareValues compares two values.
func compareValues(a, b any) int {
	if c := cmp.Compare(typeClass(a), typeClass(b)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case nil:
		return 0
	case string:
		return cmp.Compare(a, b.(string))
	case bson.D:
		return slices.CompareFunc(a, b.(bson.D), func(x, y bson.E) int {
			return cmp.Or(cmp.Compare(typeClass(x.Value), typeClass(y.Value)), cmp.Compare(x.Key, y.Key), compareValues(x.Value, y.Value))
		})
	case bson.A:
		return slices.CompareFunc(a, b.(bson.A), compareValues)
	case bson.Binary:
		o := b.(bson.Binary)
		return cmp.Or(cmp.Compare(len(a.Data), len(o.Data)), cmp.Compare(a.Subtype, o.Subtype), bytes.Compare(a.Data, o.Data))
	case bson.ObjectID:
		o := b.(bson.ObjectID)
		return bytes.Compare(a[:], o[:])
	case bool:
		if a == b.(bool) {
			return 0
		} else if a {
			return 1
		}
		return -1
	case bson.DateTime:
		return cmp.Compare(a, b.(bson.DateTime))
	case bson.Timestamp:
		o := b.(bson.Timestamp)
		return cmp.Or(cmp.Compare(a.T, o.T), cmp.Compare(a.I, o.I))
	}
	return cmp.Compare(toNumber(a), toNumber(b))
}

func isType(v, kind any) bool {
	raw, err := bson.Marshal(bson.Doc("v", v))
	if err != nil {
		return false
	}
	is := byte(raw.Lookup("v").Type)
	if name, ok := kind.(string); ok {
		return typeNames[is] == name || name == "number" && typeClass(v) == 2
	}
	return toNumber(kind) == float64(is)
}

// The model agrees with examples of the manual.
func TestQueryModel(t *testing.T) {
	doc := bson.Doc("a", bson.A{int32(1), int32(5)}, "e", bson.A{}, "d", bson.Doc("x", nil), "items", bson.A{bson.Doc("k", int32(1)), bson.Doc("k", int32(2), "q", 1.5)})
	cases := []struct {
		query bson.D
		want  bool
	}{
		{bson.Doc("a", 1), true}, {bson.Doc("a", bson.Doc("$gt", 1, "$lt", 5)), true}, {bson.Doc("a", bson.Doc("$elemMatch", bson.Doc("$gt", 1, "$lt", 5))), false},
		{bson.Doc("a", bson.A{1, 5}), true}, {bson.Doc("a", bson.Doc("$ne", 1)), false}, {bson.Doc("a", bson.Doc("$size", 2)), true}, {bson.Doc("a.0", 1), true}, {bson.Doc("a.0", 5), false},
		{bson.Doc("e.x", nil), false}, {bson.Doc("e", nil), false}, {bson.Doc("missing.x", nil), true}, {bson.Doc("d.x", nil), true}, {bson.Doc("d.x", bson.Doc("$exists", true)), true},
		{bson.Doc("items", bson.Doc("$elemMatch", bson.Doc("$in", bson.A{nil}))), false}, {bson.Doc("d.x", bson.Doc("$gte", nil)), true}, {bson.Doc("d.x", bson.Doc("$gt", nil)), false}, {bson.Doc("items.q", nil), true}, {bson.Doc("items.k", bson.Doc("$nin", bson.A{2})), false},
		{bson.Doc("items", bson.Doc("$elemMatch", bson.Doc("k", 1, "q", 1.5))), false}, {bson.Doc("items.k", 1, "items.q", 1.5), true}, {bson.Doc("items.1.k", 2), true},
		{bson.Doc("a", bson.Doc("$type", "array")), true}, {bson.Doc("a", bson.Doc("$type", "int")), true}, {bson.Doc("a", bson.Doc("$all", bson.A{1, 5})), true}, {bson.Doc("a", bson.Doc("$all", bson.A{})), false},
		{bson.Doc("a", bson.Doc("$not", bson.Doc("$gt", 4))), false}, {bson.Doc("$nor", bson.A{bson.Doc("a", 7)}), true}, {bson.Doc("a", bson.Doc("$mod", bson.A{4, 1})), true}, {bson.Doc("a", "1"), false},
	}
	for _, tc := range cases {
		if got := matches(doc, tc.query); got != tc.want {
			t.Errorf("%s: %t", shellText(tc.query), got)
		}
	}
}
