package mongo_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The prose tests of crud/tests/README.md, by their numbers.

// limits are the size limits in a server's hello.
type limits struct {
	MaxBSONObjectSize   int `bson:"maxBsonObjectSize"`
	MaxMessageSizeBytes int `bson:"maxMessageSizeBytes"`
	MaxWriteBatchSize   int `bson:"maxWriteBatchSize"`
}

// connectCRUDProse is a client of a deployment in which only db.coll exists.
func connectCRUDProse(t *testing.T, opts ...*options.Client) (*mongotest.Deployment, *mongo.Client, *recorder, limits) {
	t.Helper()
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"), mongotest.NoCommands())
	client, r := connectRecorded(t, d, opts...)
	var hello limits
	if err := client.Database("admin").RunCommand(t.Context(), bson.Doc("hello", 1)).Decode(&hello); err != nil {
		t.Fatal(err)
	}
	if err := client.Database("db").CreateCollection(t.Context(), "coll"); err != nil {
		t.Fatal(err)
	}
	return d, client, r, hello
}

// inDBColl writes to db.coll.
func inDBColl(model mongo.ClientWriteModel) mongo.ClientBulkWrite {
	return mongo.ClientBulkWrite{Database: "db", Collection: "coll", Model: model}
}

// opsOf returns the length of ops in each bulkWrite command that was sent. All of them must belong to one operation.
func opsOf(t *testing.T, r *recorder) []int {
	t.Helper()
	var lengths []int
	sent := r.commands("bulkWrite")
	for _, e := range sent {
		lengths = append(lengths, lengthOf(e.Command, "ops"))
		if e.OperationID != sent[0].OperationID {
			t.Errorf("operation %d, then %d", sent[0].OperationID, e.OperationID)
		}
	}
	return lengths
}

func lengthOf(command bson.Raw, field string) int {
	array, _ := command.Lookup(field).ArrayOK()
	return bson.Raw(array).Len()
}

func wantOps(t *testing.T, r *recorder, want ...int) {
	t.Helper()
	if got := opsOf(t, r); !slices.Equal(got, want) {
		t.Errorf("bulkWrite commands with %v operations, want %v", got, want)
	}
}

func TestCRUDProse1WriteConcernErrorDetails(t *testing.T) {
	d, client, _, _ := connectCRUDProse(t)
	info := bson.Doc("writeConcern", bson.Doc("w", 2, "wtimeout", 0, "provenance", "clientSupplied"))
	fail(t, d, once, failCommandData("insert", "writeConcernError", bson.Doc("code", 100, "codeName", "UnsatisfiableWriteConcern",
		"errmsg", "Not enough data-bearing nodes", "errInfo", info)))
	_, err := client.Database("db").Collection("coll").InsertOne(t.Context(), bson.Doc("x", 1))
	wce, ok := errors.AsType[mongo.WriteConcernError](err)
	if !ok || !slices.Equal(wce.Details, encodeReply(t, "writeConcern", info[0].Value)) {
		t.Errorf("err = %v with the details %v", err, wce.Details)
	}
}

func TestCRUDProse2WriteErrorDetails(t *testing.T) {
	_, client, r, _ := connectCRUDProse(t)
	db := client.Database("db")
	validator := bson.Doc("x", bson.Doc("$type", "string"))
	if err := db.CreateCollection(t.Context(), "test", &options.CreateCollection{Validator: validator}); err != nil {
		t.Fatal(err)
	}
	_, err := db.Collection("test").InsertOne(t.Context(), bson.Doc("x", 1))
	we, ok := errors.AsType[mongo.WriteError](err)
	if !ok || we.Code != errcode.DocumentValidationFailure || len(we.Details) == 0 {
		t.Fatalf("err = %v", err)
	}
	at := slices.IndexFunc(r.succeeded, func(e *event.CommandSucceeded) bool { return e.CommandName == "insert" })
	if at < 0 {
		t.Fatal("no event of success")
	}
	if sent, _ := r.succeeded[at].Reply.Lookup("writeErrors", "0", "errInfo").DocumentOK(); !slices.Equal(sent, we.Details) {
		t.Errorf("details %v, the server said %v", we.Details, sent)
	}
}

