package interop

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
)

// Answer is the part of a reply that servers must agree on: an error's code, 0 for none, or the fields in extended JSON.
type Answer struct {
	Code   int
	Fields map[string]string
	After  string // the documents after a command that changes some, if they differ although the replies don't
}

// connectionDropped stands for the code where no answer came because the server closed the connection.
const connectionDropped = -1

func (a Answer) equal(b Answer) bool {
	return a.Code == b.Code && maps.Equal(a.Fields, b.Fields) && a.After == b.After
}

func (a Answer) String() string {
	if a.Code != 0 {
		return fmt.Sprint("error ", a.Code)
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(a.Fields)) {
		lines = append(lines, name+" "+a.Fields[name])
	}
	if a.After != "" {
		lines = append(lines, "leaves "+a.After)
	}
	return strings.Join(lines, ", ")
}

func ask(t *testing.T, db *mongo.Database, command bson.D) Answer {
	t.Helper()
	a, _ := runForAnswer(t, db, command)
	return a
}

// compared are the fields of replies that servers must agree on.
var compared = []string{"n", "nModified", "upserted", "value", "lastErrorObject", "numIndexesBefore", "numIndexesAfter", "nIndexesWas", "cursorsKilled", "cursorsNotFound"}

// runForAnswer runs a command, and returns the part of the reply that servers must agree on, and its documents.
func runForAnswer(t *testing.T, db *mongo.Database, command bson.D) (Answer, []bson.Raw) {
	t.Helper()
	if command[0].Key == "renameCollection" {
		db = db.Client().Database("admin")
	}
	reply, code := runRaw(t, db, command)
	if code != 0 {
		return Answer{Code: code}, nil
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
		a.Fields["values"] = fmt.Sprint(sortedTexts(values(v)))
	}
	if reply.Lookup("cursor").Type == 0 {
		return a, nil
	}
	docs, batches, code := drain(t, db, command, reply)
	if code != 0 {
		return Answer{Code: code}, nil
	}
	a.Fields["documents"], a.Fields["batches"] = fmt.Sprint(lines(command, docs)), fmt.Sprint(batches)
	var raws []bson.Raw
	for _, v := range docs {
		doc, _ := v.DocumentOK()
		raws = append(raws, doc)
	}
	return a, raws
}

// runRaw returns the reply to a command, or the code of its error.
func runRaw(t *testing.T, db *mongo.Database, command bson.D) (bson.Raw, int) {
	t.Helper()
	reply, err := db.RunCommand(t.Context(), command).Raw()
	if failed, ok := errors.AsType[mongo.CommandError](err); ok {
		return nil, int(failed.Code)
	}
	if _, ok := errors.AsType[mongo.NetworkError](err); ok {
		return nil, connectionDropped
	}
	if err != nil {
		t.Fatalf("%s: %v", shellText(command), err)
	}
	return reply, 0
}

// drain reads a cursor to its end, two documents at a time, and returns the length of each batch.
func drain(t *testing.T, db *mongo.Database, command bson.D, reply bson.Raw) (docs []bson.RawValue, batches []int, code int) {
	t.Helper()
	batch := values(reply.Lookup("cursor", "firstBatch"))
	for {
		docs, batches = append(docs, batch...), append(batches, len(batch))
		id, _ := reply.Lookup("cursor", "id").AsInt64OK()
		if id == 0 || len(batches) > 1000 {
			return docs, batches, 0
		}
		if reply, code = runRaw(t, db, bson.Doc("getMore", id, "collection", command[0].Value, "batchSize", 2)); code != 0 {
			return nil, nil, code
		}
		batch = values(reply.Lookup("cursor", "nextBatch"))
	}
}

// lines returns documents as text, in the server's order if the command asks for one.
func lines(command bson.D, docs []bson.RawValue) []string {
	if !isOrdered(command) {
		return sortedTexts(docs)
	}
	out := make([]string, 0, len(docs))
	for _, v := range docs {
		out = append(out, text(v))
	}
	return out
}

// isOrdered reports whether a command orders its documents: with a sort, or with a $sort in its pipeline.
func isOrdered(command bson.D) bool {
	if pipeline, ok := field(command, "pipeline").(bson.A); ok {
		return slices.ContainsFunc(pipeline, func(stage any) bool {
			doc, ok := stage.(bson.D)
			return ok && len(doc) == 1 && doc[0].Key == "$sort"
		}) && stage(command, "$group") == nil
	}
	return field(command, "sort") != nil
}

// field returns the value of a field of a document, or nil.
func field(doc bson.D, name string) any {
	for _, e := range doc {
		if e.Key == name {
			return e.Value
		}
	}
	return nil
}

func sortedTexts(vs []bson.RawValue) []string {
	out := make([]string, 0, len(vs))
	for _, v := range vs {
		out = append(out, text(v))
	}
	slices.Sort(out)
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

// generated matches the identifiers that a server makes. The generator's identifiers begin with smaller numbers.
var generated = regexp.MustCompile(`"\$oid":"[4-9a-f][0-9a-f]{23}"`)

// text returns a value in canonical extended JSON, which shows the types of numbers.
func text(v any) string {
	out, err := bson.MarshalExtJSON(bson.Doc("", v), true)
	if err != nil {
		return err.Error()
	}
	return generated.ReplaceAllString(string(out[4:len(out)-1]), `"$$oid":"generated"`)
}

// shellText returns a document in relaxed extended JSON, to read and to paste.
func shellText(v any) string {
	out, err := bson.MarshalExtJSON(v, false)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(out)
}
