package mongotest_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/suite/wireconn"
)

func connect(t *testing.T, d *mongotest.Deployment, opts ...*options.Client) *mongo.Client {
	t.Helper()
	client, err := mongo.Connect(t.Context(), d.URI(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(context.Background()) })
	return client
}

// failPoint switches a fail point on for a number of times.
func failPoint(t *testing.T, client *mongo.Client, name string, times int, data bson.D) {
	t.Helper()
	command := bson.Doc("configureFailPoint", name, "mode", bson.Doc("times", times), "data", data)
	if err := client.Database("admin").RunCommand(t.Context(), command).Err(); err != nil {
		t.Fatal(err)
	}
}

func TestKilledMemberComesBack(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	client := connect(t, d)
	c := client.Database("kill").Collection("c")
	if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
		t.Fatal(err)
	}
	killed := d.Primary()
	d.Kill(killed)
	if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 2)); err != nil {
		t.Fatal(err)
	}
	if err := d.Restart(killed); err != nil {
		t.Fatal(err)
	}
	if n, err := c.CountDocuments(t.Context(), bson.D{}); err != nil || n != 2 {
		t.Errorf("%d documents, %v", n, err)
	}
}

func TestForcedFailoverLosesWhatNoMajorityHad(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.LoseUnreplicatedWrites())
	client := connect(t, d)
	db := client.Database("lose")
	majority := db.Collection("c")
	one := db.Collection("c", &options.Collection{WriteConcern: &options.WriteConcern{W: 1}})
	if _, err := majority.InsertOne(t.Context(), bson.Doc("_id", "majority")); err != nil {
		t.Fatal(err)
	}
	if _, err := one.InsertOne(t.Context(), bson.Doc("_id", "one")); err != nil {
		t.Fatal(err)
	}
	d.Kill(d.Primary())
	cursor, err := majority.Find(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	docs, err := mongo.All[bson.M](t.Context(), cursor)
	if err != nil || len(docs) != 1 || docs[0]["_id"] != "majority" {
		t.Errorf("%v, %v", docs, err)
	}
}

// A drop frees much memory, but a failover may still undo it.
func TestForcedFailoverLosesADrop(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.LoseUnreplicatedWrites())
	db := connect(t, d).Database("lose")
	majority := db.Collection("c")
	if _, err := majority.InsertOne(t.Context(), bson.Doc("large", make([]byte, 9<<20))); err != nil {
		t.Fatal(err)
	}
	if err := db.Collection("c", &options.Collection{WriteConcern: &options.WriteConcern{W: 1}}).Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.Kill(d.Primary())
	if n, err := majority.CountDocuments(t.Context(), bson.D{}); err != nil || n != 1 {
		t.Errorf("%d documents, %v", n, err)
	}
}

func TestLostRetryableWriteIsDoneAgain(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.LoseUnreplicatedWrites())
	db := connect(t, d).Database("again")
	if _, err := db.Collection("c").InsertOne(t.Context(), bson.Doc("_id", "majority")); err != nil {
		t.Fatal(err)
	}
	id := bson.NewUUID()
	insert := func() {
		command := bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", "one")},
			"writeConcern", bson.Doc("w", 1), "lsid", bson.Doc("id", id), "txnNumber", int64(1))
		nc, err := wireconn.Dial(t.Context(), d.Hosts()[d.Primary()])
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		if reply, err := nc.Run(t.Context(), "again", command); err != nil || !reply.Lookup("writeErrors").IsZero() {
			t.Fatalf("%v, %v", reply, err)
		}
	}
	insert()
	d.Kill(d.Primary())
	if _, err := db.Collection("c").InsertOne(t.Context(), bson.Doc("_id", "later")); err != nil {
		t.Fatal(err)
	}
	insert()
	if n, err := db.Collection("c").CountDocuments(t.Context(), bson.D{}); err != nil || n != 3 {
		t.Errorf("%d documents, %v", n, err)
	}
}