func TestCRUDProse3SplitsByCount(t *testing.T) {
	_, client, r, hello := connectCRUDProse(t)
	models := slices.Repeat([]mongo.ClientBulkWrite{inDBColl(insertOne("a", "b"))}, hello.MaxWriteBatchSize+1)
	result, err := client.BulkWrite(t.Context(), models)
	if err != nil || int(result.InsertedCount) != len(models) {
		t.Fatalf("%+v, %v", result, err)
	}
	wantOps(t, r, hello.MaxWriteBatchSize, 1)
}

func TestCRUDProse4SplitsBySize(t *testing.T) {
	_, client, r, hello := connectCRUDProse(t)
	model := inDBColl(insertOne("a", strings.Repeat("b", hello.MaxBSONObjectSize-500)))
	n := hello.MaxMessageSizeBytes/hello.MaxBSONObjectSize + 1
	result, err := client.BulkWrite(t.Context(), slices.Repeat([]mongo.ClientBulkWrite{model}, n))
	if err != nil || int(result.InsertedCount) != n {
		t.Fatalf("%+v, %v", result, err)
	}
	wantOps(t, r, n-1, 1)
}

func TestCRUDProse5CollectsWriteConcernErrors(t *testing.T) {
	d, client, r, hello := connectCRUDProse(t, &options.Client{
		RetryWrites: new(false), HeartbeatFrequency: new(500 * time.Millisecond), // after which the server is known again
	})
	fail(t, d, bson.Doc("times", 2), failCommandData("bulkWrite", "writeConcernError",
		bson.Doc("code", 91, "errmsg", "Replication is being shut down")))
	models := slices.Repeat([]mongo.ClientBulkWrite{inDBColl(insertOne("a", "b"))}, hello.MaxWriteBatchSize+1)
	_, err := client.BulkWrite(t.Context(), models)
	failed, ok := errors.AsType[mongo.ClientBulkWriteException](err)
	if !ok || len(failed.WriteConcernErrors) != 2 || failed.PartialResult == nil {
		t.Fatalf("err = %v", err)
	}
	if int(failed.PartialResult.InsertedCount) != len(models) {
		t.Errorf("partial result %+v", failed.PartialResult)
	}
	if n := len(r.commands("bulkWrite")); n != 2 {
		t.Errorf("%d commands", n)
	}
}

func TestCRUDProse6HandlesWriteErrorsAcrossBatches(t *testing.T) {
	tests := []struct {
		name     string
		ordered  bool
		errors   func(limits) int
		commands int
	}{
		{"unordered", false, func(l limits) int { return l.MaxWriteBatchSize + 1 }, 2},
		{"ordered", true, func(limits) int { return 1 }, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, client, r, hello := connectCRUDProse(t)
			if _, err := client.Database("db").Collection("coll").InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
				t.Fatal(err)
			}
			models := slices.Repeat([]mongo.ClientBulkWrite{inDBColl(insertOne("_id", 1))}, hello.MaxWriteBatchSize+1)
			_, err := client.BulkWrite(t.Context(), models, &options.ClientBulkWrite{Ordered: &tt.ordered})
			failed, ok := errors.AsType[mongo.ClientBulkWriteException](err)
			if !ok || len(failed.WriteErrors) != tt.errors(hello) || failed.PartialResult != nil {
				t.Errorf("%d errors, partial result %v", len(failed.WriteErrors), failed.PartialResult)
			}
			if n := len(r.commands("bulkWrite")); n != tt.commands {
				t.Errorf("%d commands, want %d", n, tt.commands)
			}
		})
	}
}

