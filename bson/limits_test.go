package bson

import (
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/bsontype"
)

type nest []nest

func nestOf(levels int) nest {
	var n nest
	for range levels {
		n = nest{n}
	}
	return n
}

// Lists count towards the depth limit as documents do, whatever Go type holds them.
func TestListsCountTowardsTheDepthLimit(t *testing.T) {
	deep := &MarshalOptions{MaxDepth: 20}
	for levels := range 12 {
		raw, err := Marshal(struct{ V nest }{nestOf(levels)}, deep)
		if err != nil {
			t.Fatal(err)
		}
		var wants []bool
		for _, into := range []any{new(struct{ V nest }), new(struct{ V any }), new(D), new(M)} {
			err := Unmarshal(raw, into, &UnmarshalOptions{MaxDepth: 6})
			if err != nil && !errors.Is(err, ErrMaxDepth) {
				t.Errorf("%d levels into %T: %v", levels, into, err)
			}
			wants = append(wants, err == nil)
		}
		for _, got := range wants {
			if got != (levels <= 5) { // and the list inside the innermost is null
				t.Errorf("%d levels are decoded: %v", levels, wants)
				break
			}
		}
	}
	list := any(A{})
	for range DefaultMaxDepth + 5 {
		list = A{list}
	}
	if _, err := Doc("a", list).MarshalJSON(); !errors.Is(err, ErrMaxDepth) {
		t.Errorf("lists as JSON: %.100v", err)
	}
}

// Depth counts nesting, not the number of documents: siblings must not use up the limit.
func TestSiblingDocumentsAddNoDepth(t *testing.T) {
	var beside D
	for range 3 * DefaultMaxDepth {
		beside = append(beside, E{Key: "d", Value: D{{Key: "l", Value: A{D{}}}}})
	}
	raw := mustMarshal(t, beside)
	for _, into := range []any{new(D), new(M), new(any)} {
		if err := Unmarshal(raw, into); err != nil {
			t.Errorf("%T: %v", into, err)
		}
		if err := Unmarshal(raw, into, &UnmarshalOptions{DefaultDocument: DocumentM}); err != nil {
			t.Errorf("%T with M inside: %v", into, err)
		}
	}
	// nor may they raise it: the limit is the same after them as before
	for _, levels := range []int{5, 6} {
		tail := D{{Key: "x", Value: nil}}
		for range levels - 2 {
			tail = D{{Key: "k", Value: tail}}
		}
		raw := mustMarshal(t, append(beside[:10:10], E{Key: "k", Value: tail}))
		for _, into := range []any{new(D), new(M), new(any)} {
			if err := Unmarshal(raw, into, &UnmarshalOptions{MaxDepth: 5}); (err == nil) != (levels <= 5) {
				t.Errorf("%d levels into %T: %v", levels, into, err)
			}
		}
	}
}

// Each of our types that mirrors a BSON type refuses the other BSON types.
func TestOwnTypesRefuseOtherBSONTypes(t *testing.T) {
	into := struct {
		Date DateTime
		Code JavaScript
		Sym  Symbol
		TS   Timestamp
		Dec  Decimal128
		ID   ObjectID
		Re   Regex
		Time time.Time
	}{}
	for i := range reflect.TypeOf(into).NumField() {
		key := strings.ToLower(reflect.TypeOf(into).Field(i).Name)
		err := Unmarshal(mustMarshal(t, Doc(key, true)), &into)
		if _, ok := errors.AsType[*DecodeError](err); !ok || !strings.Contains(err.Error(), "bson: "+key+": cannot store bool") {
			t.Errorf("%s: %v", key, err)
		}
	}
	for _, v := range []any{JavaScript("f"), Symbol("f"), "f"} {
		var got struct {
			Code JavaScript
			Sym  Symbol
		}
		_ = Unmarshal(mustMarshal(t, Doc("code", v)), &got)
		_ = Unmarshal(mustMarshal(t, Doc("sym", v)), &got)
		_, isSymbol := v.(Symbol)
		_, isCode := v.(JavaScript)
		if (got.Code == "f") == isSymbol || (got.Sym == "f") == isCode {
			t.Errorf("%T: %+v", v, got)
		}
	}
}

// Numbers decode into json.Number and big.Float by their value.
func TestNumbersDecodeIntoJSONNumberAndBigFloat(t *testing.T) {
	var got struct {
		N json.Number
		F big.Float
	}
	if err := Unmarshal(mustMarshal(t, Doc("n", int32(1234), "f", 2.5)), &got); err != nil || got.N != "1234" || got.F.String() != "2.5" {
		t.Errorf("%s, %s, %v", got.N, got.F.String(), err)
	}
	if err := Unmarshal(mustMarshal(t, Doc("n", int64(-98765432101), "f", int32(-12))), &got); err != nil || got.N != "-98765432101" || got.F.String() != "-12" {
		t.Errorf("%s, %s, %v", got.N, got.F.String(), err)
	}
}

type failingText struct{}

var errSilent = errors.New("it says nothing")

func (failingText) MarshalText() ([]byte, error) { return nil, errSilent }

// The error of a method or of a codec is the error of the call.
func TestErrorsOfMethodsAndCodecsAreReturned(t *testing.T) {
	if raw, err := Marshal(Doc("s", struct{ S failingText }{})); !errors.Is(err, errSilent) {
		t.Errorf("%v, %v", raw, err)
	}
	cs := mustCodecs(t, AnyAs[[]byte](bsontype.Binary))
	odd := mustMarshal(t, Doc("b", Binary{Subtype: 0x80, Data: []byte{1}}))
	for _, into := range []any{new(D), new(M), new(any)} {
		if err := Unmarshal(odd, into, &UnmarshalOptions{Codecs: cs}); err == nil || !strings.Contains(err.Error(), "subtype 128") {
			t.Errorf("%T: %v", into, err)
		}
	}
	err := RawValue{Type: bsontype.Int32, Value: []byte{1, 0, 0, 0, 9}}.Unmarshal(new(int))
	if err == nil || err.Error() != "bson: 1 bytes follow the int (at byte 4)" {
		t.Errorf("%v", err)
	}
}

