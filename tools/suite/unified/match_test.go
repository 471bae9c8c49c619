package unified

import (
	"testing"

	"github.com/specdrivers/onion/bson"
)

// TestMatches follows Unified Test Format, "Evaluating Matches", rule by rule.
func TestMatches(t *testing.T) {
	saved := &Value{value: raw(bson.Doc("a", int32(1), "b", bson.A{"x"}))}
	for _, tt := range []struct {
		name      string
		want, got any
		root      bool
		matches   bool
	}{
		{"an equal text", "a", "a", false, true},
		{"another text", "a", "b", false, false},
		{"another type", "1", int32(1), false, false},
		{"numbers by what they are worth", int32(1), 1.0, false, true},
		{"long and int", int64(1), int32(1), false, true},
		{"another number", int32(1), 1.5, false, false},
		{"a decimal is no other number", int32(1), decimal(t, "1"), false, false},
		{"equal decimals", decimal(t, "1.0"), decimal(t, "1.0"), false, true},
		{"null", nil, nil, false, true},
		{"null is no field that is missing", bson.Doc("a", nil), bson.Doc("b", 1), true, false},
		{"a root has more fields", bson.Doc("x", 1), bson.Doc("x", 1, "y", 1), true, true},
		{"a document inside has not", bson.Doc("x", bson.Doc("y", 1)), bson.Doc("x", bson.Doc("y", 1, "z", 1)), true, false},
		{"a root lacks a field", bson.Doc("x", 1, "y", 1), bson.Doc("x", 1), true, false},
		{"the order of fields does not count", bson.Doc("x", 1, "y", 1), bson.Doc("y", 1, "x", 1), false, true},
		{"a document is no text", bson.Doc("x", 1), "x", true, false},
		{"arrays have as many elements", bson.A{1, 2}, bson.A{1, 2, 3}, false, false},
		{"the order of elements counts", bson.A{1, 2}, bson.A{2, 1}, false, false},
		{"elements are no roots", bson.A{bson.Doc("x", 1)}, bson.A{bson.Doc("x", 1, "y", 1)}, false, false},
		{"a scope in another order", bson.CodeWithScope{Code: "f", Scope: bson.Doc("a", 1, "b", 2)},
			bson.CodeWithScope{Code: "f", Scope: bson.Doc("b", 2, "a", 1)}, false, true},
		{"a scope with a number of another type", bson.CodeWithScope{Code: "f", Scope: bson.Doc("a", int32(1))},
			bson.CodeWithScope{Code: "f", Scope: bson.Doc("a", 1.0)}, false, false},
		{"a scope with more", bson.CodeWithScope{Code: "f", Scope: bson.Doc("a", 1)},
			bson.CodeWithScope{Code: "f", Scope: bson.Doc("b", 2, "a", 1)}, false, false},
		{"$$exists with null", bson.Doc("a", Exists(true)), bson.Doc("a", nil), true, true},
		{"$$exists without the field", bson.Doc("a", Exists(true)), bson.Doc("b", 1), true, false},
		{"$$exists false", bson.Doc("a", Exists(false)), bson.Doc("b", 1), true, true},
		{"$$exists false with the field", bson.Doc("a", Exists(false)), bson.Doc("a", nil), true, false},
		{"$$type", Type("int"), int32(1), false, true},
		{"$$type of several", Type("int", "long"), int64(1), false, true},
		{"$$type number", Type("number"), 1.5, false, true},
		{"$$type of an array does not look inside", Type("int"), bson.A{int32(1)}, false, false},
		{"$$type by number", Type("16"), int32(1), false, true},
		{"$$type wants a value", bson.Doc("a", Type("int")), bson.Doc("b", 1), true, false},
		{"$$matchesEntity", Equals(saved), bson.Doc("b", bson.A{"x"}, "a", 1.0), false, true},
		{"$$matchesEntity, not the root, has no more fields", Equals(saved), bson.Doc("a", 1, "b", bson.A{"x"}, "c", 1), false, false},
		{"$$matchesEntity at the root may", Equals(saved), bson.Doc("a", 1, "b", bson.A{"x"}, "c", 1), true, true},
		{"$$matchesHexBytes", HexBytes("6162"), "ab", false, true},
		{"$$matchesHexBytes in capitals", HexBytes("4A"), "J", false, true},
		{"$$matchesHexBytes of nothing", HexBytes(""), "", false, true},
		{"$$matchesHexBytes of other bytes", HexBytes("6162"), "ac", false, false},
		{"$$matchesHexBytes of no text", HexBytes("00"), int32(0), false, false},
		{"$$unsetOrMatches without the field", bson.Doc("a", UnsetOr(1)), bson.Doc("b", 1), true, true},
		{"$$unsetOrMatches with it", bson.Doc("a", UnsetOr(Type("string"))), bson.Doc("a", "x"), true, true},
		{"$$unsetOrMatches with another", bson.Doc("a", UnsetOr(1)), bson.Doc("a", 2), true, false},
		{"$$unsetOrMatches of a result that is null", UnsetOr(bson.Doc("a", 1)), nil, true, true},
		{"$$unsetOrMatches of a field that is null", bson.Doc("a", UnsetOr(1)), bson.Doc("a", nil), true, false},
		{"$$unsetOrMatches keeps the root", UnsetOr(bson.Doc("a", 1)), bson.Doc("a", 1, "b", 1), true, true},
		{"$$lte", AtMost(5), 5.0, false, true},
		{"$$lte of more", AtMost(5), 5.1, false, false},
		{"$$lte of no number", AtMost(5), "1", false, false},
		{"$$matchAsDocument", AsDocument(bson.Doc("a", 1)), `{"a": {"$numberLong": "1"}}`, false, true},
		{"$$matchAsDocument is no root", AsDocument(bson.Doc("a", 1)), `{"a": 1, "b": 1}`, true, false},
		{"$$matchAsDocument with $$matchAsRoot", AsDocument(AsRoot(bson.Doc("a", 1))), `{"a": 1, "b": 1}`, false, true},
		{"$$matchAsDocument of no document", AsDocument(bson.Doc("a", 1)), `{`, false, false},
		{"$$matchAsRoot", bson.Doc("x", AsRoot(bson.Doc("a", 1))), bson.Doc("x", bson.Doc("a", 1, "b", 1)), true, true},
		{"$$matchAsRoot of another", bson.Doc("x", AsRoot(bson.Doc("a", 1))), bson.Doc("x", bson.Doc("b", 1)), true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := tt.got.(bson.RawValue)
			if !ok {
				got = raw(tt.got)
			}
			if err := (matcher{}).match(tt.want, got, tt.root, ""); (err == nil) != tt.matches {
				t.Errorf("it matches: %v (%v), want %v", err == nil, err, tt.matches)
			}
		})
	}
}

