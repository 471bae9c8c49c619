package bson_test

import (
	"math/big"
	"net/netip"
	"regexp"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// TestDecodeEmptyDocumentIntoOpaqueTypes reads what other drivers store for types without exported fields: an empty
// document, which can only be the zero value.
func TestDecodeEmptyDocumentIntoOpaqueTypes(t *testing.T) {
	type opaque struct {
		Int    big.Int
		Float  big.Float
		Rat    big.Rat
		Addr   netip.Addr
		Prefix netip.Prefix
		Match  regexp.Regexp
		Ptr    *big.Int
		List   []*big.Rat
		Map    map[string]big.Float
	}
	empty := bson.D{}
	data, err := bson.Marshal(bson.D{
		{Key: "int", Value: empty}, {Key: "float", Value: empty}, {Key: "rat", Value: empty}, {Key: "addr", Value: empty},
		{Key: "prefix", Value: empty}, {Key: "match", Value: empty}, {Key: "ptr", Value: empty},
		{Key: "list", Value: bson.A{empty}}, {Key: "map", Value: bson.D{{Key: "a", Value: empty}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	v := opaque{Int: *big.NewInt(7), Float: *big.NewFloat(7), Rat: *big.NewRat(7, 2), Addr: netip.MustParseAddr("::1")}
	if err := bson.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if v.Int.Sign() != 0 || v.Float.Sign() != 0 || v.Rat.Sign() != 0 || v.Addr.IsValid() || v.Prefix.IsValid() ||
		v.Ptr == nil || v.Ptr.Sign() != 0 || len(v.List) != 1 || v.List[0].Sign() != 0 || len(v.Map) != 1 {
		t.Errorf("the values are not zero: %v", v)
	}
	full, err := bson.Marshal(bson.D{{Key: "int", Value: bson.D{{Key: "a", Value: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := bson.Unmarshal(full, &v); err == nil {
		t.Error("a document with fields becomes a big.Int")
	}
}
