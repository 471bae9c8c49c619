package bson

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// randomValue returns a value of a type that decoding into an any yields.
func randomValue(r *rand.Rand, depth int) any {
	kinds := 21
	if depth == 0 {
		kinds = 19 // without documents and arrays
	}
	switch r.IntN(kinds) {
	case 0:
		return r.NormFloat64()
	case 1:
		return randomText(r)
	case 2:
		return Binary{Subtype: byte(r.IntN(256)), Data: []byte(randomText(r))}
	case 3:
		return Undefined{}
	case 4:
		return ObjectID{byte(r.Uint32()), 11: byte(r.Uint32())}
	case 5:
		return r.IntN(2) == 0
	case 6:
		return DateTime(r.Int64())
	case 7:
		return nil
	case 8:
		return Regex{Pattern: randomText(r), Options: "im"}
	case 9:
		return DBPointer{DB: randomText(r), Pointer: ObjectID{5: byte(r.Uint32())}}
	case 10:
		return JavaScript(randomText(r))
	case 11:
		return Symbol(randomText(r))
	case 12:
		return CodeWithScope{Code: JavaScript(randomText(r)), Scope: randomDocument(r, 0)}
	case 13:
		return int32(r.Uint32())
	case 14:
		return Timestamp{T: r.Uint32(), I: r.Uint32()}
	case 15:
		return r.Int64()
	case 16:
		return NewDecimal128(r.Uint64(), r.Uint64())
	case 17:
		return MinKey{}
	case 18:
		return MaxKey{}
	case 19:
		return randomDocument(r, depth-1)
	}
	list := make(A, r.IntN(14))
	for i := range list {
		list[i] = randomValue(r, depth-1)
	}
	return list
}

func randomDocument(r *rand.Rand, depth int) D {
	d := make(D, r.IntN(8))
	for i := range d {
		d[i] = E{Key: randomText(r), Value: randomValue(r, depth)}
	}
	return d
}

func randomText(r *rand.Rand) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789äöü€😀 .$"
	runes := []rune(letters)
	text := make([]rune, r.IntN(20))
	for i := range text {
		text[i] = runes[r.IntN(len(runes))]
	}
	return string(text)
}

func TestRandomDocumentsRoundTrip(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		want := randomDocument(r, 4)
		raw := mustMarshal(t, want)
		if err := raw.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var d D
		if err := Unmarshal(raw, &d); err != nil || !reflect.DeepEqual(d, want) {
			t.Fatalf("seed %d: got %#v (%v), want %#v", seed, d, err, want)
		}
		var fields struct{ V any }
		if err := Unmarshal(mustMarshal(t, Doc("v", want)), &fields); err != nil || !reflect.DeepEqual(fields.V, want) {
			t.Fatalf("seed %d: in a field: got %#v (%v), want %#v", seed, fields.V, err, want)
		}
		checkWalk(t, raw, want)
	}
}

// checkWalk compares the elements that a walk visits with the values.
func checkWalk(t *testing.T, raw Raw, want D) {
	t.Helper()
	i := 0
	for key, v := range raw.All() {
		typ, data, err := AppendValue(nil, want[i].Value)
		if err != nil || key != want[i].Key || !v.Equal(RawValue{typ, data}) {
			t.Fatalf("element %d is %q %v, want %q %v (%v)", i, key, v, want[i].Key, RawValue{typ, data}, err)
		}
		if err := v.Validate(); err != nil {
			t.Fatalf("element %d: %v", i, err)
		}
		if inner, ok := want[i].Value.(D); ok {
			checkWalk(t, Raw(v.Value), inner)
		}
		i++
	}
	if i != len(want) {
		t.Fatalf("the walk saw %d of %d elements", i, len(want))
	}
}

