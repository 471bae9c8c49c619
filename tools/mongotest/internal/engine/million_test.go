package engine_test

import (
	"runtime"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
)

// fillMillion inserts a million small documents, some at a time as a client does.
func fillMillion(b testing.TB, s *server) {
	b.Helper()
	for from := 0; from < 1_000_000; from += 50_000 {
		r := &engine.Request{DB: "db", Body: parse(b, `{insert:'c'}`), Sequences: map[string][]bson.Raw{"documents": smallDocuments(b, from, 50_000)}}
		if _, err := s.request(b, r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGroup groups half of a million small documents, and tells what the million takes up.
func BenchmarkGroup(b *testing.B) {
	s := newServer(b)
	fillMillion(b, s)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportAllocs()
	for b.Loop() {
		s.wantFound(b, `{aggregate:'c',cursor:{},pipeline:[{$match:{age:{$lt:45}}},{$group:{_id:'$age',n:{$sum:1},last:{$max:'$name'}}},{$count:'groups'}]}`, `[{groups:45}]`)
	}
	b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB-held")
	runtime.KeepAlive(s)
}
