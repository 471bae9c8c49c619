package mongo_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// commonMistake is a mistake that people make once they are connected. The words stand for the cause and for the next
// step.
type commonMistake struct {
	name  string
	words string
	make  func(ctx context.Context, shop *mongo.Database) error
}

// onUsers makes a mistake with the collection users, which holds one document.
func onUsers(f func(ctx context.Context, users *mongo.Collection) error) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, shop *mongo.Database) error { return f(ctx, shop.Collection("users")) }
}

func insertFunc(document any) func(context.Context, *mongo.Database) error {
	return onUsers(func(ctx context.Context, users *mongo.Collection) error {
		_, err := users.InsertOne(ctx, document)
		return err
	})
}

// insertDFunc inserts a bson.D whose contents are wrong. The error must be about the contents, not about the bson.D.
func insertDFunc(document bson.D) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, shop *mongo.Database) error {
		err := insertFunc(document)(ctx, shop)
		if err != nil && strings.Contains(err.Error(), "is a list") {
			return fmt.Errorf("a bson.D is taken for a list: %w", err)
		}
		return err
	}
}

type reader struct{ Name string }

// decodeFieldFunc decodes a document with one field into v.
func decodeFieldFunc(name string, value, v any) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, _ *mongo.Database) error {
		return mongo.NewSingleResultFromDocument(bson.Doc(name, value), nil).Decode(v)
	}
}

func insertManyFunc(documents any) func(context.Context, *mongo.Database) error {
	return onUsers(func(ctx context.Context, users *mongo.Collection) error {
		_, err := users.InsertMany(ctx, documents)
		return err
	})
}

func findFunc(filter any, opts ...*options.Find) func(context.Context, *mongo.Database) error {
	return onUsers(func(ctx context.Context, users *mongo.Collection) error {
		_, err := users.Find(ctx, filter, opts...)
		return err
	})
}

func updateFunc(update any, opts ...*options.UpdateOne) func(context.Context, *mongo.Database) error {
	return onUsers(func(ctx context.Context, users *mongo.Collection) error {
		_, err := users.UpdateOne(ctx, bson.D{}, update, opts...)
		return err
	})
}

func aggregateFunc(pipeline any) func(context.Context, *mongo.Database) error {
	return onUsers(func(ctx context.Context, users *mongo.Collection) error {
		_, err := users.Aggregate(ctx, pipeline)
		return err
	})
}

func createIndexFunc(model mongo.IndexModel) func(context.Context, *mongo.Database) error {
	return onUsers(func(ctx context.Context, users *mongo.Collection) error {
		_, err := users.Indexes().CreateOne(ctx, model)
		return err
	})
}

func decodeFunc(v any) func(context.Context, *mongo.Database) error {
	return onUsers(func(ctx context.Context, users *mongo.Collection) error {
		return users.FindOne(ctx, bson.D{}).Decode(v)
	})
}

func readAllFunc(v any) func(context.Context, *mongo.Database) error {
	return onUsers(func(ctx context.Context, users *mongo.Collection) error {
		cursor, err := users.Find(ctx, bson.D{})
		if err != nil {
			return err
		}
		return cursor.All(ctx, v)
	})
}

func runCommandFunc(command any) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, shop *mongo.Database) error { return shop.RunCommand(ctx, command).Err() }
}

func nameFunc(database, collection string) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, shop *mongo.Database) error {
		return shop.Client().Database(database).Collection(collection).FindOne(ctx, bson.D{}).Err()
	}
}

func inSessionFunc(f func(ctx context.Context, s *mongo.Session) error) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, shop *mongo.Database) error {
		return shop.Client().UseSession(ctx, f)
	}
}

