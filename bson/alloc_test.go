package bson

import (
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

// order has the size and shape of documents that applications store.
type order struct {
	ID       ObjectID `bson:"_id"`
	Number   int64
	Customer string
	Total    float64
	Paid     bool
	Created  time.Time
	Count    int32
	Version  int
	Tags     []string
	Items    []orderItem
	Shipping *orderItem
	Note     string `bson:",omitempty"`
}

type orderItem struct {
	SKU   string `bson:"sku"`
	Qty   int32
	Price float64
}

func sampleOrder() *order {
	return &order{
		ID: ObjectID{1}, Number: 1 << 40, Customer: "Ada Lovelace", Total: 12.5, Paid: true, Created: time.UnixMilli(1700000000000).UTC(),
		Count: 2, Version: 3, Tags: []string{"blue", "gift"}, Items: []orderItem{{"A-1", 1, 9.5}, {"B-2", 2, 1.5}}, Shipping: &orderItem{SKU: "S"},
	}
}

func TestAllocations(t *testing.T) {
	if !budgetsHold {
		t.Skip("the race detector drops what pools hold, and both it and the twin without unsafe allocate")
	}
	in := sampleOrder()
	raw := mustMarshal(t, in)
	var d D
	if err := Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 0, 4096)
	big := mustMarshal(t, Doc("a", randomDocument(rand.New(rand.NewPCG(1, 2)), 3)))
	var err error
	n := 0
	tests := map[string]struct {
		budget float64
		run    func()
	}{
		"marshal a struct":             {1, func() { _, err = Marshal(in) }},
		"marshal a struct into buffer": {0, func() { buf, err = MarshalAppend(buf[:0], in) }},
		"marshal D":                    {1, func() { _, err = Marshal(&d) }},
		"marshal D into buffer":        {0, func() { buf, err = MarshalAppend(buf[:0], &d) }},
		// the struct, its strings, Tags, Items, Shipping
		"unmarshal a struct": {5, func() { err = Unmarshal(raw, new(order)) }},
		// the D in the any, its bytes, and arrays of E, any, string, D, A
		"unmarshal D": {7, func() { err = Unmarshal(raw, new(D)) }},
		"walk": {0, func() {
			for range big.All() {
				n++
			}
		}},
		"look up":  {0, func() { _ = raw.Lookup("items", "1", "price") }},
		"validate": {0, func() { err = big.Validate() }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := testing.AllocsPerRun(100, test.run); got > test.budget || err != nil {
				t.Errorf("%v allocations, want %v at most (error %v)", got, test.budget, err)
			}
		})
	}
}

// TestDecodingAllocatesLittle decodes short documents whose length fields promise much.
func TestDecodingAllocatesLittle(t *testing.T) {
	if !budgetsHold {
		t.Skip("the race detector and the twin without unsafe allocate")
	}
	nulls, start := AppendDocumentStart(nil)
	for range 10000 {
		nulls = append(nulls, 0x0a, 0)
	}
	nulls = AppendDocumentEnd(nulls, start)
	type wide struct{ L []int64 }
	list, start := AppendDocumentStart(nil)
	list = AppendDocumentEnd(AppendArrayElement(list, "l", RawArray(nulls)), start)
	for name, into := range map[string]func() error{
		"D":      func() error { return Unmarshal(nulls, new(D)) },
		"M":      func() error { return Unmarshal(nulls, new(M)) },
		"struct": func() error { return Unmarshal(list, new(wide)) },
		"any":    func() error { return Unmarshal(list, new(any)) },
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := into()
			runtime.ReadMemStats(&after)
			// An element of two bytes becomes an E of 32 bytes, twice: on the decoder's stack, which doubles as it
			// grows, and in the result.
			if got := after.TotalAlloc - before.TotalAlloc; err != nil || got > uint64(80*len(nulls)) {
				t.Errorf("%d bytes of input cost %d bytes of memory (%v)", len(nulls), got, err)
			}
		})
	}
}

