package hostile_test

import (
	"math"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/hostile"
)

// Replies that are documents and no answers.
func TestReplies(t *testing.T) {
	cursor := func(fields ...any) bson.D { return bson.Doc("ok", 1, "cursor", bson.Doc(fields...)) }
	var list []attack
	for _, tt := range []struct {
		name, command string
		run           operation
		reply         bson.D
		ok            bool
	}{
		{"a find without ok", "find", find, bson.Doc("cursor", bson.Doc("id", int64(0), "ns", "db.c", "firstBatch", bson.A{})), false},
		{"a find with ok: NaN", "find", find, append(cursor("id", int64(0), "ns", "db.c", "firstBatch", bson.A{})[1:], bson.E{Key: "ok", Value: math.NaN()}), false},
		{"a find without a cursor", "find", find, bson.Doc("ok", 1), false},
		{"a cursor that is a number", "find", find, bson.Doc("ok", 1, "cursor", 7), false},
		{"a batch that is a number", "find", find, cursor("id", int64(0), "ns", "db.c", "firstBatch", 7), false},
		{"a batch of numbers", "find", find, cursor("id", int64(0), "ns", "db.c", "firstBatch", bson.A{1, 2}), false},
		{"no batch", "find", find, cursor("id", int64(0), "ns", "db.c"), false},
		{"an error without a code", "find", find, bson.Doc("ok", 0, "errmsg", "no"), false},
		{"an error whose code is text", "find", find, bson.Doc("ok", 0, "code", "no"), false},
		{"an error whose code is beyond int32", "find", find, bson.Doc("ok", 0, "code", int64(math.MaxInt64)), false},
		{"an error with labels of labels", "find", find, bson.Doc("ok", 0, "errorLabels", bson.A{bson.A{"x"}, 7, nil}), false},
		{"an insert with write errors", "insert", insert, bson.Doc("ok", 1, "n", 0, "writeErrors", bson.A{bson.Doc("index", 0, "code", 11000, "errmsg", "dup")}), false},
		{"write errors of numbers", "insert", insert, bson.Doc("ok", 1, "n", 0, "writeErrors", bson.A{7}), false},
		{"a write error with an index from nowhere", "insert", insert, bson.Doc("ok", 1, "n", 0, "writeErrors", bson.A{bson.Doc("index", int64(math.MaxInt64), "code", 1, "errmsg", "x")}), false},
		{"a write concern error", "insert", insert, bson.Doc("ok", 1, "n", 1, "writeConcernError", bson.Doc("code", 64, "errmsg", "late")), false},
		{"an operationTime of text", "insert", insert, bson.Doc("ok", 1, "n", 1, "operationTime", "now"), true},
		{"a clusterTime of text", "insert", insert, bson.Doc("ok", 1, "n", 1, "$clusterTime", "now"), true},
	} {
		list = append(list, attack{name: tt.name, command: tt.command, run: tt.run, ok: tt.ok,
			reply: func(r hostile.Request) []byte { return hostile.Message(r, tt.reply) }})
	}
	list = append(list, attack{name: "an error that is not UTF-8", command: "find", wants: "no \uFFFD(",
		reply: func(r hostile.Request) []byte {
			return notUTF8(hostile.Message(r, bson.Doc("ok", 0, "code", 2, "errmsg", "no ??")))
		},
	}, attack{name: "an error of a megabyte", command: "insert", run: insert, wants: "no",
		reply: func(r hostile.Request) []byte {
			return hostile.Message(r, bson.Doc("ok", 0, "code", 2, "errmsg", strings.Repeat("no ", 350_000)))
		},
	})
	attackAll(t, list)
}
