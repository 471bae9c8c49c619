package bulk

import (
	"fmt"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/runtime/internal/encode"
)

// A reply that contradicts its command or itself is an error that names the field. What is possible is kept.
func TestCleanReply(t *testing.T) {
	at := func(list ...any) bson.A { // entries of upserted or writeErrors
		a := bson.A{}
		for _, index := range list {
			a = append(a, bson.Doc("index", index, "_id", fmt.Sprint("id", index)))
		}
		return a
	}
	const inserts, updates, deletes = encode.Inserts, encode.Updates, encode.Deletes
	for name, tt := range map[string]struct {
		kind     encode.Kind
		reply    bson.D
		n        int64
		modified int64
		upserted string
		err      string
	}{
		"three inserts":            {inserts, bson.Doc("n", 3), 3, 0, "[]", ""},
		"no count":                 {inserts, bson.D{}, 0, 0, "[]", ""},
		"an insert that failed":    {inserts, bson.Doc("n", 2, "writeErrors", at(1)), 2, 0, "[]", ""},
		"three updates":            {updates, bson.Doc("n", 7, "nModified", 5), 7, 5, "[]", ""},
		"updates and upserts":      {updates, bson.Doc("n", 3, "nModified", 1, "upserted", at(0, 2)), 3, 1, "[{0 id0} {2 id2}]", ""},
		"an upsert of null":        {updates, bson.Doc("n", 1, "upserted", bson.A{bson.Doc("index", 0, "_id", nil)}), 1, 0, "[{0 {}}]", ""},
		"an upsert without _id":    {updates, bson.Doc("n", 1, "upserted", bson.A{bson.Doc("index", 0)}), 1, 0, "[{0 <nil>}]", ""},
		"many deletes":             {deletes, bson.Doc("n", 9), 9, 0, "[]", ""},
		"n below zero":             {deletes, bson.Doc("n", -1), 0, 0, "[]", "delete: the server's n is -1, for 3 writes"},
		"too many inserts":         {inserts, bson.Doc("n", 4), 0, 0, "[]", "insert: the server's n is 4, for 3 writes"},
		"too few inserts":          {inserts, bson.Doc("n", 2), 2, 0, "[]", "insert: the server's n is 2, for 3 writes, and there are no writeErrors"},
		"nModified below zero":     {updates, bson.Doc("n", 1, "nModified", -2), 1, 0, "[]", "update: the server's nModified is -2"},
		"two contradictions":       {updates, bson.Doc("n", -1, "nModified", -2), 0, 0, "[]", "update: the server's n is -1, for 3 writes"},
		"an upsert of an insert":   {inserts, bson.Doc("n", 3, "upserted", at(0)), 3, 0, "[]", "insert: the server's upserted has a document"},
		"an upsert of a delete":    {deletes, bson.Doc("n", 3, "upserted", at(0)), 3, 0, "[]", "delete: the server's upserted has a document"},
		"an upsert at a text":      {updates, bson.Doc("n", 3, "upserted", at("0")), 3, 0, "[]", "update: the server's upserted.index is not a number"},
		"an upsert before all":     {updates, bson.Doc("n", 3, "upserted", at(-1)), 3, 0, "[]", "update: the server's upserted.index is -1, for 3 writes"},
		"an upsert behind all":     {updates, bson.Doc("n", 3, "upserted", at(3, 2)), 3, 0, "[{2 id2}]", "update: the server's upserted.index is 3, for 3 writes"},
		"an upsert twice":          {updates, bson.Doc("n", 3, "upserted", at(1, 1)), 3, 0, "[{1 id1}]", "update: the server's upserted.index is 1 twice"},
		"more upserts than n":      {updates, bson.Doc("n", 1, "upserted", at(0, 1)), 1, 0, "[{0 id0}]", "update: the server's upserted has more documents than n, which is 1"},
		"an error at a text":       {deletes, bson.Doc("n", 1, "writeErrors", at("0")), 1, 0, "[]", "delete: the server's writeErrors.index is not a number"},
		"an error before all":      {deletes, bson.Doc("n", 1, "writeErrors", at(-1)), 1, 0, "[]", "delete: the server's writeErrors.index is -1, for 3 writes"},
		"an error behind all":      {inserts, bson.Doc("n", 1, "writeErrors", at(3)), 1, 0, "[]", "insert: the server's writeErrors.index is 3, for 3 writes"},
		"an error twice":           {updates, bson.Doc("n", 1, "writeErrors", at(2, 2)), 1, 0, "[]", "update: the server's writeErrors.index is 2 twice"},
		"an upsert and its error":  {updates, bson.Doc("n", 1, "upserted", at(1), "writeErrors", at(1)), 1, 0, "[{1 id1}]", ""},
		"an error that is no list": {inserts, bson.Doc("n", 3, "upserted", bson.A{7}), 3, 0, "[]", "insert: the server's upserted has a document"},
	} {
		raw, err := bson.Marshal(tt.reply)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := command.ParseWriteReply(raw)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		upserted, err := CleanReply(raw, &reply, tt.kind, 3)
		if want := tt.err; want != "" && (err == nil || err.Error() != "mongo: "+want) || want == "" && err != nil {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if got := fmt.Sprint(upserted); reply.N != tt.n || reply.NModified != tt.modified || got != tt.upserted {
			t.Errorf("%s: n %d, nModified %d, %s, want %d, %d, %s", name, reply.N, reply.NModified, got, tt.n, tt.modified, tt.upserted)
		}
	}
}