// TestBudgets bounds the allocations for documents with many values of one type, in each direction and as text. The
// numbers are small because each document reuses the memory of the one before.
func TestBudgets(t *testing.T) {
	if !budgetsHold {
		t.Skip("the race detector drops what pools hold, and both it and the twin without unsafe allocate")
	}
	for name, tt := range map[string]struct {
		value                   any
		decode, decodeAny, read float64
	}{
		"texts":      {"text", 4, 5, 4},
		"ints":       {int32(7), 3, 4, 4},
		"longs":      {int64(1) << 40, 3, 4, 4},
		"doubles":    {1.5, 3, 4, 4},
		"booleans":   {true, 3, 4, 3},
		"ids":        {ObjectID{1}, 3, 4, 4},
		"dates":      {DateTime(7), 3, 4, 4},
		"documents":  {Doc("a", "b"), 5, 5, 5},
		"lists":      {A{"b"}, 6, 7, 6},
		"binaries":   {Binary{Data: []byte("b")}, 4, 5, 5},
		"regexes":    {Regex{Pattern: "p"}, 4, 5, 26},
		"code":       {JavaScript("f"), 4, 5, 15},
		"scopes":     {CodeWithScope{Code: "f", Scope: Doc("a", "b")}, 6, 6, 9},
		"timestamps": {Timestamp{T: 1, I: 2}, 4, 5, 4},
		"decimals":   {NewDecimal128(0x3040<<48, 4), 3, 4, 7},
	} {
		var d D
		for range 40 {
			d = append(d, E{Key: "key", Value: tt.value})
		}
		raw := mustMarshal(t, d)
		text, err := MarshalExtJSON(d, false)
		if err != nil {
			t.Fatal(err)
		}
		list := mustMarshal(t, Doc("l", raw))
		var buf []byte
		for what, run := range map[string]struct {
			budget float64
			run    func()
		}{
			"decode":     {tt.decode, func() { err = Unmarshal(raw, new(D)) }},
			"decode any": {tt.decodeAny, func() { var v struct{ L any }; err = Unmarshal(list, &v) }},
			"read":       {tt.read, func() { err = UnmarshalExtJSON(text, false, new(D)) }},
			"write":      {2, func() { _, err = MarshalExtJSON(d, false) }},
			"marshal":    {0, func() { buf, err = MarshalAppend(buf[:0], &d) }},
		} {
			if got := testing.AllocsPerRun(100, run.run); got > run.budget || err != nil {
				t.Errorf("%s, %s: %v allocations, want %v at most (error %v)", name, what, got, run.budget, err)
			}
		}
	}
}

// TestBudgetsOfStreams checks that an Encoder, a Decoder and structs reuse the memory of the document before.
func TestBudgetsOfStreams(t *testing.T) {
	if !budgetsHold {
		t.Skip("the race detector drops what pools hold, and both it and the twin without unsafe allocate")
	}
	type lists struct {
		S []string
		N []int32
		P *string
		Q *int64
		M map[string]int32
		T []time.Time
		D []struct{ A string }
		R [2]string
	}
	text, long := "text", int64(1)
	in := &lists{
		S: []string{"a", "b"}, N: []int32{1}, P: &text, Q: &long, M: map[string]int32{"a": 1}, T: []time.Time{time.UnixMilli(1)},
		D: []struct{ A string }{{"a"}}, R: [2]string{"a", "b"},
	}
	raw := mustMarshal(t, in)
	large := mustMarshal(t, Doc("a", make([]byte, 100_000)))
	encoder, decoder := NewEncoder(io.Discard), NewDecoder(&endless{text: raw})
	into, again := lists{}, Raw(nil)
	options, numbers := &UnmarshalOptions{}, []float32{1, 2, 3}
	for name, tt := range map[string]struct {
		budget float64
		run    func() error
	}{
		"encode":             {2, func() error { return encoder.Encode(in) }},
		"decode":             {13, func() error { return decoder.Decode(new(lists)) }},
		"decode once more":   {3, func() error { return Unmarshal(raw, &into) }},
		"with options":       {3, func() error { return Unmarshal(raw, &into, options) }},
		"marshal":            {3, func() (err error) { again, err = Marshal(in); return err }},
		"marshal much":       {2, func() (err error) { again, err = Marshal(large); return err }},
		"a D of much":        {4, func() (err error) { again, err = Marshal(&D{{Key: "a", Value: large}}); return err }},
		"vector of numbers":  {0, func() error { numbers, _ = NewFloat32Vector(numbers).Float32OK(); return nil }},
		"look up an element": {0, func() (err error) { _, err = raw.LookupErr("s", "1"); return err }},
	} {
		if err := tt.run(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var err error
		if got := testing.AllocsPerRun(100, func() { err = errors.Join(err, tt.run()) }); got > tt.budget || err != nil {
			t.Errorf("%s: %v allocations, want %v at most (error %v)", name, got, tt.budget, err)
		}
	}
	_ = again
}

// endless reads one text again and again.
type endless struct {
	text []byte
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}
