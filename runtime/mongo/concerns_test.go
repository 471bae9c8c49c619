package mongo_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Read and Write Concern, "Via Code", "Read Commands": a database or collection inherits the concerns that it does not
// set. One that it sets is sent, even if it is the server's default.
func TestConcernsAreInherited(t *testing.T) {
	none, noneToWrite := &options.ReadConcern{}, &options.WriteConcern{}
	for _, tt := range []struct {
		name        string
		client      options.Client
		database    *options.Database // nil passes none
		collection  *options.Collection
		read, write string // the level and the w that are sent
	}{
		{name: "nowhere"},
		{"from the client", options.Client{ReadConcern: mongo.ReadMajority(), WriteConcern: mongo.Majority()},
			nil, nil, "majority", "majority"},
		{"from the database", options.Client{}, &options.Database{ReadConcern: mongo.ReadAvailable(), WriteConcern: mongo.Majority()},
			nil, "available", "majority"},
		{"of the database before the client", options.Client{ReadConcern: mongo.ReadMajority(), WriteConcern: mongo.Majority()},
			&options.Database{ReadConcern: mongo.ReadLocal(), WriteConcern: &options.WriteConcern{W: "tag"}}, nil, "local", "tag"},
		{"of the collection before both", options.Client{ReadConcern: mongo.ReadMajority()},
			&options.Database{ReadConcern: mongo.ReadAvailable(), WriteConcern: mongo.Majority()},
			&options.Collection{ReadConcern: mongo.ReadLocal(), WriteConcern: &options.WriteConcern{W: "tag"}}, "local", "tag"},
		{"the default of the collection", options.Client{ReadConcern: mongo.ReadMajority(), WriteConcern: mongo.Majority()},
			nil, &options.Collection{ReadConcern: none, WriteConcern: noneToWrite}, "", ""},
		{"a level that is unknown", options.Client{}, nil, &options.Collection{ReadConcern: &options.ReadConcern{Level: "martian"}},
			"martian", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			answerEach(d, "find", encodeReply(t, "ok", 1, "cursor", bson.Doc("id", int64(0), "ns", "shop.things", "firstBatch", bson.A{})))
			answerEach(d, "insert", encodeReply(t, "ok", 1, "n", 1))
			client, r := connectRecorded(t, d, &tt.client)
			c := client.Database("shop").Collection("things")
			if tt.database != nil {
				c = client.Database("shop", tt.database).Collection("things")
			}
			if tt.collection != nil {
				c = c.Database().Collection("things", tt.collection)
			}
			if err := ignoreNoDocuments(c.FindOne(t.Context(), bson.D{}).Err()); err != nil {
				t.Fatal(err)
			}
			if _, err := c.InsertOne(t.Context(), bson.D{}); err != nil {
				t.Fatal(err)
			}
			find, insert := r.commands("find")[0].Command, r.commands("insert")[0].Command
			level, _ := find.Lookup("readConcern", "level").StringOK()
			w, _ := insert.Lookup("writeConcern", "w").StringOK()
			if level != tt.read || find.Lookup("readConcern").IsZero() != (tt.read == "") {
				t.Errorf("the read concern %v, want %q", find.Lookup("readConcern"), tt.read)
			}
			if w != tt.write || insert.Lookup("writeConcern").IsZero() != (tt.write == "") {
				t.Errorf("the write concern %v, want %q", insert.Lookup("writeConcern"), tt.write)
			}
		})
	}
}

// Read and Write Concern, "Errors": the caller gets the server's error about a read concern, and the driver does not
// retry.
func TestErrorsOfReadConcernsArePassedOn(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, r := connectRecorded(t, d)
	answerEach(d, "find", encodeReply(t, "ok", 0, "code", errcode.FailedToParse, "errmsg", "martian is no level"))
	c := client.Database("shop").Collection("things", &options.Collection{ReadConcern: &options.ReadConcern{Level: "martian"}})
	if err := c.FindOne(t.Context(), bson.D{}).Err(); !mongo.HasErrorCode(err, errcode.FailedToParse) || len(r.commands("find")) != 1 {
		t.Errorf("%d commands, err = %v", len(r.commands("find")), err)
	}
}
