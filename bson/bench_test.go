package bson

import (
	"math/rand/v2"
	"testing"
)

// The comparisons with other drivers are in a module of their own. These benchmarks show where the time goes.

func BenchmarkStruct(b *testing.B) {
	in := sampleOrder()
	raw := mustMarshal(b, in)
	b.Run("marshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Marshal(in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		var buf []byte
		for b.Loop() {
			var err error
			if buf, err = MarshalAppend(buf[:0], in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("unmarshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := Unmarshal(raw, new(order)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDocument(b *testing.B) {
	var d D
	for seed := range uint64(20) {
		d = append(d, randomDocument(rand.New(rand.NewPCG(seed, 5)), 3)...)
	}
	raw := mustMarshal(b, d)
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	var buf []byte
	var err error
	run("append D", func() error { buf, err = MarshalAppend(buf[:0], &d); return err })
	run("unmarshal D", func() error { return Unmarshal(raw, new(D)) })
	run("unmarshal M", func() error { return Unmarshal(raw, new(M)) })
	run("validate", raw.Validate)
	run("walk", func() error {
		for range raw.All() {
		}
		return nil
	})
}