var mistakesInDocuments = []commonMistake{
	{"no document", "nil|bson.D{}", insertFunc(nil)},
	{"a string as a document", "text|bson.Doc|UnmarshalExtJSON", insertFunc(`{"name": "Ada"}`)},
	{"a number as a document", "document", insertFunc(1)},
	{"a list as a document", "InsertMany", insertFunc([]bson.D{{}})},
	{"a single element as a document", "bson.D", insertFunc(bson.E{Key: "a", Value: 1})},
	{"a struct without exported fields", "exported|capital", insertFunc(struct{ name string }{"Ada"})},
	{"one document to InsertMany", "InsertOne|slice", insertManyFunc(bson.M{"a": 1})},
	{"no documents to InsertMany", "at least one", insertManyFunc([]any{})},
	{"nil to InsertMany", "nil", insertManyFunc(nil)},
	{"the same _id twice", "duplicate key|_id", insertFunc(bson.Doc("_id", 1))},
	{"a field of a type that has no BSON", "chan int|jobs|bson:\"-\"", insertFunc(struct{ Jobs chan int }{make(chan int)})},
	{"an unknown flag in a tag", "required", insertFunc(struct {
		Name string `bson:"name,required"`
	}{})},
	{"a name twice in tags", "two fields|name|tag", insertFunc(struct {
		First string `bson:"name"`
		Last  string `bson:"name"`
	}{})},
	{"a document that is too large", "16", insertFunc(bson.Doc("text", strings.Repeat("a", 17<<20)))},
	{"a map with numbers as keys of a kind that cannot be", "[2]int|keys", insertFunc(map[[2]int]string{{1, 2}: "a"})},
	{"JSON as bytes", "JSON|UnmarshalExtJSON", insertFunc([]byte(`{"name": "Ada"}`))},
	{"a nil pointer as a document", "the document is a nil *mongo_test.reader", insertFunc((*reader)(nil))},
	{"a nil pointer in a list", "document 1 is a nil *mongo_test.reader", insertManyFunc([]*reader{{}, nil})},
	{"a zero byte in a name", "zero byte", insertDFunc(bson.Doc("a\x00b", 1))},
	{"a function inside a document", "f: there is no BSON type|bson:\"-\"", insertDFunc(bson.Doc("f", func() {}))},
	{"a number without room", "n: 18446744073709551615", insertDFunc(bson.Doc("n", ^uint64(0)))},
	{"text that is not UTF-8", "a: the string is not UTF-8", insertDFunc(bson.Doc("a", "\xff"))},
	{"Doc with a key and no value", "the last key of Doc has no value", insertDFunc(bson.Doc("a"))},
	{"Doc with a number as a key", "argument 0 of Doc|string key", insertDFunc(bson.Doc(1, 2))},
	{"Decode of an ObjectID into text", "objectId|string|bson.ObjectID", decodeFieldFunc("_id", bson.NewObjectID(), new(struct {
		ID string `bson:"_id"`
	}))},
	{"Decode of a time into text", "date|string|time.Time", decodeFieldFunc("at", time.Now(), new(struct{ At string }))},
	{"Decode of a list into text", "array|string|slice", decodeFieldFunc("at", bson.A{1}, new(struct{ At string }))},
	{"Decode of a large number into a small one", "does not fit into int32", decodeFieldFunc("at", int64(1)<<40, new(struct{ At int32 }))},
	{"Decode of a fraction into an integer", "fraction|truncate", decodeFieldFunc("at", 1.5, new(struct{ At int }))},
	{"JSON with names without quotation marks", "key in double quotes", func(context.Context, *mongo.Database) error {
		return bson.UnmarshalExtJSON([]byte(`{name: "Ada"}`), false, new(bson.D))
	}},
	{"Unmarshal of JSON", "JSON|UnmarshalExtJSON", func(context.Context, *mongo.Database) error {
		return bson.Unmarshal([]byte(`{"name": "Ada"}`), new(bson.D))
	}},
	{"Decode without a pointer", "pointer", decodeFunc(bson.D{})},
	{"Decode into nil", "nil|pointer", decodeFunc(nil)},
	{"Decode into a nil pointer", "nil|pointer", decodeFunc((*bson.D)(nil))},
	{"Decode of text into a number", "name|string|int", decodeFunc(new(struct{ Name int }))},
	{"All without a pointer", "pointer to a slice", readAllFunc([]bson.D{})},
	{"All into one document", "pointer to a slice", readAllFunc(new(bson.D))},
}

