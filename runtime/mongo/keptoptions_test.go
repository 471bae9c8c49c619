package mongo_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The commit of a transaction has the options that the program gave at its start, whatever it has done with them since;
// so has the second attempt of WithTransaction.
func TestOptionsOfATransactionAreTakenAtItsStart(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	things := client.Database("shop").Collection("things")
	insertIDs(t, things, 1)
	s, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.EndSession(t.Context())
	given := func() *options.Transaction {
		return &options.Transaction{ReadConcern: &options.ReadConcern{Level: "majority"}, WriteConcern: &options.WriteConcern{W: 1}}
	}
	change := func(o *options.Transaction) { o.ReadConcern.Level, o.WriteConcern.W = "local", "majority" }

	o := given()
	if err := s.StartTransaction(o); err != nil {
		t.Fatal(err)
	}
	change(o)
	if err := things.FindOne(mongo.NewSessionContext(t.Context(), s), bson.D{}).Err(); err != nil {
		t.Fatal(err)
	}
	if err := s.CommitTransaction(t.Context()); err != nil {
		t.Fatal(err)
	}

	o = given()
	attempts := 0
	err = s.WithTransaction(t.Context(), func(ctx context.Context) error {
		attempts++
		change(o)
		err := things.FindOne(ctx, bson.D{}).Err()
		if attempts == 1 {
			return mongo.CommandError{Labels: []string{"TransientTransactionError"}}
		}
		return err
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range r.commands("find") {
		if level, _ := c.Command.Lookup("readConcern", "level").StringOK(); level != "majority" {
			t.Errorf("transaction %d began with %v", i+1, c.Command)
		}
	}
	for i, c := range r.commands("commitTransaction") {
		if w, _ := c.Command.Lookup("writeConcern", "w").AsInt64OK(); w != 1 {
			t.Errorf("commit %d has %v", i+1, c.Command)
		}
	}
	if n := len(r.commands("commitTransaction")); n != 2 {
		t.Errorf("%d commits", n)
	}
}

// A handle keeps the settings that it was made with.
func TestSettingsOfAHandleAreTakenWhenItIsMade(t *testing.T) {
	deployment := mongotest.Start(t, mongotest.ReplicaSet(1))
	timeout, concern := new(time.Minute), &options.WriteConcern{W: 1, Journal: new(true)}
	client, r := connectRecorded(t, deployment, &options.Client{WriteConcern: concern, Timeout: timeout})
	db := client.Database("shop", &options.Database{WriteConcern: concern, Timeout: timeout})
	coll := client.Database("shop").Collection("things", &options.Collection{WriteConcern: concern, Timeout: timeout})
	handles := map[string]*mongo.Collection{
		"client": client.Database("shop").Collection("things"), "database": db.Collection("things"), "collection": coll,
	}
	*timeout, concern.W, *concern.Journal = 1, "majority", false
	for name, handle := range handles {
		if _, err := handle.InsertOne(t.Context(), bson.D{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for _, c := range r.commands("insert") {
		if got := c.Command.Lookup("writeConcern").String(); got != `{"w":1,"j":true}` {
			t.Errorf("an insert asks for %s", got)
		}
	}
}

// The getMores of a cursor, and the aggregates of a stream, have the comment of the operation, whatever the program has
// made of its value since.
func TestCommentsOfLaterCommands(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, r := connectRecorded(t, d)
	coll := client.Database("shop").Collection("things")
	insertIDs(t, coll, 1, 2, 3)
	comment := func() bson.M { return bson.M{"n": 1} }
	opened := map[string]func(o bson.M) (*mongo.Cursor, error){
		"find": func(o bson.M) (*mongo.Cursor, error) {
			return coll.Find(t.Context(), bson.D{}, &options.Find{Comment: o, BatchSize: new(int32(1))})
		},
		"aggregate": func(o bson.M) (*mongo.Cursor, error) {
			return coll.Aggregate(t.Context(), bson.A{}, &options.Aggregate{Comment: o, BatchSize: new(int32(1))})
		},
		"runCommand": func(o bson.M) (*mongo.Cursor, error) {
			return client.Database("shop").RunCursorCommand(t.Context(), bson.Doc("find", "things", "batchSize", 1),
				&options.RunCursorCommand{Comment: o, BatchSize: new(int32(1))})
		},
		"SetComment": func(o bson.M) (*mongo.Cursor, error) {
			cursor, err := coll.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(1))})
			cursor.SetComment(o)
			return cursor, err
		},
	}
	for name, open := range opened {
		mine, before := comment(), len(r.commands("getMore"))
		cursor, err := open(mine)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		mine["n"] = 2
		if all, err := mongo.All[bson.Raw](t.Context(), cursor); err != nil || len(all) != 3 {
			t.Fatalf("%s: %d documents, %v", name, len(all), err)
		}
		wantFirstComment(t, name, r.commands("getMore")[before:])
	}

	mine, before := comment(), len(r.commands("getMore"))
	stream, _ := watchColl(t, client, &options.ChangeStream{Comment: mine})
	mine["n"] = 2
	fail(t, d, once, failCommandData("getMore", "errorCode", 234, "errorLabels", bson.A{"ResumableChangeStreamError"}))
	if _, err := client.Database("db").Collection("coll").InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
		t.Fatal(err)
	}
	wantEvent(t, stream, 1)
	aggregates := r.commands("aggregate")
	wantFirstComment(t, "stream", append(aggregates[len(aggregates)-2:], r.commands("getMore")[before:]...))
}

func wantFirstComment(t *testing.T, name string, commands []*event.CommandStarted) {
	t.Helper()
	if len(commands) < 2 {
		t.Errorf("%s: %d commands", name, len(commands))
	}
	for _, c := range commands {
		if got := c.Command.Lookup("comment").String(); got != `{"n":1}` {
			t.Errorf("%s: %v", name, c.Command)
		}
	}
}

// A comment that cannot be encoded is an error of the getMore.
func TestCommentOfACursorThatCannotBeEncoded(t *testing.T) {
	client, _ := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	coll := client.Database("shop").Collection("things")
	insertIDs(t, coll, 1, 2)
	cursor, err := coll.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(1))})
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close(t.Context())
	cursor.SetComment(func() {})
	for cursor.Next(t.Context()) {
	}
	if encoding, ok := errors.AsType[*bson.EncodeError](cursor.Err()); !ok {
		t.Errorf("%v, %v", cursor.Err(), encoding)
	}
}