// TestExactly checks that the contents of a collection must match in type and value. Unified Test Format, "Executing a Test".
func TestExactly(t *testing.T) {
	for _, tt := range []struct {
		name      string
		want, got any
		matches   bool
	}{
		{"the same", bson.Doc("a", int32(1), "b", bson.A{1.5}), bson.Doc("a", int32(1), "b", bson.A{1.5}), true},
		{"the order of fields does not count", bson.Doc("x", 1, "y", 1), bson.Doc("y", 1, "x", 1), true},
		{"another type of number", bson.Doc("a", int32(1)), bson.Doc("a", int64(1)), false},
		{"inside an array", bson.Doc("a", bson.A{bson.Doc("b", int32(1))}), bson.Doc("a", bson.A{bson.Doc("b", 1.0)}), false},
		{"a field more", bson.Doc("a", 1), bson.Doc("a", 1, "b", 1), false},
		{"a field less", bson.Doc("a", 1, "b", 1), bson.Doc("a", 1), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := matchExactly(tt.want, raw(tt.got)); (err == nil) != tt.matches {
				t.Errorf("it matches: %v (%v), want %v", err == nil, err, tt.matches)
			}
		})
	}
}

func decimal(t *testing.T, text string) bson.Decimal128 {
	t.Helper()
	d, err := bson.ParseDecimal128(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestRowsAreRoots checks that documents that an operation lists match like root documents, and documents inside a value do not. Unified Test Format,
// "Allowing Extra Fields in Root-level Documents".
func TestRowsAreRoots(t *testing.T) {
	want, got := bson.A{bson.Doc("x", 1)}, raw(bson.A{bson.Doc("x", 1, "y", 1)})
	if err := (matcher{rows: true}).match(want, got, false, ""); err != nil {
		t.Error(err)
	}
	if (matcher{}).match(want, got, false, "") == nil {
		t.Error("a value's document has more fields than expected")
	}
}