// largeUpserts are two upserts whose results need two batches of the cursor.
func largeUpserts(hello limits) []mongo.ClientBulkWrite {
	var models []mongo.ClientBulkWrite
	for _, letter := range []string{"a", "b"} {
		models = append(models, inDBColl(&mongo.UpdateOneModel{
			Filter: bson.Doc("_id", strings.Repeat(letter, hello.MaxBSONObjectSize/2)),
			Update: bson.Doc("$set", bson.Doc("x", 1)), Upsert: new(true),
		}))
	}
	return models
}

var verbose = &options.ClientBulkWrite{VerboseResults: new(true)}

func TestCRUDProse7ReadsTheCursor(t *testing.T) {
	_, client, r, hello := connectCRUDProse(t)
	result, err := client.BulkWrite(t.Context(), largeUpserts(hello), verbose)
	if err != nil || result.UpsertedCount != 2 || len(result.UpdateResults) != 2 {
		t.Fatalf("%v, %v", result.UpsertedCount, err)
	}
	if len(r.commands("getMore")) == 0 {
		t.Error("no getMore")
	}
}

func TestCRUDProse8ReadsTheCursorInATransaction(t *testing.T) {
	_, client, r, hello := connectCRUDProse(t)
	err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
		if err := s.StartTransaction(); err != nil {
			return err
		}
		result, err := client.BulkWrite(ctx, largeUpserts(hello), verbose)
		if err == nil && (result.UpsertedCount != 2 || len(result.UpdateResults) != 2) {
			t.Errorf("%d upserted, %d results", result.UpsertedCount, len(result.UpdateResults))
		}
		return err
	})
	if err != nil {
		t.Fatalf("err = %.300v", err)
	}
	if len(r.commands("getMore")) == 0 {
		t.Error("no getMore")
	}
}

func TestCRUDProse9HandlesAnErrorOfGetMore(t *testing.T) {
	d, client, r, hello := connectCRUDProse(t)
	fail(t, d, once, failCommandData("getMore", "errorCode", 8))
	_, err := client.BulkWrite(t.Context(), largeUpserts(hello), verbose)
	failed, ok := errors.AsType[mongo.ClientBulkWriteException](err)
	if !ok || !mongo.HasErrorCode(failed.Err, errcode.UnknownError) {
		t.Fatalf("err = %.200v", err)
	}
	if p := failed.PartialResult; p == nil || p.UpsertedCount != 2 || len(p.UpdateResults) != 1 {
		t.Error("the partial result is wrong")
	}
	if len(r.commands("getMore")) != 1 || len(r.commands("killCursors")) != 1 {
		t.Errorf("%d getMore, %d killCursors", len(r.commands("getMore")), len(r.commands("killCursors")))
	}
}

func TestCRUDProse11SplitsByNamespace(t *testing.T) {
	other := strings.Repeat("c", 200)
	tests := []struct {
		name       string
		collection string
		split      bool
	}{
		{"case 1, no splitting", "coll", false},
		{"case 2, splitting", other, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, client, r, hello := connectCRUDProse(t)
			opsBytes := hello.MaxMessageSizeBytes - 1122
			n, remainder := opsBytes/hello.MaxBSONObjectSize, opsBytes%hello.MaxBSONObjectSize
			models := slices.Repeat([]mongo.ClientBulkWrite{
				inDBColl(insertOne("a", strings.Repeat("b", hello.MaxBSONObjectSize-57)))}, n)
			if remainder >= 217 {
				n++
				models = append(models, inDBColl(insertOne("a", strings.Repeat("b", remainder-57))))
			}
			models = append(models, mongo.ClientBulkWrite{Database: "db", Collection: tt.collection, Model: insertOne("a", "b")})
			result, err := client.BulkWrite(t.Context(), models)
			if err != nil || int(result.InsertedCount) != n+1 {
				t.Fatalf("%+v, %v", result, err)
			}
			var names []string
			for _, e := range r.commands("bulkWrite") {
				if lengthOf(e.Command, "nsInfo") != 1 {
					t.Errorf("%d namespaces", lengthOf(e.Command, "nsInfo"))
				}
				name, _ := e.Command.Lookup("nsInfo", "0", "ns").StringOK()
				names = append(names, name)
			}
			if !tt.split {
				wantOps(t, r, n+1)
			} else {
				wantOps(t, r, n, 1)
			}
			if want := []string{"db.coll", "db." + other}[:len(names)]; !slices.Equal(names, want) {
				t.Errorf("namespaces %.40v", names)
			}
		})
	}
}