func TestFailPointsInsideCommands(t *testing.T) {
	t.Parallel() // it mostly waits
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client := connect(t, d)
	c := client.Database("fail").Collection("c")
	if _, err := c.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2), bson.Doc("_id", 3)}); err != nil {
		t.Fatal(err)
	}
	t.Run("failGetMoreAfterCursorCheckout", func(t *testing.T) {
		failPoint(t, client, "failGetMoreAfterCursorCheckout", 1, bson.Doc("errorCode", int32(errcode.CursorKilled)))
		cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(2))})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := mongo.All[bson.D](t.Context(), cursor); !fault.HasErrorCode(err, errcode.CursorKilled) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("onPrimaryTransactionalWrite drops the connection after the write", func(t *testing.T) {
		failPoint(t, client, "onPrimaryTransactionalWrite", 1, bson.Doc("closeConnection", true))
		if _, err := c.InsertOne(t.Context(), bson.Doc("_id", "once")); err != nil {
			t.Fatal(err)
		}
		if n, err := c.CountDocuments(t.Context(), bson.Doc("_id", "once")); err != nil || n != 1 {
			t.Errorf("%d documents, %v", n, err)
		}
	})
	t.Run("unknown", func(t *testing.T) {
		err := client.Database("admin").RunCommand(t.Context(), bson.Doc("configureFailPoint", "nothing", "mode", "off")).Err()
		if err == nil {
			t.Error("a fail point that does not exist was set")
		}
	})
}

func TestControlIsUsedUpFirstInFirstOut(t *testing.T) {
	d := mongotest.Start(t)
	client := connect(t, d)
	reply := func(n int32) mongotest.Answer {
		raw, err := bson.Marshal(bson.Doc("ok", 1.0, "n", n))
		if err != nil {
			t.Fatal(err)
		}
		return mongotest.Answer{Reply: raw}
	}
	for n := range int32(2) {
		d.Control("ping", func(mongotest.Command) mongotest.Answer { return reply(n) })
	}
	for want := range int32(2) {
		var got struct{ N int32 }
		if err := client.Database("admin").RunCommand(t.Context(), bson.Doc("ping", 1)).Decode(&got); err != nil || got.N != want {
			t.Errorf("%+v, %v, want %d", got, err, want)
		}
	}
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

func TestCommandsHoldNoSecrets(t *testing.T) {
	d := mongotest.Start(t, mongotest.Auth("ada", "secret"))
	if err := connect(t, d).Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Commands() {
		if c.Name == "saslContinue" && !c.Body.Lookup("payload").IsZero() {
			t.Errorf("%v", c.Body)
		}
	}
}

func TestWriteConcernThatCannotBeMet(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	client := connect(t, d)
	insert := func(wc *options.WriteConcern) error {
		c := client.Database("wc").Collection("c", &options.Collection{WriteConcern: wc})
		_, err := c.InsertOne(t.Context(), bson.D{})
		return err
	}
	if err := insert(&options.WriteConcern{W: 4}); !fault.HasErrorCode(err, errcode.UnsatisfiableWriteConcern) {
		t.Errorf("w: 4 = %v", err)
	}
	if err := insert(&options.WriteConcern{W: "elsewhere"}); !fault.HasErrorCode(err, errcode.UnknownReplWriteConcern) {
		t.Errorf("w: elsewhere = %v", err)
	}
	d.Kill((d.Primary() + 1) % 3)
	if err := insert(&options.WriteConcern{W: 3, WTimeout: new(20 * time.Millisecond)}); !fault.HasErrorCode(err, errcode.WriteConcernTimeout) {
		t.Errorf("w: 3 with a member down = %v", err)
	}
	if err := insert(&options.WriteConcern{W: "majority"}); err != nil {
		t.Errorf("w: majority with a member down = %v", err)
	}
}

func TestRandomBytesDoNotHurt(t *testing.T) {
	d := mongotest.Start(t)
	for range 50 {
		nc, err := net.Dial("tcp", d.Hosts()[0])
		if err != nil {
			t.Fatal(err)
		}
		noise := make([]byte, 4096)
		rand.Read(noise)
		nc.Write(noise)
		nc.(*net.TCPConn).CloseWrite() // or the server waits for the rest of a long message
		nc.SetReadDeadline(time.Now().Add(5 * time.Second))
		if _, err := io.Copy(io.Discard, nc); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		nc.Close()
	}
	if err := connect(t, d).Ping(t.Context(), nil); err != nil {
		t.Error(err)
	}
}
