package mongo_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// bulkReply returns the reply to a bulkWrite with one insert that succeeded, changed by fields.
func bulkReply(id int64, batch bson.A, fields ...any) bson.D {
	reply := bson.Doc("ok", 1, "nErrors", 0, "nInserted", 1, "nMatched", 0, "nModified", 0, "nUpserted", 0, "nDeleted", 0,
		"cursor", bson.Doc("id", id, "ns", "admin.$cmd.bulkWrite", "firstBatch", batch))
	for i := 0; i < len(fields); i += 2 {
		for j := range reply {
			if reply[j].Key == fields[i] {
				reply[j].Value = fields[i+1]
			}
		}
	}
	return reply
}

// Client.BulkWrite does not believe a reply that contradicts itself or the command. The error names the field, and the
// result still has what is known to be written.
func TestClientBulkWriteBelievesNoContradiction(t *testing.T) {
	won := func(i any) bson.D { return bson.Doc("ok", 1, "idx", i, "n", 1) }
	lost := func(i any) bson.D { return bson.Doc("ok", 0, "idx", i, "code", 11000, "errmsg", "duplicate", "n", 0) }
	var said wording
	for _, tt := range []struct {
		name      string
		reply     bson.D
		more      []bson.A // the batches of getMore, the last one repeated
		unordered bool
		silent    bool // without results of single writes
		wants     string
	}{
		{name: "nErrors without an error", reply: bulkReply(0, bson.A{won(0), won(1), won(2)}, "nErrors", 1), wants: "nErrors is 1, and its cursor has 0"},
		{name: "nErrors without an error, without results", reply: bulkReply(0, bson.A{}, "nErrors", 1), silent: true, wants: "nErrors is 1, and its cursor has 0"},
		{name: "an error without nErrors", reply: bulkReply(0, bson.A{won(0), lost(1)}), wants: "nErrors is 0, and its cursor has 1"},
		{name: "two errors in order", reply: bulkReply(0, bson.A{won(0), lost(1), lost(2)}, "nErrors", 2), wants: "idx 2"},
		{name: "a success behind an error", reply: bulkReply(0, bson.A{won(0), lost(1), won(2)}, "nErrors", 1), wants: "idx 2"},
		{name: "an idx of text", reply: bulkReply(0, bson.A{won(0), won("1"), won(2)}), wants: "idx"},
		{name: "no idx", reply: bulkReply(0, bson.A{won(0), bson.Doc("ok", 1), won(2)}), wants: "idx"},
		{name: "an idx of NaN", reply: bulkReply(0, bson.A{won(0), won(math.NaN())}), wants: "idx"},
		{name: "an idx that is too large", reply: bulkReply(0, bson.A{won(0), won(3)}), wants: "idx is 3, for 3"},
		{name: "a negative idx", reply: bulkReply(0, bson.A{won(0), won(-1)}), wants: "idx is -1, for 3"},
		{name: "no ok", reply: bulkReply(0, bson.A{won(0), bson.Doc("idx", 1, "n", 1)}), wants: "no valid ok"},
		{name: "a negative n", reply: bulkReply(0, bson.A{won(0), bson.Doc("ok", 1, "idx", 1, "n", -1)}), wants: "valid n"},
		{name: "an nModified of text", reply: bulkReply(0, bson.A{won(0), bson.Doc("ok", 1, "idx", 1, "n", 1, "nModified", "1")}), wants: "valid nModified"},
		{name: "an upserted of text", reply: bulkReply(0, bson.A{won(0), bson.Doc("ok", 1, "idx", 1, "n", 1, "upserted", "1")}), wants: "valid upserted"},
		{name: "fewer results", reply: bulkReply(0, bson.A{won(0), won(1)}), wants: "cursor has 2 results for 3 writes"},
		{name: "fewer results before an error", reply: bulkReply(0, bson.A{won(0), lost(2)}, "nErrors", 1), wants: "cursor has 2 results for 3 writes"},
		{name: "fewer results without an order", reply: bulkReply(0, bson.A{won(0), lost(2)}, "nErrors", 1), unordered: true, wants: "cursor has 2 results for 3 writes"},
		{name: "one result twice", reply: bulkReply(0, bson.A{won(0), won(0), won(2)}), wants: "two results with the idx 0"},
		{name: "one result for ever", reply: bulkReply(5, bson.A{won(0)}), more: []bson.A{{won(1)}}, wants: "two results with the idx 1"},
		{name: "no result for ever", reply: bulkReply(5, bson.A{won(0)}), more: []bson.A{{}}, wants: "cursor.nextBatch stays empty"},
		{name: "no namespace", reply: bulkReply(0, nil, "cursor", bson.Doc("id", int64(5), "ns", ".", "firstBatch", bson.A{won(0)})), wants: "cursor.ns"},
		{name: "a negative nDeleted", reply: bulkReply(0, bson.A{won(0), won(1), won(2)}, "nDeleted", -7), wants: "nDeleted is -7"},
		{name: "a negative nMatched", reply: bulkReply(0, bson.A{won(0), won(1), won(2)}, "nMatched", -7), wants: "nMatched is -7"},
		{name: "more inserted than asked for", reply: bulkReply(0, bson.A{won(0), won(1), won(2)}, "nInserted", 2), wants: "nInserted is 2, for 3 writes"},
		{name: "more upserted than asked for", reply: bulkReply(0, bson.A{won(0), won(1), won(2)}, "nUpserted", 2), wants: "nUpserted is 2, for 3 writes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.Standalone(), mongotest.Version("8.0"))
			client := connect(t, d)
			d.Control("bulkWrite", func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: mustMarshal(t, tt.reply)} })
			d.Intercept(mongotest.Named("getMore"), 0, func(mongotest.Command) mongotest.Answer {
				reply := bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(5), "ns", "admin.$cmd.bulkWrite", "nextBatch", tt.more[0]))
				return mongotest.Answer{Reply: mustMarshal(t, reply)}
			})
			writes := []mongo.ClientBulkWrite{
				{Database: "db", Collection: "c", Model: &mongo.InsertOneModel{Document: bson.Doc("_id", 1)}},
				{Database: "db", Collection: "c", Model: &mongo.UpdateOneModel{Filter: bson.D{}, Update: bson.Doc("$set", bson.Doc("a", 1))}},
				{Database: "db", Collection: "c", Model: &mongo.DeleteOneModel{Filter: bson.D{}}},
			}
			result, err := client.BulkWrite(t.Context(), writes,
				&options.ClientBulkWrite{VerboseResults: new(!tt.silent), Ordered: new(!tt.unordered)})
			if err == nil || !strings.Contains(err.Error(), tt.wants) {
				t.Fatalf("err = %v, want %q", err, tt.wants)
			}
			said.add(err)
			failed, ok := errors.AsType[mongo.ClientBulkWriteException](err)
			if !ok || result == nil || failed.PartialResult != result {
				t.Fatalf("%T, result %v", err, result)
			}
			if want := int64(1); result.InsertedCount != want && tt.name != "more inserted than asked for" {
				t.Errorf("%d inserted", result.InsertedCount)
			}
			if !tt.silent && len(result.InsertResults) != 1 {
				t.Errorf("%d results of inserts", len(result.InsertResults))
			}
			if result.MatchedCount < 0 || result.DeletedCount < 0 {
				t.Errorf("counts below zero: %+v", result)
			}
		})
	}
	said.compare(t, "contradictionsofclients.txt")
}

