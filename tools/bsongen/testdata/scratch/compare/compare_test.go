// Package compare checks that the methods of package shop, which are generated, do what package bson does with the same
// structs of package plain, which has none.
package compare

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"

	"example.com/scratch/plain"
	"example.com/scratch/shop"
)

var pairs = []struct {
	name  string
	shop  func() any
	plain func() any
}{
	{"Order", func() any { return new(shop.Order) }, func() any { return new(plain.Order) }},
	{"Tree", func() any { return new(shop.Tree) }, func() any { return new(plain.Tree) }},
	{"Page of items", func() any { return new(shop.Page[shop.Item]) }, func() any { return new(plain.Page[plain.Item]) }},
	{"Page of strings", func() any { return new(shop.Page[string]) }, func() any { return new(plain.Page[string]) }},
	{"Bag", func() any { return new(shop.Bag) }, func() any { return new(plain.Bag) }},
	{"Shelf", func() any { return new(shop.Shelf) }, func() any { return new(plain.Shelf) }},
	{"Outer", func() any { return new(shop.Outer) }, func() any { return new(plain.Outer) }},
}

func TestOnlyShopHasMethods(t *testing.T) {
	for _, p := range pairs {
		if _, ok := p.shop().(bson.DocumentAppender); !ok {
			t.Errorf("%s has no AppendBSON", p.name)
		}
		if _, ok := p.plain().(bson.DocumentAppender); ok {
			t.Errorf("%s has AppendBSON in package plain", p.name)
		}
	}
}

func TestSameBytes(t *testing.T) {
	for _, p := range pairs {
		t.Run(p.name, func(t *testing.T) {
			for seed := range uint64(500) {
				a, b := p.shop(), p.plain()
				fill(rand.New(rand.NewPCG(seed, 1)), reflect.ValueOf(a).Elem(), 0)
				fill(rand.New(rand.NewPCG(seed, 1)), reflect.ValueOf(b).Elem(), 0)
				want, err := bson.Marshal(b)
				if err != nil {
					t.Fatalf("seed %d: reflection: %v", seed, err)
				}
				got, err := bson.Marshal(a)
				if err != nil || !bytes.Equal(got, want) {
					t.Fatalf("seed %d: %v\ngot  %s\nwant %s", seed, err, got, want)
				}
				decode(t, seed, p.shop(), p.plain(), want)
				mutated := bytes.Clone(want)
				r := rand.New(rand.NewPCG(seed, 2))
				for range 20 {
					mutated[4+r.IntN(len(mutated)-4)] = byte(r.IntN(256))
					decode(t, seed, p.shop(), p.plain(), mutated)
				}
			}
		})
	}
}

// decode decodes doc into a and b and compares what comes out. Both must fail or succeed.
func decode(t *testing.T, seed uint64, a, b any, doc []byte) {
	t.Helper()
	errB := bson.Unmarshal(doc, b)
	errA := bson.Unmarshal(doc, a)
	if (errA == nil) != (errB == nil) {
		t.Fatalf("seed %d: generated: %v, reflection: %v\n%x", seed, errA, errB, doc)
	}
	if errA != nil {
		if path(errA) != path(errB) {
			t.Fatalf("seed %d: generated: %v, reflection: %v", seed, errA, errB)
		}
		return
	}
	outB, errB := bson.Marshal(b)
	outA, errA := bson.Marshal(a)
	if (errA == nil) != (errB == nil) || errA == nil && !same(outA, outB) {
		t.Fatalf("seed %d: %v, %v\ngenerated  %s\nreflection %s", seed, errA, errB, bson.Raw(outA), bson.Raw(outB))
	}
}

// same compares documents whose maps may have been written in different orders.
func same(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y bson.M
	return bson.Unmarshal(a, &x) == nil && bson.Unmarshal(b, &y) == nil && len(a) == len(b)
}

func path(err error) string {
	if e, ok := err.(*bson.DecodeError); ok {
		return e.Path
	}
	return ""
}

