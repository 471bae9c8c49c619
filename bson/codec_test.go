package bson

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// TestGoroutinesCompilePlansAtOnce encodes and decodes new types from many goroutines.
func TestGoroutinesCompilePlansAtOnce(t *testing.T) {
	type leaf struct{ N int }
	type tree struct {
		Name     string
		Leaf     leaf
		Children []*tree          `bson:",omitempty"`
		ByName   map[string]*tree `bson:",omitempty"`
	}
	in := &tree{Name: "root", Children: []*tree{{Name: "a"}, {Leaf: leaf{2}}}, ByName: map[string]*tree{"b": {Name: "b"}}}
	results := make([]string, 8)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			raw, err := Marshal(in)
			if err != nil {
				t.Error(err)
				return
			}
			var back tree
			if err := Unmarshal(raw, &back); err != nil {
				t.Error(err)
				return
			}
			again, err := Marshal(back)
			if err != nil {
				t.Error(err)
			}
			results[i] = string(again)
		})
	}
	wg.Wait()
	for i, r := range results {
		if want := string(mustMarshal(t, in)); r != want {
			t.Errorf("goroutine %d: %x, want %x", i, r, want)
		}
	}
}

// TestReusedDecodersStartClean decodes documents of different shapes, some with errors. The pool reuses decoders, so
// each must forget the document before.
func TestReusedDecodersStartClean(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		want := randomDocument(r, 3)
		raw := mustMarshal(t, want)
		var d D
		_ = Unmarshal(raw[:len(raw)-1], &d)
		broken := append(Raw(nil), raw...)
		broken[r.IntN(len(broken))] ^= 0xff
		_ = Unmarshal(broken, &d)
		_ = Unmarshal(broken, new(zoo), &UnmarshalOptions{MaxDepth: 2, DefaultDocument: DocumentM})
		if err := Unmarshal(raw, &d); err != nil {
			t.Fatal(err)
		}
		if again := mustMarshal(t, d); string(again) != string(raw) {
			t.Fatalf("after errors: %x, want %x", again, raw)
		}
	}
}