var mistakesInQueries = []commonMistake{
	{"no filter", "nil|bson.D{}", findFunc(nil)},
	{"text as a filter", "text|bson.Doc|UnmarshalExtJSON", findFunc(`{"age": 36}`)},
	{"a single element as a filter", "bson.D", findFunc(bson.E{Key: "age", Value: 36})},
	{"a filter struct without exported fields", "exported|capital", findFunc(struct{ age int }{36})},
	{"a nil D as a filter", "the filter is a nil bson.D: pass bson.D{}", findFunc(bson.D(nil))},
	{"a nil M as a filter", "the filter is a nil bson.M: pass bson.D{}", findFunc(bson.M(nil))},
	{"a list as a filter", "the filter|is a list: pass one document:", findFunc([]bson.D{{}})},
	{"an ObjectID as a filter", "ObjectID|bson.Doc(\"_id\", id)", findFunc(bson.NewObjectID())},
	{"JSON as bytes as a filter", "filter|JSON|UnmarshalExtJSON", findFunc([]byte(`{"age": 36}`))},
	{"$or with one condition", "$or|array", findFunc(bson.Doc("$or", bson.Doc("age", 1)))},
	{"$unwind of a field without a dollar sign", "$unwind|prefixed with a '$'", aggregateFunc(mongo.Pipeline{bson.Doc("$unwind", "list")})},
	{"a stage without a dollar sign", "stage name: 'match'", aggregateFunc(mongo.Pipeline{bson.Doc("match", bson.D{})})},
	{"a cursor of a command that has none", "ping|no cursor|RunCommand", func(ctx context.Context, shop *mongo.Database) error {
		_, err := shop.RunCursorCommand(ctx, bson.Doc("ping", 1))
		return err
	}},
	{"a command of the server on a database", "database admin", runCommandFunc(bson.Doc("listDatabases", 1))},
	{"a cursor after Close", "after Next has returned true", onUsers(func(ctx context.Context, users *mongo.Collection) error {
		cursor, err := users.Find(ctx, bson.D{})
		if err != nil {
			return err
		}
		cursor.Close(ctx)
		return cursor.Decode(new(bson.D))
	})},
	{"a timeout that is too short", "find: the operation timed out", onUsers(func(ctx context.Context, users *mongo.Collection) error {
		return users.FindOne(ctx, bson.D{}, &options.FindOne{Timeout: new(time.Duration(5))}).Err()
	})},
	{"an operator without a field", "$gt", findFunc(bson.Doc("$gt", 36))},
	{"an operator that does not exist", "$greater", findFunc(bson.Doc("age", bson.Doc("$greater", 1)))},
	{"$in without a list", "$in|array", findFunc(bson.Doc("age", bson.Doc("$in", 36)))},
	{"an expression of a regular expression that is broken", "regular expression", findFunc(bson.Doc("name", bson.Regex{Pattern: "("}))},
	{"a sort in a map", "map|bson.D", findFunc(bson.D{}, &options.Find{Sort: bson.M{"age": 1, "name": 1}})},
	{"text as a sort", "sort|document", findFunc(bson.D{}, &options.Find{Sort: "age"})},
	{"a sort with true", "sort", findFunc(bson.D{}, &options.Find{Sort: bson.Doc("age", "descending")})},
	{"in and out in one projection", "projection", findFunc(bson.D{}, &options.Find{Projection: bson.Doc("name", 1, "age", 0)})},
	{"a negative skip", "skip", findFunc(bson.D{}, &options.Find{Skip: new(int64(-1))})},
	{"a hint without its index", "hint", findFunc(bson.D{}, &options.Find{Hint: "nowhere"})},
	{"a text search without its index", "text index", findFunc(bson.Doc("$text", bson.Doc("$search", "a")))},
	{"no document found", "no documents", onUsers(func(ctx context.Context, users *mongo.Collection) error {
		return users.FindOne(ctx, bson.Doc("name", "Nobody")).Decode(new(bson.D))
	})},
	{"an ObjectID of too few digits", "24", func(context.Context, *mongo.Database) error {
		_, err := bson.ObjectIDFromHex("1234")
		return err
	}},
	{"Decode before Next", "Next", onUsers(func(ctx context.Context, users *mongo.Collection) error {
		cursor, err := users.Find(ctx, bson.D{})
		if err != nil {
			return err
		}
		defer cursor.Close(ctx)
		return cursor.Decode(new(bson.D))
	})},
	{"distinct without a field", "field", onUsers(func(ctx context.Context, users *mongo.Collection) error {
		return users.Distinct(ctx, "", bson.D{}).Err()
	})},
	{"no pipeline", "nil|bson.A{}", aggregateFunc(nil)},
	{"a stage as a pipeline", "slice", aggregateFunc(bson.Doc("$match", bson.D{}))},
	{"two stages in one", "stage|one field", aggregateFunc(mongo.Pipeline{bson.Doc("$match", bson.D{}, "$limit", 1)})},
	{"a stage that does not exist", "$where2", aggregateFunc(mongo.Pipeline{bson.Doc("$where2", 1)})},
	{"a group without an _id", "_id", aggregateFunc(mongo.Pipeline{bson.Doc("$group", bson.Doc("n", bson.Doc("$sum", 1)))})},
	{"a stage behind $out", "$out|final", aggregateFunc(mongo.Pipeline{bson.Doc("$out", "a"), bson.Doc("$limit", 1)})},
	{"a command that does not exist", "nonsense", runCommandFunc(bson.Doc("nonsense", 1))},
	{"a command in a map", "map|bson.D", runCommandFunc(bson.M{"ping": 1, "comment": "a"})},
	{"a command as text", "text|bson.Doc", runCommandFunc("ping")},
}