func TestFieldErrors(t *testing.T) {
	for _, p := range pairs[:1] {
		for _, doc := range []bson.D{
			{{Key: "int8", Value: 300}},
			{{Key: "items", Value: bson.A{bson.D{{Key: "price", Value: "x"}}}}},
			{{Key: "byname", Value: bson.D{{Key: "k", Value: bson.D{{Key: "qty", Value: 1.5}}}}}},
			{{Key: "tree", Value: bson.D{{Key: "left", Value: bson.D{{Key: "name", Value: 1}}}}}},
			{{Key: "money", Value: "x"}},
			{{Key: "matrix", Value: bson.A{1}}},
		} {
			raw, err := bson.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			errA, errB := bson.Unmarshal(raw, p.shop()), bson.Unmarshal(raw, p.plain())
			a := strings.ReplaceAll(errString(errA), "shop.", "plain.")
			if errA == nil || a != errString(errB) {
				t.Errorf("%v: generated: %v, reflection: %v", doc, errA, errB)
			}
		}
	}
	if _, err := bson.Marshal(&shop.Tree{Children: []*shop.Tree{{Name: "\xff"}}}); err == nil ||
		!strings.Contains(err.Error(), "children.0.name") {
		t.Errorf("encoding error: %v", err)
	}
}

func TestInlinedMapMustNotHideFields(t *testing.T) {
	_, a := bson.Marshal(&shop.Bag{Rest: map[string]any{"name": 1}})
	_, b := bson.Marshal(&plain.Bag{Rest: map[string]any{"name": 1}})
	if a == nil || b == nil || path(a) != path(b) {
		t.Errorf("generated: %v, reflection: %v", a, b)
	}
}

func errString(err error) string {
	if err == nil {
		return ""
	}
	text, _, _ := strings.Cut(err.Error(), " (at byte")
	return text
}

func TestDepthIsLimited(t *testing.T) {
	loop := &shop.Tree{}
	loop.Left = loop
	if _, err := bson.Marshal(loop); err == nil {
		t.Error("a tree that contains itself encodes")
	}
	doc := bson.Raw{5, 0, 0, 0, 0}
	for range 5000 {
		dst, start := bson.AppendDocumentStart(nil)
		doc = bson.AppendDocumentEnd(bson.AppendDocumentElement(dst, "left", doc), start)
	}
	if err := new(shop.Tree).DecodeBSON(doc); err == nil {
		t.Error("a document of 5000 levels decodes")
	}
}

func TestAppendAllocatesNothing(t *testing.T) {
	items := make([]shop.Item, 5)
	page := shop.Address{Street: "s", City: "c", Geo: []float64{1, 2}}
	buf := make([]byte, 0, 1<<10)
	n := testing.AllocsPerRun(100, func() {
		for i := range items {
			buf, _ = items[i].AppendBSON(buf[:0])
		}
		buf, _ = page.AppendBSON(buf[:0])
	})
	if n != 0 {
		t.Errorf("appending allocates %v times", n)
	}
}

// fill sets v to a random value. The same seed gives structs of the same shape the same values. Maps get one element at
// most, so that their order is known.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.UnixMilli(r.Int64N(1e13))))
		return
	case bson.Decimal128:
		v.Set(reflect.ValueOf(bson.NewDecimal128(0x3040<<48, r.Uint64())))
		return
	case bson.D:
		v.Set(reflect.ValueOf(bson.D{{Key: "k", Value: int32(r.IntN(9))}}))
		return
	case bson.Binary:
		v.Set(reflect.ValueOf(bson.Binary{Subtype: 0x80, Data: []byte{byte(r.IntN(256))}}))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int64() >> r.IntN(64) >> (64 - v.Type().Bits()))
		if v.Type().Name() == "Money" || v.Type().Name() == "Level" {
			v.SetInt(int64(r.IntN(100)))
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.Uint64() >> 1 >> r.IntN(63) >> (64 - v.Type().Bits()))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(float32([]float64{0, 1, -1.5, r.NormFloat64()}[r.IntN(4)])))
	case reflect.String:
		v.SetString([]string{"", "a", "é", "some text"}[r.IntN(4)])
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf([]any{int32(1), "x", 2.5}[r.IntN(3)]))
		}
	case reflect.Pointer:
		if v.Type().Elem().PkgPath() != "math/big" && r.IntN(2) == 0 && depth < 6 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if n := r.IntN(4) - 1; n >= 0 && depth < 6 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fill(r, v.Index(i), depth+1)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i), depth+1)
		}
	case reflect.Map:
		if n := r.IntN(3) - 1; n >= 0 && depth < 6 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				fill(r, key, depth+1)
				fill(r, elem, depth+1)
				v.SetMapIndex(key, elem)
			}
		}
	case reflect.Struct:
		if v.Type().Name() == "Money" {
			v.Field(0).SetInt(int64(r.IntN(100)))
			return
		}
		if v.Type().PkgPath() == "net/url" {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(r, v.Field(i), depth+1)
			}
		}
	}
}
