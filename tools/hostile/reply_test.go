package hostile_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/hostile"
)

// Replies that are documents but do not answer the command.
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
			return breakUTF8(hostile.Message(r, bson.Doc("ok", 0, "code", 2, "errmsg", "no ??")))
		},
	}, attack{name: "an error of a megabyte", command: "insert", run: insert, wants: "no",
		reply: func(r hostile.Request) []byte {
			return hostile.Message(r, bson.Doc("ok", 0, "code", 2, "errmsg", strings.Repeat("no ", 350_000)))
		},
	})
	attackAll(t, list)
}

// Replies that say ok: 1 and are malformed before, or in, what the driver acts on. Walking them stops at the malformed
// element, so everything after it would seem absent.
func TestMalformedRepliesWithOK(t *testing.T) {
	broken := bson.E{Key: "x", Value: "broken"}
	batch := func(id int64) bson.E {
		return bson.E{Key: "cursor", Value: bson.Doc("firstBatch", bson.A{bson.Doc("_id", 1)}, "id", id, "ns", "db.c")}
	}
	okay, n := bson.E{Key: "ok", Value: 1}, bson.E{Key: "n", Value: 1}
	duplicate := bson.E{Key: "writeErrors", Value: bson.A{bson.Doc("index", 0, "code", 11000, "errmsg", "dup")}}
	late := bson.E{Key: "writeConcernError", Value: bson.Doc("code", 64, "errmsg", "late")}
	const text = "\x02x\x00\x07\x00\x00\x00broken"
	longer := strings.Replace(text, "\x07", "\x77", 1) // a text that is longer than the document
	lookup := func(ctx context.Context, c *mongo.Collection) error {
		return c.Database().RunCommand(ctx, bson.Doc("ping", 1)).Err()
	}
	var list []attack
	for _, tt := range []struct {
		name, command string
		run           operation
		reply         bson.D
		old, new      string // new replaces old in the bytes of the reply
	}{
		{"a text before write errors", "insert", insert, bson.D{okay, n, broken, duplicate}, text, longer},
		{"a negative length before write errors", "insert", insert, bson.D{okay, n, broken, duplicate}, text, strings.Replace(text, "\x07\x00\x00\x00", "\xff\xff\xff\xff", 1)},
		{"a type that does not exist before write errors", "insert", insert, bson.D{okay, n, broken, duplicate}, text, strings.Replace(text, "\x02", "\x66", 1)},
		{"a text before a write concern error", "insert", insert, bson.D{okay, n, broken, late}, text, longer},
		{"a text in a write error", "insert", insert, bson.D{okay, n, {Key: "writeErrors", Value: bson.A{bson.D{broken}}}}, text, longer},
		{"a text before a cursor", "find", find, bson.D{okay, broken, batch(0)}, text, longer},
		{"a text in a cursor", "find", find, bson.D{okay, {Key: "cursor", Value: bson.D{broken, {Key: "id", Value: int64(0)}}}}, text, longer},
		{"a batch with a length of four", "find", find, bson.D{okay, batch(0)}, "firstBatch\x00\x16", "firstBatch\x00\x04"},
		{"a batch that is shorter than its documents", "find", find, bson.D{okay, batch(0)}, "firstBatch\x00\x16", "firstBatch\x00\x15"},
		{"a batch that is longer than the cursor", "find", find, bson.D{okay, batch(0)}, "firstBatch\x00\x16", "firstBatch\x00\x76"},
		{"a document that is longer than its batch", "find", find, bson.D{okay, batch(0)}, "\x030\x00\x0e", "\x030\x00\x1e"},
		{"a document that is shorter than its fields", "find", find, bson.D{okay, batch(0)}, "\x030\x00\x0e", "\x030\x00\x0d"},
		{"a text in the reply to a command", "ping", lookup, bson.D{okay, broken}, text, longer},
	} {
		list = append(list, attack{name: tt.name, command: tt.command, run: tt.run,
			reply: func(r hostile.Request) []byte {
				msg := hostile.Message(r, tt.reply)
				changed := bytes.Replace(msg, []byte(tt.old), []byte(tt.new), 1)
				if bytes.Equal(msg, changed) {
					panic(tt.name + ": nothing is malformed")
				}
				return changed
			}})
	}
	attackAll(t, list)
}

// The server's indexes of a bulk write count from the message's first write, whatever its place among the caller's
// writes.
func TestIndexesFromNowhere(t *testing.T) {
	writes := func(ctx context.Context, c *mongo.Collection) error {
		update := &mongo.UpdateOneModel{Filter: bson.D{}, Update: bson.Doc("$set", bson.Doc("a", 1)), Upsert: new(true)}
		models := []mongo.WriteModel{update, &mongo.DeleteOneModel{Filter: bson.D{}}, update, update}
		_, err := c.BulkWrite(ctx, models, &options.BulkWrite{Ordered: new(false)})
		return err
	}
	var list []attack
	for _, index := range []any{int64(math.MaxInt64), int64(math.MinInt64), -1, 1, math.NaN(), "0", nil} {
		reply := func(key string, ok bool) {
			list = append(list, attack{
				name: fmt.Sprintf("%s with %v", key, index), command: "update", run: writes, ok: ok,
				hello: bson.Doc("maxWriteBatchSize", 1),
				reply: func(r hostile.Request) []byte {
					item := bson.Doc("index", index, "_id", 1, "code", 1, "errmsg", "no")
					return hostile.Message(r, bson.Doc("ok", 1, "n", 1, key, bson.A{item}))
				},
			})
		}
		reply("upserted", false)
		reply("writeErrors", false)
	}
	attackAll(t, list)
}
