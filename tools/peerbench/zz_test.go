package main

import (
	"testing"

	"github.com/specdrivers/onion/bson"
)

func BenchmarkZ(b *testing.B) {
	docs, _, err := documents("/work/shared/specifications")
	if err != nil {
		b.Fatal(err)
	}
	for _, t := range bsonTasks(docs) {
		b.Run(t.name, func(b *testing.B) {
			b.ReportAllocs()
			t.sides[1].run(b.N)
		})
	}
	_ = bson.Raw(nil)
}
