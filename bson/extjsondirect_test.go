package bson

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// compareTexts compares MarshalExtJSON's direct conversion with the one through BSON.
func compareTexts(t *testing.T, v any) {
	t.Helper()
	for _, canonical := range []bool{true, false} {
		got, err := MarshalExtJSON(v, canonical)
		want, wantErr := marshalExtJSON(new([]byte), v, canonical, nil)
		if !bytes.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%#v:\n%s, %v, but through BSON\n%s, %v", v, got, err, want, wantErr)
		}
	}
}

func TestExtJSONDirect(t *testing.T) {
	nest := func(levels int, around func(any) any) (v any) {
		for range levels {
			v = around(v)
		}
		return v
	}
	inD := func(v any) any { return D{{Key: "k", Value: v}} }
	one := 1 // shifted constants would not fit into an int of 32 bits
	tests := map[string]any{
		"nil D": D(nil), "nil M": M(nil), "nil A": A(nil), "nil *D": (*D)(nil), "empty D": D{}, "empty M": M{}, "empty A": A{},
		"*D": &D{{Key: "a", Value: 1}}, "in M": M{"a": M{"b": A{M(nil), D(nil), A(nil)}}},
		"ints":              A{1, -1, one << 31, -1 << 31, 1<<31 - 1, math.MaxInt, int32(-7), int64(7), int8(1), uint64(1 << 40)},
		"uint64 too large":  D{{Key: "u", Value: ^uint64(0)}},
		"invalid text":      D{{Key: "a", Value: D{{Key: "b", Value: "\xff"}}}},
		"invalid key":       D{{Key: "a\xff", Value: 1}},
		"zero byte in key":  D{{Key: "first", Value: "\xff\x00"}, {Key: "a\x00", Value: 1}},
		"zero bytes":        D{{Key: "a\n", Value: "\x00"}, {Key: "b", Value: A{"\x00\x1f"}}},
		"zero key in M":     M{"a\x00b": 1},
		"no such type":      D{{Key: "a", Value: A{1, D{{Key: "c", Value: make(chan int)}}}}},
		"odd Doc":           Doc("a", 1, "b"),
		"wrong Raw":         D{{Key: "r", Value: Raw{5, 0, 0, 0, 1}}},
		"wrong RawValue":    D{{Key: "r", Value: RawValue{Type: 0x10, Value: []byte{1}}}},
		"wrong text in Raw": D{{Key: "r", Value: Raw("\x0d\x00\x00\x00\x02a\x00\x02\x00\x00\x00\xff\x00\x00")}},
		"wrong bool in Raw": D{{Key: "r", Value: Raw("\x09\x00\x00\x00\x08b\x00\x02\x00")}},
		"time, bytes":       D{{Key: "t", Value: time.UnixMilli(-5)}, {Key: "b", Value: []byte("abc")}, {Key: "n", Value: []byte(nil)}},
		"structs":           D{{Key: "s", Value: sampleOrder()}, {Key: "v", Value: *sampleOrder()}, {Key: "n", Value: (*order)(nil)}},
		"scope":             D{{Key: "c", Value: CodeWithScope{Code: "f", Scope: D{{Key: "x", Value: nest(5, inD)}}}}},
		"other maps":        D{{Key: "m", Value: map[string]int{"a": 1}}, {Key: "n", Value: map[string]any{"b": []any{1}}}},
		"deepest D":         nest(DefaultMaxDepth, inD), "too deep D": nest(DefaultMaxDepth+1, inD),
		"deepest A": nest(DefaultMaxDepth, func(v any) any { return A{v} }), "too deep A": nest(DefaultMaxDepth+1, func(v any) any { return A{v} }),
		"deepest M": nest(DefaultMaxDepth, func(v any) any { return M{"m": v} }), "too deep M": nest(DefaultMaxDepth+1, func(v any) any { return M{"m": v} }),
		"deepest Raw": nest(DefaultMaxDepth-1, func(v any) any {
			if v == nil {
				v = Raw("\x05\x00\x00\x00\x00")
			}
			return D{{Key: "k", Value: v}}
		}),
		"too deep Raw":    nest(DefaultMaxDepth-3, func(v any) any { return D{{Key: "k", Value: valueOr(v, nestDocuments(5, "k"))}} }),
		"too deep struct": nest(DefaultMaxDepth, func(v any) any { return D{{Key: "k", Value: valueOr(v, sampleOrder())}} }),
		"long":            D{{Key: strings.Repeat("k", 999), Value: strings.Repeat("text é \"", 999)}},
	}
	for name, v := range tests {
		t.Run(name, func(t *testing.T) { compareTexts(t, v) })
	}
}

// valueOr returns v, or other if v is nil.
func valueOr(v, other any) any {
	if v == nil {
		return other
	}
	return v
}

func TestExtJSONDirectAtRandom(t *testing.T) {
	for seed := range uint64(300) {
		d := randomDocument(rand.New(rand.NewPCG(seed, 21)), 3)
		compareTexts(t, d)
		compareTexts(t, A{d, M{"one": d}})
	}
}

// FuzzExtJSONDirect decodes documents, including invalid UTF-8, and compares both ways of writing them.
func FuzzExtJSONDirect(f *testing.F) {
	for seed := range uint64(20) {
		f.Add([]byte(mustMarshal(f, randomDocument(rand.New(rand.NewPCG(seed, 22)), 2))))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var d D
		if Unmarshal(data, &d, &UnmarshalOptions{AllowInvalidUTF8: true}) == nil {
			compareTexts(t, d)
			compareTexts(t, &d)
		}
	})
}
