package bson

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

// order is of the size and shape of what applications store.
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
