package mongo_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// brokenReply returns a reply that opens a cursor over a batch with these bytes as its elements.
func brokenReply(ns string, elements string) bson.Raw {
	dst, reply := bson.AppendDocumentStart(nil)
	dst = bson.AppendDoubleElement(dst, "ok", 1)
	dst, cursor := bson.AppendDocumentElementStart(dst, "cursor")
	dst = bson.AppendInt64Element(dst, "id", 0)
	dst = bson.AppendStringElement(dst, "ns", ns)
	dst, batch := bson.AppendArrayElementStart(dst, "firstBatch")
	dst = bson.AppendDocumentEnd(append(dst, elements...), batch)
	return bson.Raw(bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, cursor), reply))
}

// Whatever reads a broken batch returns an error and never a document.
func TestABrokenBatchIsAnError(t *testing.T) {
	for name, elements := range map[string]string{
		"no document":                   "\x100\x00\x05\x00\x00\x00",
		"a key without an end":          "\x0300000",
		"a document without a length":   "\x030\x00\x05\x00",
		"a document of four bytes":      "\x030\x00\x04\x00\x00\x00\x00\x00",
		"a document beyond the batch":   "\x030\x00\x09\x00\x00\x00\x00",
		"a document of the whole batch": "\x030\x00\x06\x00\x00\x00\x00",
	} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"))
			client := connect(t, d)
			c := client.Database("db").Collection("c")
			answering := func(ns string) {
				d.Intercept(mongotest.Named("find", "aggregate", "bulkWrite"), 1, func(mongotest.Command) mongotest.Answer {
					return mongotest.Answer{Reply: brokenReply(ns, elements)}
				})
			}
			answering("db.c")
			cursor, err := c.Find(t.Context(), bson.D{})
			if err == nil {
				if n := cursor.RemainingBatchLength(); n != 0 {
					t.Errorf("%d documents are left", n)
				}
				if cursor.Next(t.Context()) {
					t.Errorf("a document: %v", cursor.Current())
				}
				err = cursor.Err()
			}
			if err == nil {
				t.Error("Find: no error")
			}
			answering("db.c")
			stream, err := c.Watch(t.Context(), bson.A{})
			if err == nil {
				if stream.TryNext(t.Context()) {
					t.Errorf("an event: %v", stream.Current())
				}
				err = stream.Err()
			}
			if err == nil {
				t.Error("Watch: no error")
			}
			answering("admin.$cmd.bulkWrite")
			writes := []mongo.ClientBulkWrite{{Database: "db", Collection: "c", Model: someModels[0]}}
			if _, err := client.BulkWrite(t.Context(), writes, &options.ClientBulkWrite{VerboseResults: new(true)}); err == nil {
				t.Error("BulkWrite: no error")
			}
		})
	}
}

// A reply whose numbers are texts is an error.
func TestRepliesWithoutNumbersAreErrors(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"))
	c := connect(t, d).Database("db").Collection("c")
	only := func(_ any, err error) error { return err }
	for name, tt := range map[string]struct {
		command string
		reply   []any
		call    func() error
	}{
		"BulkWrite": {"insert", []any{"ok", 1, "n", "two"}, func() error { return only(c.BulkWrite(t.Context(), someModels)) }},
		"UpdateOne": {"update", []any{"ok", 1, "n", "two"}, func() error { return only(c.UpdateOne(t.Context(), bson.D{}, someUpdate)) }},
		"DeleteOne": {"delete", []any{"ok", 1, "n", "two"}, func() error { return only(c.DeleteOne(t.Context(), bson.D{})) }},
		"CountDocuments": {"aggregate", []any{"ok", 1, "cursor", bson.Doc("id", int64(0), "ns", "db.c", "firstBatch", bson.A{bson.Doc("n", "two")})},
			func() error { return only(c.CountDocuments(t.Context(), bson.D{})) }},
		"Count":                  {"count", []any{"ok", 1, "n", "two"}, func() error { return only(c.Count(t.Context(), bson.D{})) }},
		"EstimatedDocumentCount": {"count", []any{"ok", 1, "n", -1}, func() error { return only(c.EstimatedDocumentCount(t.Context())) }},
		"Distinct":               {"distinct", []any{"ok", 1, "values", 7}, func() error { return c.Distinct(t.Context(), "a", bson.D{}).Err() }},
		"ListDatabases": {"listDatabases", []any{"ok", 1, "databases", bson.A{bson.Doc("name", 7)}},
			func() error { return only(c.Database().Client().ListDatabases(t.Context(), bson.D{})) }},
		"MapReduce": {"mapReduce", []any{"ok", 1, "results", 7}, func() error { return only(c.MapReduce(t.Context(), "a", "b", nil)) }},
		"MapReduce, the write concern": {"mapReduce", []any{"ok", 1, "result", "out", "writeConcernError", bson.Doc("code", 64, "errmsg", "slow")},
			func() error { return only(c.MapReduce(t.Context(), "a", "b", "out")) }},
	} {
		answer(t, d, tt.command, tt.reply...)
		if err := tt.call(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