// Only the zero value of a type is zero to IsZero and omitempty.
func TestZeroValues(t *testing.T) {
	if !(Regex{}).IsZero() || (Regex{Options: "i"}).IsZero() || (Regex{Pattern: "a"}).IsZero() {
		t.Error("of a regular expression")
	}
	type optional struct {
		R Regex `bson:",omitempty"`
	}
	if raw := mustMarshal(t, optional{}); len(raw) != 5 {
		t.Errorf("%v is not left out", raw)
	}
}

// Every bit of a UUID is random, except its version and variant.
func TestUUIDBitsAreRandom(t *testing.T) {
	var always, ever UUID
	for i := range always {
		always[i] = 0xff
	}
	for range 200 {
		for i, b := range NewUUID() {
			always[i], ever[i] = always[i]&b, ever[i]|b
		}
	}
	for i := range always {
		wantAlways, wantEver := byte(0), byte(0xff)
		switch i {
		case 6:
			wantAlways, wantEver = 0x40, 0x4f
		case 8:
			wantAlways, wantEver = 0x80, 0xbf
		}
		if always[i] != wantAlways || ever[i] != wantEver {
			t.Errorf("byte %d: %#02x are always set, %#02x ever", i, always[i], ever[i])
		}
	}
}

// An error shows both ends of a long path.
func TestLongPathsAreShownByTheirEnds(t *testing.T) {
	key := strings.Repeat("a", 80) + strings.Repeat("z", 80)
	err := Unmarshal(mustMarshal(t, Doc(key, "x")), &map[string]int{})
	want := "bson: " + strings.Repeat("a", 60) + "..." + strings.Repeat("z", 50) + ": "
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

// Decoding and encoding a value needs as many levels as it is deep, however many siblings it has.
func TestSiblingValuesAddNoDepth(t *testing.T) {
	type leaf struct{ A int32 }
	ten := func(v any) (list A) {
		for range 10 {
			list = append(list, v)
		}
		return list
	}
	document := Doc("a", int32(1))
	one := int32(1)
	p := &one
	for name, tt := range map[string]struct {
		list any // mostly ten equal values
		into any
		need int
		less int // how many levels encoding saves: it does not count the pointers in an any
	}{
		"structs":              {ten(document), &struct{ L []leaf }{}, 3, 0},
		"pointers to structs":  {ten(document), &struct{ L []*leaf }{}, 3, 0},
		"an array of structs":  {ten(document), &struct{ L [10]leaf }{}, 3, 0},
		"maps":                 {ten(document), &struct{ L []map[string]int32 }{}, 3, 0},
		"maps by number":       {ten(Doc("1", int32(1))), &struct{ L []map[int]int32 }{}, 3, 0},
		"maps of any":          {ten(document), &struct{ L []M }{}, 3, 0},
		"documents":            {ten(document), &struct{ L []D }{}, 3, 0},
		"anys":                 {ten(document), &struct{ L []any }{}, 3, 0},
		"lists":                {ten(A{int32(1)}), &struct{ L [][]int32 }{}, 3, 0},
		"lists of any":         {ten(A{int32(1)}), &struct{ L []A }{}, 3, 0},
		"arrays":               {ten(A{int32(1)}), &struct{ L [][1]int32 }{}, 3, 0},
		"lists in an any":      {ten(A{int32(1)}), &struct{ L any }{}, 3, 0},
		"pointers to pointers": {ten(int32(1)), &struct{ L []**int32 }{}, 3, 0},
		"pointers to anys":     {ten(int32(1)), &struct{ L []*any }{}, 3, 0},
		"methods":              {ten(Doc("m", int32(1))), &struct{ L []asMarshaler }{}, 3, 0},
		"other methods":        {ten(Doc("n", int32(1))), &struct{ L []*asAppender }{}, 3, 0},
		"inlined maps": {ten(document), &struct {
			Rest map[string][]leaf `bson:",inline"`
		}{}, 3, 0},
		"scopes":          {ten(CodeWithScope{Scope: document}), &struct{ L []CodeWithScope }{}, 3, 0},
		"scopes in anys":  {ten(CodeWithScope{Scope: document}), &struct{ L []any }{}, 3, 0},
		"pointers in any": {Doc("a", 1, "b", 2, "c", 3), &struct{ L any }{&struct{ A, B, C any }{A: &p, B: &p, C: &p}}, 4, 1},
	} {
		raw := mustMarshal(t, Doc("l", tt.list))
		for depth, want := range map[int]bool{tt.need - 1: false, tt.need: true} {
			err := Unmarshal(raw, tt.into, &UnmarshalOptions{MaxDepth: depth})
			if (err == nil) != want || err != nil && !errors.Is(err, ErrMaxDepth) {
				t.Errorf("%s, decoded with %d levels: %v", name, depth, err)
			}
		}
		if err := Unmarshal(raw, tt.into); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for depth, want := range map[int]bool{tt.need - tt.less - 1: false, tt.need - tt.less: true} {
			_, err := Marshal(tt.into, &MarshalOptions{MaxDepth: depth})
			if strings.HasSuffix(name, "methods") {
				continue // methods are not told how many levels are left
			}
			if (err == nil) != want || err != nil && !errors.Is(err, ErrMaxDepth) {
				t.Errorf("%s, encoded with %d levels: %v", name, depth, err)
			}
		}
	}
}
