package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
)

func smallDocuments(b testing.TB, from, n int) []bson.Raw {
	b.Helper()
	docs := make([]bson.Raw, n)
	for i := range docs {
		d, err := bson.Marshal(bson.Doc("_id", from+i, "name", fmt.Sprintf("user%d", i), "age", i%90))
		if err != nil {
			b.Fatal(err)
		}
		docs[i] = d
	}
	return docs
}

func fill(b testing.TB, s *server, n int) {
	b.Helper()
	r := &engine.Request{DB: "db", Body: parse(b, `{insert:'c'}`), Sequences: map[string][]bson.Raw{"documents": smallDocuments(b, 0, n)}}
	if _, err := s.request(b, r); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkFindOneByID reads one of 100,000 documents.
func BenchmarkFindOneByID(b *testing.B) {
	s := newServer(b)
	fill(b, s, 100_000)
	body, err := bson.Marshal(bson.Doc("find", "c", "filter", bson.Doc("_id", 50_000), "limit", 1, "singleBatch", true, "$db", "db"))
	if err != nil {
		b.Fatal(err)
	}
	run := s.commands["find"]
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		r := &engine.Request{Name: "find", DB: "db", Body: body, WireVersion: 25}
		if dst, err = run(s.Engine, context.Background(), r, dst[:0]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInsertMany inserts 10,000 small documents with one command.
func BenchmarkInsertMany(b *testing.B) {
	docs := smallDocuments(b, 0, 10_000)
	body := parse(b, `{insert:'c'}`)
	b.ReportAllocs()
	for b.Loop() {
		s := newServer(b)
		r := &engine.Request{DB: "db", Body: body, Sequences: map[string][]bson.Raw{"documents": docs}}
		if _, err := s.request(b, r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDuplicates inserts 10,000 documents that are there already.
func BenchmarkDuplicates(b *testing.B) {
	insertAgain := newDuplicateInserter(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		insertAgain()
	}
}

// newDuplicateInserter inserts documents, and returns a function that inserts them again.
func newDuplicateInserter(tb testing.TB, n int) (insertAgain func()) {
	tb.Helper()
	s := newServer(tb)
	fill(tb, s, n)
	r := &engine.Request{DB: "db", Body: parse(tb, `{insert:'c',ordered:false}`), Sequences: map[string][]bson.Raw{"documents": smallDocuments(tb, 0, n)}}
	return func() {
		reply, err := s.request(tb, r)
		if list, _ := reply.Lookup("writeErrors").ArrayOK(); err != nil || list.Len() != n {
			tb.Fatal(list.Len(), err)
		}
	}
}

// A large batch may consist of duplicates. When this was written, each took 11 allocations, and 17 before that.
func TestDuplicatesAllocateLittle(t *testing.T) {
	const n = 1000
	if got := testing.AllocsPerRun(5, newDuplicateInserter(t, n)) / n; got > 14 {
		t.Errorf("%v allocations for each duplicate", got)
	}
}

// BenchmarkInsertOne inserts into a collection of 100,000 documents.
func BenchmarkInsertOne(b *testing.B) {
	s := newServer(b)
	fill(b, s, 100_000)
	body := parse(b, `{insert:'c'}`)
	docs := []bson.Raw{parse(b, `{name:'x',age:1}`)}
	b.ReportAllocs()
	for b.Loop() {
		r := &engine.Request{DB: "db", Body: body, Sequences: map[string][]bson.Raw{"documents": docs}}
		if _, err := s.request(b, r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUpdateByID changes one of 100,000 documents.
func BenchmarkUpdateByID(b *testing.B) {
	s := newServer(b)
	fill(b, s, 100_000)
	body := parse(b, `{update:'c',updates:[{q:{_id:50000},u:{$inc:{age:1}}}]}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.request(b, &engine.Request{DB: "db", Body: body}); err != nil {
			b.Fatal(err)
		}
	}
}