// zoo has a field of each kind.
type zoo struct {
	Bool    bool
	Int     int
	Int8    int8
	Int16   int16
	Int32   int32
	Int64   int64
	Min     int64 `bson:",minsize"`
	Uint    uint
	Uint8   uint8
	Uint16  uint16
	Uint32  uint32
	Float32 float32
	Float64 float64
	String  string
	Time    time.Time
	ID      ObjectID
	Bytes   []byte
	Strings []string
	Ints    []int
	Times   []time.Time
	Struct  zooPart
	Ptr     *zooPart
	Parts   []zooPart
	Ptrs    []*zooPart
	Map     map[string]zooPart
	Keys    map[int16]string
	Lists   [][]int64
	Array   [3]float64
	Any     any
	D       D
	A       A
	M       M
	Inlined zooInlined     `bson:",inline"`
	Rest    map[string]any `bson:",inline"`
	Self    *zoo           `bson:",omitempty"`
}

type zooPart struct {
	Name string `bson:"n,omitempty"`
	Num  int32  `bson:"long_name_of_a_number"`
}

type zooInlined struct {
	One   float64 `bson:"1"`
	Other *zooPart
}

func randomZoo(r *rand.Rand, depth int) *zoo {
	part := func() zooPart { return zooPart{randomText(r), int32(r.Uint32())} }
	moment := func() time.Time { return time.UnixMilli(r.Int64N(1 << 42)).UTC() }
	z := &zoo{
		Bool: r.IntN(2) == 0, Int: int(r.Int64()) >> r.IntN(64), Int8: int8(r.Uint32()), Int16: int16(r.Uint32()), Int32: int32(r.Uint32()),
		Int64: r.Int64(), Min: r.Int64() >> r.IntN(64), Uint: uint(r.Uint64() >> 1), Uint8: uint8(r.Uint32()), Uint16: uint16(r.Uint32()),
		Uint32: r.Uint32(), Float32: r.Float32(), Float64: math.Float64frombits(r.Uint64() &^ (1 << 62)), String: randomText(r), Time: moment(),
		ID: ObjectID{byte(r.Uint32())}, Bytes: []byte(randomText(r)), Struct: part(), Array: [3]float64{1, r.Float64(), 3},
		Any: randomValue(r, 2), D: randomDocument(r, 2), A: A{randomValue(r, 1)}, M: M{randomText(r): randomValue(r, 1)},
		Map: map[string]zooPart{}, Keys: map[int16]string{int16(r.Uint32()): randomText(r)}, Strings: []string{}, Lists: [][]int64{{}, {r.Int64()}},
	}
	for range r.IntN(13) {
		z.Strings = append(z.Strings, randomText(r))
		z.Ints = append(z.Ints, r.IntN(1000))
		z.Times = append(z.Times, moment())
		z.Parts = append(z.Parts, part())
		z.Ptrs = append(z.Ptrs, nil, new(part()))
		z.Map[randomText(r)] = part()
	}
	if r.IntN(2) == 0 {
		z.Ptr = new(part())
	}
	if r.IntN(2) == 0 {
		z.Inlined = zooInlined{One: r.Float64(), Other: new(part())}
		z.Rest = map[string]any{"/rest": randomValue(r, 1)}
	}
	if depth > 0 {
		z.Self = randomZoo(r, depth-1)
	}
	return z
}

func TestRandomStructsRoundTrip(t *testing.T) {
	for seed := range uint64(500) {
		want := randomZoo(rand.New(rand.NewPCG(seed, 2)), int(seed%3))
		raw := mustMarshal(t, want)
		if err := raw.Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got := new(zoo)
		if err := Unmarshal(raw, got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %v: got %s", seed, err, diff(got, want))
		}
		var d D
		if err := Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		if again := mustMarshal(t, d); string(again) != string(raw) {
			t.Fatalf("seed %d: by way of D: %v, want %v", seed, again, raw)
		}
	}
}

// diff names the fields that differ between two structs.
func diff(got, want *zoo) string {
	var text string
	a, b := reflect.ValueOf(*got), reflect.ValueOf(*want)
	for i := range a.NumField() {
		if f := a.Type().Field(i); f.IsExported() && !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			text += fmt.Sprintf("%s: %#v, want %#v\n", f.Name, a.Field(i), b.Field(i))
		}
	}
	return text
}
