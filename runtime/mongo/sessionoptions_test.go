package mongo_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A session keeps the options that it was started with, whatever the program does to its own struct afterwards.
//
// Sessions, "startSession".
func TestASessionKeepsItsOptions(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(3)))
	c := client.Database("db").Collection("c")
	if _, err := c.InsertOne(t.Context(), bson.D{}); err != nil {
		t.Fatal(err)
	}
	read, write, from, limit := &options.ReadConcern{Level: "snapshot"}, mongo.W(2), mongo.Primary(), new(time.Minute)
	given := &options.Transaction{ReadConcern: read, WriteConcern: write, ReadPreference: from, MaxCommitTime: limit}
	session, err := client.StartSession(&options.Session{DefaultTransaction: given})
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(t.Context())
	read.Level, write.W, from.Mode, *limit = "majority", 3, options.Secondary, time.Hour
	*given = options.Transaction{}
	if err := session.StartTransaction(); err != nil {
		t.Fatal(err)
	}
	ctx := mongo.NewSessionContext(t.Context(), session)
	if err := c.FindOne(ctx, bson.D{}).Err(); err != nil {
		t.Fatal(err)
	}
	if err := session.CommitTransaction(t.Context()); err != nil {
		t.Fatal(err)
	}
	find, commit := r.commands("find")[0].Command, r.commands("commitTransaction")[0].Command
	if level, _ := find.Lookup("readConcern", "level").StringOK(); level != "snapshot" {
		t.Errorf("read with %v", find.Lookup("readConcern"))
	}
	if w, _ := commit.Lookup("writeConcern", "w").AsInt64OK(); w != 2 {
		t.Errorf("committed with %v", commit.Lookup("writeConcern"))
	}
	if ms, _ := commit.Lookup("maxTimeMS").AsInt64OK(); ms != 60_000 {
		t.Errorf("committed within %v", commit.Lookup("maxTimeMS"))
	}
}