func TestCRUDProse12RefusesWhatFitsNoMessage(t *testing.T) {
	_, client, r, hello := connectCRUDProse(t)
	text := strings.Repeat("b", hello.MaxMessageSizeBytes)
	tests := []struct {
		name  string
		model mongo.ClientBulkWrite
	}{
		{"case 1, document", inDBColl(insertOne("a", text))},
		{"case 2, namespace", mongo.ClientBulkWrite{Database: "db", Collection: text, Model: insertOne("a", "b")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result, err := client.BulkWrite(t.Context(), []mongo.ClientBulkWrite{tt.model})
			if _, ok := errors.AsType[mongo.DocumentTooLargeError](err); !ok || result != nil || len(r.commands("bulkWrite")) != 0 {
				t.Errorf("%v, err = %.200v", result, err)
			}
		})
	}
}

func TestCRUDProse15UnacknowledgedInAllBatches(t *testing.T) {
	_, client, r, hello := connectCRUDProse(t)
	model := inDBColl(insertOne("a", strings.Repeat("b", hello.MaxBSONObjectSize-500)))
	n := hello.MaxMessageSizeBytes/hello.MaxBSONObjectSize + 1
	result, err := client.BulkWrite(t.Context(), slices.Repeat([]mongo.ClientBulkWrite{model}, n),
		&options.ClientBulkWrite{Ordered: new(false), WriteConcern: &options.WriteConcern{W: 0}})
	if err != nil || result.Acknowledged {
		t.Fatalf("%+v, %v", result, err)
	}
	wantOps(t, r, n-1, 1)
	for _, e := range r.commands("bulkWrite") {
		if w, ok := e.Command.Lookup("writeConcern", "w").AsInt64OK(); !ok || w != 0 {
			t.Errorf("write concern %v", e.Command.Lookup("writeConcern"))
		}
	}
	count, err := client.Database("db").Collection("coll").CountDocuments(t.Context(), bson.D{})
	if err != nil || int(count) != n {
		t.Errorf("%d documents, %v", count, err)
	}
}

func TestCRUDProse16GeneratedIDsComeFirst(t *testing.T) {
	_, client, r, _ := connectCRUDProse(t)
	coll, doc := client.Database("db").Collection("coll"), bson.Doc("x", 1, "y", 2)
	if _, err := coll.InsertOne(t.Context(), doc); err != nil {
		t.Fatal(err)
	}
	if _, err := coll.BulkWrite(t.Context(), []mongo.WriteModel{&mongo.InsertOneModel{Document: doc}}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.BulkWrite(t.Context(), []mongo.ClientBulkWrite{inDBColl(&mongo.InsertOneModel{Document: doc})}); err != nil {
		t.Fatal(err)
	}
	first := func(e *event.CommandStarted, path ...string) {
		sent, _ := e.Command.Lookup(path...).DocumentOK()
		if element, ok := sent.Index(0); !ok || element.Key != "_id" {
			t.Errorf("%s sends %v", e.CommandName, sent)
		}
	}
	for _, e := range r.commands("insert") {
		first(e, "documents", "0")
	}
	for _, e := range r.commands("bulkWrite") {
		first(e, "ops", "0", "document")
	}
	if len(r.commands("insert")) != 2 || len(r.commands("bulkWrite")) != 1 {
		t.Error("a command is missing")
	}
}