// A bulk write on a collection does not believe such a reply either, and its counts are never negative.
func TestBulkWriteBelievesNoContradiction(t *testing.T) {
	upserted := func(indexes ...any) bson.A {
		list := bson.A{}
		for i, index := range indexes {
			list = append(list, bson.Doc("index", index, "_id", i))
		}
		return list
	}
	failed := func(indexes ...any) bson.A {
		list := bson.A{}
		for _, index := range indexes {
			list = append(list, bson.Doc("index", index, "code", 11000, "errmsg", "duplicate"))
		}
		return list
	}
	var many bson.A
	for i := range 300_000 {
		many = append(many, bson.Doc("index", 0, "_id", i))
	}
	var said wording
	for _, tt := range []struct {
		name    string
		command string
		reply   bson.D
		wants   string
		upserts int // how many upserts are believed
	}{
		{"300,000 upserts of one update", "update", bson.Doc("n", 1, "nModified", 0, "upserted", many), "upserted.index is 0 twice", 1},
		{"more upserts than n", "update", bson.Doc("n", 1, "nModified", 0, "upserted", upserted(0, 1)), "n, which is 1", 1},
		{"an index of text", "update", bson.Doc("n", 2, "nModified", 0, "upserted", upserted(0, "1")), "upserted.index is not a number", 1},
		{"no index", "update", bson.Doc("n", 2, "nModified", 0, "upserted", bson.A{bson.Doc("_id", 1)}), "upserted.index is not a number", 0},
		{"an index beyond the writes", "update", bson.Doc("n", 2, "nModified", 0, "upserted", upserted(0, 2)), "upserted.index is 2, for 2", 1},
		{"a negative index", "update", bson.Doc("n", 2, "nModified", 0, "upserted", upserted(-1)), "upserted.index is -1, for 2", 0},
		{"a negative n", "update", bson.Doc("n", -5, "nModified", 0), "n is -5", 0},
		{"a negative nModified", "update", bson.Doc("n", 2, "nModified", -1), "nModified is -1", 0},
		{"an upsert by a delete", "delete", bson.Doc("n", 1, "upserted", upserted(0)), "upserted has a document", 0},
		{"a negative n of a delete", "delete", bson.Doc("n", -1), "n is -1", 0},
		{"more inserts than asked for", "insert", bson.Doc("n", 3), "n is 3, for 2", 0},
		{"fewer inserts than asked for", "insert", bson.Doc("n", 1), "n is 1, for 2 writes, and there are no writeErrors", 0},
		{"a failure of no write", "insert", bson.Doc("n", 1, "writeErrors", failed(7)), "writeErrors.index is 7, for 2", 0},
		{"a failure with an index of text", "insert", bson.Doc("n", 1, "writeErrors", failed("1")), "writeErrors.index is not a number", 0},
		{"a failure twice", "insert", bson.Doc("n", 1, "writeErrors", failed(1, 1)), "writeErrors.index is 1 twice", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.Standalone(), mongotest.Version("8.0"), mongotest.NoCommands())
			c := connect(t, d).Database("db").Collection("c")
			honest := mustMarshal(t, bson.Doc("ok", 1, "n", 2, "nModified", 0))
			strange := mustMarshal(t, append(bson.Doc("ok", 1), tt.reply...))
			d.Intercept(mongotest.Named("insert", "update", "delete"), 0, func(command mongotest.Command) mongotest.Answer {
				if command.Name == tt.command {
					return mongotest.Answer{Reply: strange}
				}
				return mongotest.Answer{Reply: honest}
			})
			set := bson.Doc("$set", bson.Doc("a", 1))
			models := []mongo.WriteModel{
				&mongo.InsertOneModel{Document: bson.D{}}, &mongo.InsertOneModel{Document: bson.D{}},
				&mongo.UpdateOneModel{Filter: bson.D{}, Update: set, Upsert: new(true)}, &mongo.UpdateManyModel{Filter: bson.D{}, Update: set},
				&mongo.DeleteOneModel{Filter: bson.D{}}, &mongo.DeleteManyModel{Filter: bson.D{}},
			}
			result, err := c.BulkWrite(t.Context(), models)
			if err == nil || !strings.Contains(err.Error(), tt.wants) {
				t.Fatalf("err = %.300v, want %q", err, tt.wants)
			}
			said.add(err)
			if _, ok := errors.AsType[mongo.BulkWriteException](err); !ok || result == nil {
				t.Fatalf("%T, result %v", err, result)
			}
			if tt.command != "insert" && result.InsertedCount != 2 {
				t.Errorf("%d inserted before", result.InsertedCount)
			}
			if result.MatchedCount < 0 || result.ModifiedCount < 0 || result.DeletedCount < 0 || result.InsertedCount < 0 ||
				result.UpsertedCount != int64(tt.upserts) || len(result.UpsertedIDs) != tt.upserts {
				t.Errorf("result %+v", *result)
			}
			if tt.command == "update" && !strings.Contains(tt.name, "index") {
				single, err := c.UpdateOne(t.Context(), bson.D{}, set)
				if err == nil || single == nil || single.MatchedCount < 0 || single.ModifiedCount < 0 || single.UpsertedCount > 1 {
					t.Errorf("UpdateOne: %+v, %.300v", single, err)
				}
			}
			if single, err := c.InsertOne(t.Context(), bson.D{}); tt.name == "fewer inserts than asked for" && (err != nil || single == nil) {
				t.Errorf("InsertOne: %+v, %v", single, err)
			}
			if single, err := c.DeleteMany(t.Context(), bson.D{}); tt.command == "delete" && (err == nil || single == nil || single.DeletedCount < 0) {
				t.Errorf("DeleteMany: %+v, %v", single, err)
			}
		})
	}
	said.compare(t, "contradictions.txt")
}