var mistakesInWrites = []commonMistake{
	{"no update", "nil|$set", updateFunc(nil)},
	{"an update without operators", "$set|ReplaceOne", updateFunc(bson.Doc("age", 37))},
	{"an update with a struct", "$set|ReplaceOne", updateFunc(struct{ Age int }{37})},
	{"an empty update", "empty|$set", updateFunc(bson.D{})},
	{"an update operator that does not exist", "$add", updateFunc(bson.Doc("$add", bson.Doc("age", 1)))},
	{"an update of the _id", "_id|immutable", updateFunc(bson.Doc("$set", bson.Doc("_id", 2)))},
	{"a text that is incremented", "$inc|numeric", updateFunc(bson.Doc("$inc", bson.Doc("name", 1)))},
	{"two operators on one field", "conflict", updateFunc(bson.Doc("$set", bson.Doc("age", 1), "$inc", bson.Doc("age", 1)))},
	{"a placeholder without its array filter", "array filter", updateFunc(bson.Doc("$set", bson.Doc("list.$[x]", 1)))},
	{"a push to what is no array", "array", updateFunc(bson.Doc("$push", bson.Doc("name", "a")))},
	{"a replacement with operators", "UpdateOne|$", onUsers(func(ctx context.Context, users *mongo.Collection) error {
		_, err := users.ReplaceOne(ctx, bson.D{}, bson.Doc("$set", bson.Doc("age", 37)))
		return err
	})},
	{"no models", "at least one", onUsers(func(ctx context.Context, users *mongo.Collection) error {
		_, err := users.BulkWrite(ctx, nil)
		return err
	})},
	{"a nil model", "model 0|nil", onUsers(func(ctx context.Context, users *mongo.Collection) error {
		_, err := users.BulkWrite(ctx, []mongo.WriteModel{nil})
		return err
	})},
	{"a model without its update", "model 0|update|nil", onUsers(func(ctx context.Context, users *mongo.Collection) error {
		_, err := users.BulkWrite(ctx, []mongo.WriteModel{&mongo.UpdateOneModel{Filter: bson.D{}}})
		return err
	})},
	{"a session without an acknowledgement", "acknowledge", inSessionFunc(func(ctx context.Context, s *mongo.Session) error {
		c := s.Client().Database("shop").Collection("users", &options.Collection{WriteConcern: mongo.W(0)})
		_, err := c.InsertOne(ctx, bson.D{})
		return err
	})},
	{"index keys in a map", "map|bson.D", createIndexFunc(mongo.IndexModel{Keys: bson.M{"age": 1, "name": 1}})},
	{"no index keys", "index 0: the keys of the index are nil|bson.Doc", createIndexFunc(mongo.IndexModel{})},
	{"a name as index keys", "key document|text|bson.Doc", createIndexFunc(mongo.IndexModel{Keys: "age"})},
	{"a list as index keys", "index 0: the key document, a []string, is a list", createIndexFunc(mongo.IndexModel{Keys: []string{"age"}})},
	{"a direction that does not exist", "asc", createIndexFunc(mongo.IndexModel{Keys: bson.Doc("age", "asc")})},
	{"$set with text", "$set|fields", updateFunc(bson.Doc("$set", "name"))},
	{"an update in JSON", "update|string|document", updateFunc(`{"$set": {"age": 1}}`)},
	{"a number of members that do not exist", "write concern|nodes", onUsers(func(ctx context.Context, users *mongo.Collection) error {
		_, err := users.Clone(&options.Collection{WriteConcern: mongo.W(3)}).InsertOne(ctx, bson.D{})
		return err
	})},
	{"the name of a database in other letters", "different case", func(ctx context.Context, shop *mongo.Database) error {
		_, err := shop.Client().Database("Shop").Collection("users").InsertOne(ctx, bson.D{})
		return err
	}},
	{"an index that does not exist", "index not found|nowhere|age_1", onUsers(func(ctx context.Context, users *mongo.Collection) error {
		return users.Indexes().DropOne(ctx, "nowhere")
	})},
	{"a collection that exists", "already exists", func(ctx context.Context, shop *mongo.Database) error {
		return shop.CreateCollection(ctx, "users", &options.CreateCollection{Capped: new(true), Size: new(int64(1 << 20))})
	}},
	{"documents that are nil", "the documents are nil|slice", onUsers(func(ctx context.Context, users *mongo.Collection) error {
		_, err := users.InsertMany(ctx, nil)
		return err
	})},
}

