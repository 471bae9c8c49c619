package interop

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The seeds of the sequences that are compared.
var (
	seedCount  = flag.Int("seeds", 0, "compare as many sequences as this, instead of the usual ones")
	seedNamed  = flag.Int64("seed", -1, "compare the sequence of this seed alone")
	seedRandom = flag.Bool("random", os.Getenv("DIFFERENTIAL_RANDOM") != "", "compare sequences of random seeds; DIFFERENTIAL_RANDOM=1 does it too")
)

// usual are seeds whose sequences show every difference that has a row.
var usual = []uint64{13, 16, 21, 46, 55, 3, 8, 63, 22, 25, 27, 37, 44}

func seeds() []uint64 {
	out := usual
	switch {
	case *seedNamed >= 0:
		return []uint64{uint64(*seedNamed)}
	case *seedCount > 0:
		out = make([]uint64, *seedCount)
		for i := range out {
			out[i] = uint64(i)
		}
	}
	if *seedRandom {
		out = slices.Clone(out)
		for i := range out {
			out[i] = uint64(rand.Uint32())
		}
	}
	return out
}

// Random commands get the same answers from mongotest as from FerretDB, except for the documented differences.
func TestMongotestAgreesWithFerretDB(t *testing.T) {
	theirs, ours := newDatabase(t, startEmbeddedFerret(t)), newDatabase(t, mongotest.Start(t, mongotest.Standalone()).URI())
	seen := map[string]int{}
	t.Run("mistakes", func(t *testing.T) {
		p := &pair{theirs: theirs, ours: ours, collection: "mistakes", seen: seen}
		g := newGenerator(1, p.collection)
		var docs []bson.Raw
		for i := range 6 {
			doc := g.document()
			doc[0].Value = int32(i)
			raw, err := bson.Marshal(append(doc, bson.E{Key: "list", Value: bson.A{}}))
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, raw)
		}
		for _, command := range mistakes(p.collection) {
			p.reset(t, docs)
			p.run(t, command)
			p.reset(t, nil)
			p.run(t, command)
		}
	})
	for _, seed := range seeds() {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			p := &pair{theirs: theirs, ours: ours, collection: fmt.Sprint("c", seed), seen: seen}
			g := newGenerator(seed, p.collection)
			p.reset(t, nil)
			before := maps.Clone(seen)
			for range 250 {
				p.run(t, g.command())
			}
			maps.DeleteFunc(before, func(name string, n int) bool { return seen[name] > n })
			t.Logf("differences: %v", slices.Sorted(missingKeys(seen, before)))
		})
	}
	if *seedNamed >= 0 || *seedRandom || *seedCount > 0 || t.Failed() {
		return
	}
	for _, d := range Differences {
		if seen[d.Name] == 0 && !d.Rare {
			t.Errorf("difference %q was not seen: its row is out of date", d.Name)
		}
	}
}

// missingKeys returns the keys of a map that are not in another one.
func missingKeys(all, without map[string]int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range all {
			if _, has := without[name]; !has && !yield(name) {
				return
			}
		}
	}
}

func newDatabase(t *testing.T, uri string, opts ...*options.Client) *mongo.Database {
	t.Helper()
	client, err := mongo.Connect(t.Context(), uri, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(context.Background()) })
	return client.Database("differential")
}

// pair holds the two servers' copies of a collection.
type pair struct {
	theirs, ours *mongo.Database
	collection   string
	seen         map[string]int

	start []bson.Raw // the documents at the last reset
	since []bson.D   // the commands that changed something since then
	docs  []bson.Raw // the documents that both have now
}

// run sends a command to both servers. When their answers differ, or their documents may differ now, both get
// mongotest's documents, so one difference does not cause more.
func (p *pair) run(t *testing.T, command bson.D) {
	t.Helper()
	step := p.compare(t, command)
	if step == nil {
		return
	}
	if at := p.excuse(step); at >= 0 {
		p.seen[Differences[at].Name]++
	} else {
		t.Errorf("%s", p.shrink(t, step))
	}
	_, docs := runForAnswer(t, p.ours, bson.Doc("find", p.collection, "batchSize", 1000))
	p.reset(t, docs)
}

// compare runs a command on both servers, and returns the step if they differ.
func (p *pair) compare(t *testing.T, command bson.D) *Step {
	t.Helper()
	step := &Step{Command: command, Before: p.docs, pair: p, t: t}
	step.Ferret, step.Mongotest = ask(t, p.theirs, command), ask(t, p.ours, command)
	if writes(command) {
		p.since = append(p.since, command)
	}
	if !step.Ferret.equal(step.Mongotest) {
		return step
	}
	if !changesDocuments(command) {
		return nil
	}
	all := bson.Doc("find", p.collection, "sort", bson.Doc("_id", 1), "batchSize", 1000)
	ferret, _ := runForAnswer(t, p.theirs, all)
	mongotest, docs := runForAnswer(t, p.ours, all)
	if ferret.equal(mongotest) {
		p.docs = docs
		return nil
	}
	step.Ferret.After, step.Mongotest.After = ferret.Fields["documents"], mongotest.Fields["documents"]
	return step
}

// excuse returns the documented difference that a step shows.
func (p *pair) excuse(step *Step) int {
	return slices.IndexFunc(Differences, func(d Difference) bool { return d.Matches(step) })
}

// reset creates both collections again, with these documents and without indexes.
func (p *pair) reset(t *testing.T, docs []bson.Raw) {
	t.Helper()
	for _, db := range []*mongo.Database{p.theirs, p.ours} {
		ask(t, db, bson.Doc("drop", p.collection))
		ask(t, db, bson.Doc("drop", p.collection+"a"))
		ask(t, db, bson.Doc("drop", p.collection+"b"))
		ask(t, db, bson.Doc("create", p.collection))
		if len(docs) == 0 {
			continue
		}
		if a := ask(t, db, bson.Doc("insert", p.collection, "documents", docs)); a.Code != 0 || a.Fields["writeErrors"] != "" {
			t.Fatalf("levelling: %+v", a)
		}
	}
	p.start, p.since, p.docs = docs, nil, docs
}

// changesDocuments reports whether a command can change documents, and writes whether it can change anything.
func changesDocuments(command bson.D) bool {
	return slices.Contains([]string{"insert", "update", "delete", "findAndModify"}, command[0].Key)
}

func writes(command bson.D) bool {
	return changesDocuments(command) || slices.Contains([]string{"create", "drop", "createIndexes", "dropIndexes", "renameCollection"}, command[0].Key)
}
