package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongotest"
)

// lagging starts a set of three whose members 1 and 2 lack the last writes, and writes three documents one by one.
func lagging(t *testing.T, one, two int) (*mongotest.Deployment, *mongo.Database) {
	t.Helper()
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	db := connect(t, d).Database("db")
	for i := range 3 {
		if _, err := db.Collection("c").InsertOne(t.Context(), bson.Doc("_id", i)); err != nil {
			t.Fatal(err)
		}
	}
	d.Lag(1, one)
	d.Lag(2, two)
	return d, db
}

// A read sees what its read concern allows on the member that answers.
func TestReadConcernOfLaggingMembers(t *testing.T) {
	for _, test := range []struct {
		name      string
		one, two  int // writes that the secondaries lack
		secondary bool
		level     string
		want      int
	}{
		{"primary, local", 1, 1, false, "local", 3},
		{"primary, majority", 1, 2, false, "majority", 2},
		{"primary, majority, one lags", 0, 2, false, "majority", 3},
		{"primary, linearizable", 0, 2, false, "linearizable", 3},
		{"primary, snapshot", 1, 2, false, "snapshot", 2},
		{"secondary, local", 2, 2, true, "local", 1},
		{"secondary, available", 1, 1, true, "available", 2},
		{"secondary, majority", 2, 2, true, "majority", 1},
		{"secondary, up to date", 0, 0, true, "majority", 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, db := lagging(t, test.one, test.two)
			var o options.RunCommand
			if test.secondary {
				o.ReadPreference = &options.ReadPreference{Mode: options.Secondary}
			}
			reply, err := db.RunCommand(t.Context(), bson.Doc("find", "c", "readConcern", bson.Doc("level", test.level)), &o).Raw()
			if err != nil {
				t.Fatal(err)
			}
			batch, _ := reply.Lookup("cursor", "firstBatch").ArrayOK()
			got := 0
			for range batch.All() {
				got++
			}
			if got != test.want {
				t.Errorf("%d documents, want %d", got, test.want)
			}
			if at := reply.Lookup("cursor", "atClusterTime"); at.IsZero() == (test.level == "snapshot") {
				t.Errorf("atClusterTime is %v", at)
			}
		})
	}
}

// What a lagging member cannot do: make up a majority, answer a linearizable read, or a causally consistent one in time.
func TestLaggingMembersCannot(t *testing.T) {
	d, db := lagging(t, 1, 1)
	insert := bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 9)}, "writeConcern", bson.Doc("w", "majority", "wtimeout", 20))
	reply, err := db.RunCommand(t.Context(), insert).Raw()
	if err == nil {
		if code, _ := reply.Lookup("writeConcernError", "code").AsInt64OK(); code != int64(errcode.WriteConcernTimeout) {
			t.Errorf("%v", reply)
		}
	} else if !fault.HasCode(err, errcode.WriteConcernTimeout) {
		t.Error(err)
	}
	reply, err = db.RunCommand(t.Context(), bson.Doc("ping", 1)).Raw()
	if err != nil {
		t.Fatal(err)
	}
	sec, inc, _ := reply.Lookup("operationTime").TimestampOK()
	secondary := &options.RunCommand{ReadPreference: &options.ReadPreference{Mode: options.Secondary}}
	after := bson.Doc("find", "c", "readConcern", bson.Doc("afterClusterTime", bson.Timestamp{T: sec, I: inc}), "maxTimeMS", 30)
	for _, test := range []struct {
		name    string
		command bson.D
		want    errcode.Code
	}{
		{"linearizable", bson.Doc("find", "c", "readConcern", bson.Doc("level", "linearizable")), errcode.NotWritablePrimary},
		{"causally consistent", after, errcode.MaxTimeMSExpired},
		{"no such level", bson.Doc("find", "c", "readConcern", bson.Doc("level", "strong")), errcode.BadValue},
	} {
		if err := db.RunCommand(t.Context(), test.command, secondary).Err(); !fault.HasCode(err, test.want) {
			t.Errorf("%s: %v, want code %d", test.name, err, test.want)
		}
	}
	d.Lag(1, 0)
	d.Lag(2, 0)
	if err := db.RunCommand(t.Context(), after, secondary).Err(); err != nil {
		t.Errorf("caught up: %v", err)
	}
}