func TestCommonMistakesNameTheCauseAndTheNextStep(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client := connect(t, d)
	shop := client.Database("shop")
	if _, err := shop.Collection("users").InsertOne(t.Context(), bson.Doc("_id", 1, "name", "Ada", "age", 36)); err != nil {
		t.Fatal(err)
	}
	if n := len(mistakesInDocuments) + len(mistakesInQueries) + len(mistakesInWrites) + len(mistakesInHandles); n < 62 {
		t.Errorf("%d mistakes", n)
	}
	var said wording
	for _, list := range [][]commonMistake{mistakesInDocuments, mistakesInQueries, mistakesInWrites, mistakesInHandles, mistakesInFilesAndKeys} {
		for _, m := range list {
			t.Run(m.name, func(t *testing.T) {
				err := m.make(t.Context(), shop)
				said.add(err)
				wantMentions(t, err, m.words)
			})
		}
	}
	said.compare(t, "mistakes.txt")
}

// wantMentions checks that an error has one line, one prefix and the words.
func wantMentions(t *testing.T, err error, words string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	t.Log(err)
	text := strings.ToLower(err.Error())
	for word := range strings.SplitSeq(words, "|") {
		if !strings.Contains(text, strings.ToLower(word)) {
			t.Errorf("the error lacks %q: %v", word, err)
		}
	}
	if strings.Contains(text, "\n") || strings.Count(text, "mongo: ") > 1 || strings.Index(text, "mongo: ") > 0 {
		t.Errorf("the error has several lines or prefixes: %v", err)
	}
}

// On a standalone, the error of an operation that needs a replica set says so, and how to get one.
func TestMistakesOnAStandaloneAreExplained(t *testing.T) {
	client := connect(t, mongotest.Start(t))
	const how = "replica set|mongotest.ReplicaSet(1)|--replSet|rs.initiate()"
	transaction := transact(t.Context(), client)
	wantMentions(t, transaction, how)
	if _, ok := errors.AsType[mongo.CommandError](transaction); !ok {
		t.Errorf("%T, want a CommandError", transaction)
	}
	_, err := client.Watch(t.Context(), mongo.Pipeline{})
	wantMentions(t, err, how)
	wantMentions(t, client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
		if err := s.StartTransaction(); err != nil {
			return err
		}
		return client.Database("shop").Collection("users").FindOne(ctx, bson.D{}).Err()
	}), how)
}

// If a client is closed or a context ends in the middle of a stream, the error names that one cause, on one line.
func TestLeavingAStreamHasOneCause(t *testing.T) {
	for _, leave := range []struct {
		name, want string
		leave      func(client *mongo.Client, cancel func())
	}{
		{"canceled", "context canceled", func(_ *mongo.Client, cancel func()) { cancel() }},
		{"closed", "client is closed", func(client *mongo.Client, _ func()) { client.Close(context.Background()) }},
	} {
		t.Run(leave.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client := s.connectForTest()
				stream, err := client.Watch(t.Context(), mongo.Pipeline{})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				done := make(chan bool)
				go func() { done <- stream.Next(ctx) }()
				synctest.Wait() // until it waits for the server
				if client.Stats().Operations.InFlight != 1 {
					t.Errorf("%+v", client.Stats().Operations)
				}
				leave.leave(client, cancel)
				<-done
				err = stream.Err()
				wantMentions(t, err, leave.want)
				if strings.Count(err.Error(), leave.want) != 1 {
					t.Errorf("the cause stands there more than once: %v", err)
				}
				stream.Close(context.Background())
			}, mongotest.ReplicaSet(1))
		})
	}
}