// A server that counts 0 inserts without an error has lost the document. A reply without a count is believed: programs
// mock servers in this way.
func TestInsertOneBelievesNoContradiction(t *testing.T) {
	for _, tt := range []struct {
		reply bson.D
		wants string
	}{
		{bson.Doc("ok", 1, "n", 0), "n is 0, for 1 writes"},
		{bson.Doc("ok", 1, "n", 2), "n is 2, for 1 writes"},
		{bson.Doc("ok", 1, "n", -1), "n is -1, for 1 writes"},
		{bson.Doc("ok", 1, "n", 1), ""},
		{bson.Doc("ok", 1), ""},
	} {
		t.Run(fmt.Sprint(tt.reply), func(t *testing.T) {
			d := mongotest.Start(t, mongotest.Standalone())
			c := connect(t, d).Database("db").Collection("c")
			d.Intercept(mongotest.Named("insert"), 0, func(mongotest.Command) mongotest.Answer {
				return mongotest.Answer{Reply: mustMarshal(t, tt.reply)}
			})
			result, err := c.InsertOne(t.Context(), bson.Doc("_id", 7))
			if result == nil || result.InsertedID != int32(7) && result.InsertedID != 7 || !result.Acknowledged {
				t.Fatalf("result %+v", result)
			}
			if tt.wants == "" && err != nil || tt.wants != "" && (err == nil || !strings.Contains(err.Error(), tt.wants)) {
				t.Errorf("err = %v, want %q", err, tt.wants)
			}
			many, err := c.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 8)})
			if many == nil || tt.wants == "" && err != nil || tt.wants != "" && (err == nil || !strings.Contains(err.Error(), tt.wants)) {
				t.Errorf("InsertMany: %+v, %v, want %q", many, err, tt.wants)
			}
		})
	}
}
