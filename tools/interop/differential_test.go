package interop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongotest"
)

// Commands made at random have the same answers from mongotest as from FerretDB, but for the documented differences.
func TestMongotestAgreesWithFerretDB(t *testing.T) {
	theirs, ours := database(t, ferret(t)), database(t, mongotest.Start(t, mongotest.Standalone()).URI())
	seen := map[string]int{}
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			collection := fmt.Sprint("c", seed)
			p := &pair{theirs: theirs, ours: ours, collection: collection, seen: seen}
			g := newGenerator(seed, collection)
			p.level(t, nil)
			for range 250 {
				p.run(t, g.command())
			}
		})
	}
	for _, d := range Differences {
		if seen[d.Name] == 0 {
			t.Errorf("difference %q was not seen: its row is out of date", d.Name)
		}
	}
}

func database(t *testing.T, uri string) *mongo.Database {
	t.Helper()
	client, err := mongo.Connect(t.Context(), uri)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(context.Background()) })
	return client.Database("differential")
}

// pair is the two servers' copies of a collection.
type pair struct {
	theirs, ours *mongo.Database
	collection   string
	seen         map[string]int
}

// run gives a command to both servers. When they differ, or may have been left with other documents, both get mongotest's
// documents, so that a difference does not cause more.
func (p *pair) run(t *testing.T, command bson.D) {
	t.Helper()
	f, m := ask(t, p.theirs, command), ask(t, p.ours, command)
	if f.Code == m.Code && maps.Equal(f.Fields, m.Fields) {
		if !writes(command) {
			return
		}
		f, m = p.state(t)
		if maps.Equal(f.Fields, m.Fields) {
			return
		}
	}
	text, _ := bson.MarshalExtJSON(command, false)
	at := slices.IndexFunc(Differences, func(d Difference) bool { return d.Matches(command, f, m) })
	if at < 0 {
		t.Errorf("%s\nFerretDB  %+v\nmongotest %+v", text, f, m)
	} else {
		p.seen[Differences[at].Name]++
	}
	var docs []bson.Raw
	_, docs = answer(t, p.ours, bson.Doc("find", p.collection, "batchSize", 1000))
	p.level(t, docs)
}

// state reads the whole collection on both.
func (p *pair) state(t *testing.T) (f, m Answer) {
	t.Helper()
	all := bson.Doc("find", p.collection, "sort", bson.Doc("_id", 1), "batchSize", 1000)
	return ask(t, p.theirs, all), ask(t, p.ours, all)
}

// level makes both collections anew with these documents and one index.
func (p *pair) level(t *testing.T, docs []bson.Raw) {
	t.Helper()
	for _, db := range []*mongo.Database{p.theirs, p.ours} {
		ask(t, db, bson.Doc("drop", p.collection))
		ask(t, db, bson.Doc("create", p.collection))
		if len(docs) == 0 {
			continue
		}
		if a := ask(t, db, bson.Doc("insert", p.collection, "documents", docs)); a.Code != 0 || a.Fields["writeErrors"] != "" {
			t.Fatalf("levelling: %+v", a)
		}
	}
}

// writes tells whether a command can change documents.
func writes(command bson.D) bool {
	return slices.Contains([]string{"insert", "update", "delete", "findAndModify"}, command[0].Key)
}

func ask(t *testing.T, db *mongo.Database, command bson.D) Answer {
	t.Helper()
	a, _ := answer(t, db, command)
	return a
}

// compared are the fields of replies that are the same on any server that does the same.
var compared = []string{"n", "nModified", "upserted", "value", "lastErrorObject", "numIndexesBefore", "numIndexesAfter", "nIndexesWas"}

// answer runs a command, and keeps of the reply what servers must agree on, and its documents.
func answer(t *testing.T, db *mongo.Database, command bson.D) (Answer, []bson.Raw) {
	t.Helper()
	reply, err := db.RunCommand(t.Context(), command).Raw()
	if err != nil {
		if failed, ok := errors.AsType[*fault.CommandError](err); ok {
			return Answer{Code: int(failed.Code)}, nil
		}
		text, _ := bson.MarshalExtJSON(command, false)
		t.Fatalf("%s: %v", text, err)
	}
	a := Answer{Fields: map[string]string{}}
	for _, name := range compared {
		if v := reply.Lookup(name); v.Type != 0 {
			a.Fields[name] = text(v)
		}
	}
	for _, v := range values(reply.Lookup("writeErrors")) {
		doc, _ := v.DocumentOK()
		a.Fields["writeErrors"] += text(doc.Lookup("index")) + " " + text(doc.Lookup("code")) + ";"
	}
	if v := reply.Lookup("values"); v.Type != 0 {
		a.Fields["values"] = fmt.Sprint(sorted(values(v)))
	}
	batch := reply.Lookup("cursor", "firstBatch")
	if batch.Type == 0 {
		return a, nil
	}
	docs := values(batch)
	a.Fields["documents"] = fmt.Sprint(lines(command, docs))
	var raws []bson.Raw
	for _, v := range docs {
		doc, _ := v.DocumentOK()
		raws = append(raws, doc)
	}
	return a, raws
}

// lines are documents as text, in the server's order if the command asks for one.
func lines(command bson.D, docs []bson.RawValue) []string {
	if slices.ContainsFunc(command, func(e bson.E) bool { return e.Key == "sort" }) {
		out := make([]string, 0, len(docs))
		for _, v := range docs {
			out = append(out, text(v))
		}
		return out
	}
	return sorted(docs)
}

func sorted(vs []bson.RawValue) []string {
	out := make([]string, 0, len(vs))
	for _, v := range vs {
		out = append(out, text(v))
	}
	slices.SortFunc(out, cmp.Compare[string])
	return out
}

func values(v bson.RawValue) []bson.RawValue {
	array, ok := v.ArrayOK()
	if !ok {
		return nil
	}
	var out []bson.RawValue
	for _, element := range array.All() {
		out = append(out, element)
	}
	return out
}

// text is a value in canonical extended JSON, which tells the types of numbers apart.
func text(v bson.RawValue) string {
	out, err := bson.MarshalExtJSON(bson.Doc("", v), true)
	if err != nil {
		return err.Error()
	}
	return string(out[4 : len(out)-1])
}
