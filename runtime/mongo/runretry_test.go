package mongo_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// operations are one of each kind that a fail point can meet.
var operations = []struct {
	name, command string
	retried       bool
	run           func(context.Context, *mongo.Collection) error
}{
	{"insertOne", "insert", true, func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.InsertOne(ctx, bson.Doc("x", 1))
		return err
	}},
	{"insertMany", "insert", true, func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.InsertMany(ctx, []bson.D{bson.Doc("x", 1), bson.Doc("x", 2)})
		return err
	}},
	{"updateOne", "update", true, func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.UpdateOne(ctx, bson.D{}, bson.Doc("$inc", bson.Doc("x", 1)))
		return err
	}},
	{"updateMany", "update", false, func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.UpdateMany(ctx, bson.D{}, bson.Doc("$inc", bson.Doc("x", 1)))
		return err
	}},
	{"replaceOne", "update", true, func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.ReplaceOne(ctx, bson.D{}, bson.Doc("x", 1))
		return err
	}},
	{"deleteOne", "delete", true, func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.DeleteOne(ctx, bson.D{})
		return err
	}},
	{"deleteMany", "delete", false, func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.DeleteMany(ctx, bson.D{})
		return err
	}},
	{"findOneAndUpdate", "findAndModify", true, func(ctx context.Context, c *mongo.Collection) error {
		return ignoreNoDocuments(c.FindOneAndUpdate(ctx, bson.D{}, bson.Doc("$inc", bson.Doc("x", 1))).Err())
	}},
	{"findOneAndReplace", "findAndModify", true, func(ctx context.Context, c *mongo.Collection) error {
		return ignoreNoDocuments(c.FindOneAndReplace(ctx, bson.D{}, bson.Doc("x", 1)).Err())
	}},
	{"findOneAndDelete", "findAndModify", true, func(ctx context.Context, c *mongo.Collection) error {
		return ignoreNoDocuments(c.FindOneAndDelete(ctx, bson.D{}).Err())
	}},
	{"findOne", "find", true, func(ctx context.Context, c *mongo.Collection) error {
		return ignoreNoDocuments(c.FindOne(ctx, bson.D{}).Err())
	}},
	{"find", "find", true, func(ctx context.Context, c *mongo.Collection) error {
		return drainFunc(ctx)(c.Find(ctx, bson.D{}))
	}},
	{"aggregate", "aggregate", true, func(ctx context.Context, c *mongo.Collection) error {
		return drainFunc(ctx)(c.Aggregate(ctx, bson.A{bson.Doc("$match", bson.D{})}))
	}},
	{"aggregate $out", "aggregate", false, func(ctx context.Context, c *mongo.Collection) error {
		return drainFunc(ctx)(c.Aggregate(ctx, bson.A{bson.Doc("$out", "copy")}))
	}},
	{"countDocuments", "aggregate", true, func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.CountDocuments(ctx, bson.D{})
		return err
	}},
	{"estimatedDocumentCount", "count", true, func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.EstimatedDocumentCount(ctx)
		return err
	}},
	{"distinct", "distinct", true, func(ctx context.Context, c *mongo.Collection) error {
		return c.Distinct(ctx, "x", bson.D{}).Err()
	}},
	{"listIndexes", "listIndexes", true, func(ctx context.Context, c *mongo.Collection) error {
		return drainFunc(ctx)(c.ListIndexes(ctx))
	}},
	{"listCollections", "listCollections", true, func(ctx context.Context, c *mongo.Collection) error {
		return drainFunc(ctx)(c.Database().ListCollections(ctx, bson.D{}))
	}},
	{"listDatabases", "listDatabases", true, func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.Database().Client().ListDatabases(ctx, bson.D{})
		return err
	}},
	{"createIndex", "createIndexes", false, func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.CreateIndex(ctx, mongo.IndexModel{Keys: bson.Doc("x", 1)})
		return err
	}},
	{"runCommand", "ping", false, func(ctx context.Context, c *mongo.Collection) error {
		return c.Database().RunCommand(ctx, bson.Doc("ping", 1)).Err()
	}},
}

// ignoreNoDocuments returns nil if the error is that no document was found.
func ignoreNoDocuments(err error) error {
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil
	}
	return err
}

func drainFunc(ctx context.Context) func(*mongo.Cursor, error) error {
	return func(cursor *mongo.Cursor, err error) error {
		if err == nil {
			_, err = mongo.All[bson.Raw](ctx, cursor)
		}
		return err
	}
}

func TestEachOperationIsRetriedAsSpecified(t *testing.T) {
	// The driver retries HostUnreachable. Unlike a broken connection, it does not force a new discovery of the server.
	const code = 6
	for _, version := range []string{"4.2", "4.4", "6.0", "8.0"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version(version))
			client, events := connectRecorded(t, d)
			c := client.Database("shop").Collection("things")
			if _, err := c.InsertMany(t.Context(), []bson.D{bson.Doc("x", 1), bson.Doc("x", 2)}); err != nil {
				t.Fatal(err)
			}
			for _, op := range operations {
				fail(t, d, once, failCommandData(op.command, "errorCode", code))
				before := len(events.commands(op.command))
				err := op.run(t.Context(), c)
				sent := events.commands(op.command)[before:]
				if (err == nil) != op.retried {
					t.Errorf("%s: err = %v, retried should be %v", op.name, err, op.retried)
				}
				if want := map[bool]int{true: 2, false: 1}[op.retried]; len(sent) != want {
					t.Errorf("%s: sent %d times, want %d", op.name, len(sent), want)
					continue
				}
				if op.retried && (sent[0].OperationID != sent[1].OperationID ||
					!sent[0].Command.Lookup("txnNumber").Equal(sent[1].Command.Lookup("txnNumber")) ||
					!sent[0].Command.Lookup("lsid").Equal(sent[1].Command.Lookup("lsid"))) {
					t.Errorf("%s: the retry differs in operationId, lsid or txnNumber", op.name)
				}
			}
		})
	}
}

func TestBrokenConnectionsAndStateChangesAreRetried(t *testing.T) {
	for _, shape := range shapes[1:] {
		for _, failure := range []struct {
			name   string
			answer mongotest.Answer
		}{
			{"closed connection", mongotest.Answer{Drop: true}},
			{"state change", mongotest.Answer{Reply: encodeReply(t, "ok", 0, "code", 11600, "errorLabels", bson.A{"RetryableWriteError"})}},
		} {
			t.Run(shape.name+", "+failure.name, func(t *testing.T) {
				t.Parallel()
				d := mongotest.Start(t, shape.option)
				client, events := connectRecorded(t, d, &options.Client{HeartbeatFrequency: new(500 * time.Millisecond)})
				c := client.Database("shop").Collection("things")
				d.Control("insert", func(mongotest.Command) mongotest.Answer { return failure.answer })
				d.Control("find", func(mongotest.Command) mongotest.Answer { return failure.answer })
				if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
					t.Error(err)
				}
				if err := c.FindOne(t.Context(), bson.D{}).Err(); err != nil {
					t.Error(err)
				}
				if n, m := len(events.commands("insert")), len(events.commands("find")); n < 2 || m < 2 {
					t.Errorf("%d inserts and %d finds: nothing failed", n, m)
				}
			})
		}
	}
}

func TestRetriesCanBeTurnedOff(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, events := connectRecorded(t, d, &options.Client{RetryReads: new(false), RetryWrites: new(false)})
	c := client.Database("shop").Collection("things")
	for _, op := range operations {
		fail(t, d, once, failCommandData(op.command, "errorCode", 6))
		before := len(events.commands(op.command))
		if err := op.run(t.Context(), c); err == nil || mongo.HasErrorLabel(err, "RetryableWriteError") {
			t.Errorf("%s: err = %v", op.name, err)
		}
		sent := events.commands(op.command)[before:]
		if len(sent) != 1 || !sent[0].Command.Lookup("txnNumber").IsZero() {
			t.Errorf("%s: sent %d times, or with a txnNumber", op.name, len(sent))
		}
	}
}

func TestWhichErrorOfTwoTriesCounts(t *testing.T) {
	reply := func(code int, labels ...any) bson.Raw {
		return encodeReply(t, "ok", 0, "code", code, "errmsg", "told to", "errorLabels", bson.A(labels))
	}
	tests := []struct {
		name          string
		first, second mongotest.Answer
		want          int // the code, 0 for a network error
	}{
		{"the second of two that may be retried", mongotest.Answer{Reply: reply(91, "RetryableWriteError")},
			mongotest.Answer{Reply: reply(189, "RetryableWriteError")}, 189},
		{"the first when the second wrote nothing", mongotest.Answer{Reply: reply(91, "RetryableWriteError")},
			mongotest.Answer{Reply: reply(10107, "RetryableWriteError", "NoWritesPerformed")}, 91},
		{"the second, though final", mongotest.Answer{Drop: true}, mongotest.Answer{Reply: reply(11000)}, 11000},
		{"the second, a network error", mongotest.Answer{Reply: reply(91, "RetryableWriteError")}, mongotest.Answer{Drop: true}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			client, _ := connectRecorded(t, d, &options.Client{HeartbeatFrequency: new(500 * time.Millisecond)})
			d.Control("insert", func(mongotest.Command) mongotest.Answer { return tt.first })
			d.Control("insert", func(mongotest.Command) mongotest.Answer { return tt.second })
			_, err := client.Database("shop").Collection("things").InsertOne(t.Context(), bson.Doc("x", 1))
			var failed mongo.CommandError
			switch {
			case tt.want == 0 && !mongo.IsNetworkError(err):
				t.Errorf("err = %v, want a network error", err)
			case tt.want != 0 && (!errors.As(err, &failed) || int(failed.Code) != tt.want):
				t.Errorf("err = %v, want code %d", err, tt.want)
			}
		})
	}
}

// A read writes nothing, so the label that says so does not make an earlier error better.
func TestWhichErrorOfTwoReadsCounts(t *testing.T) {
	overload := bson.A{"RetryableError", "SystemOverloadedError", "NoWritesPerformed"}
	for _, tt := range []struct {
		name, command string
		run           func(context.Context, *mongo.Database) error
		want          errcode.Code
	}{
		{"find", "find", func(ctx context.Context, db *mongo.Database) error {
			return db.Collection("things").FindOne(ctx, bson.D{}).Err()
		}, 462},
		{"runCommand counts as a write", "ping", func(ctx context.Context, db *mongo.Database) error {
			return db.RunCommand(ctx, bson.Doc("ping", 1)).Err()
		}, 91},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client, _ := s.connectRecorded()
				mongo.SetJitter(client, func() float64 { return 0 })
				first := bson.A{"RetryableError", "SystemOverloadedError"}
				answers := []bson.Raw{
					encodeReply(t, "ok", 0, "code", 91, "errmsg", "first", "errorLabels", first),
					encodeReply(t, "ok", 0, "code", 462, "errmsg", "second", "errorLabels", overload),
					encodeReply(t, "ok", 0, "code", 462, "errmsg", "third", "errorLabels", overload),
				}
				for _, answer := range answers {
					s.d.Control(tt.command, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: answer} })
				}
				if err := tt.run(t.Context(), client.Database("shop")); !mongo.HasErrorCode(err, tt.want) {
					t.Errorf("err = %v, want code %d", err, tt.want)
				}
			}, mongotest.ReplicaSet(1))
		})
	}
}

func TestHandshakeErrorsAreRetried(t *testing.T) {
	for _, data := range []bson.D{
		failCommandData("hello", "closeConnection", true, "appName", "retrier"),
		failCommandData("saslContinue", "errorCode", 91, "appName", "retrier"),
		failCommandData("saslContinue", "closeConnection", true, "appName", "retrier"),
	} {
		t.Run(data.String(), func(t *testing.T) {
			t.Parallel()
			d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Auth("ada", "secret"))
			client, events := connectRecorded(t, d, &options.Client{AppName: new("retrier")})
			// The connection of the first operation is established under the fail point.
			fail(t, d, once, data)
			if _, err := client.Database("shop").Collection("things").InsertOne(t.Context(), bson.Doc("x", 1)); err != nil {
				t.Error(err)
			}
			if n := len(events.commands("insert")); n != 1 {
				t.Errorf("insert was sent %d times", n)
			}
		})
	}
}

func TestContextEndsARetry(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, events := connectRecorded(t, d)
	ctx, cancel := context.WithCancel(t.Context())
	d.Control("insert", func(mongotest.Command) mongotest.Answer {
		cancel()
		return mongotest.Answer{Drop: true}
	})
	_, err := client.Database("shop").Collection("things").InsertOne(ctx, bson.Doc("x", 1))
	if err == nil || len(events.commands("insert")) != 1 {
		t.Errorf("err = %v after %d inserts", err, len(events.commands("insert")))
	}
	_, err = client.Database("shop").Collection("things").InsertOne(ctx, bson.Doc("x", 1))
	if !errors.Is(err, context.Canceled) || len(events.commands("insert")) != 1 {
		t.Errorf("with a context that has ended: err = %v", err)
	}
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Errorf("the client is of no use any more: %v", err)
	}
}

func TestAppliedWriteKeepsItsResult(t *testing.T) {
	for _, version := range []string{"4.2", "8.0"} {
		t.Run(version, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client, events := s.connectRecorded()
				s.fail(bson.Doc("times", 2), failCommandData("insert", "writeConcernError", bson.Doc("code", 91, "errmsg", "shutting down")))
				result, err := client.Database("shop").Collection("things").InsertOne(t.Context(), bson.Doc("_id", 7))
				var failed mongo.WriteException
				if !errors.As(err, &failed) || failed.WriteConcernError == nil || !mongo.HasErrorLabel(err, "RetryableWriteError") {
					t.Errorf("err = %v", err)
				}
				if result == nil || !result.Acknowledged || result.InsertedID != int32(7) {
					t.Errorf("result = %+v", result)
				}
				if n := len(events.commands("insert")); n != 2 {
					t.Errorf("insert was sent %d times", n)
				}
			}, mongotest.ReplicaSet(1), mongotest.Version(version))
		})
	}
}

func TestShardedRetryGoesToAnotherRouter(t *testing.T) {
	d := mongotest.Start(t, mongotest.Sharded(2))
	client, events := connectRecorded(t, d)
	unreachable := encodeReply(t, "ok", 0, "code", 6, "errmsg", "told to")
	for known := 0; known < 2; { // until both routers are known
		known = 0
		for _, server := range client.TopologyDescription().Servers {
			if server.Type == description.Mongos {
				known++
			}
		}
		if err := client.Ping(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		d.Control("find", func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: unreachable} })
		before := len(events.commands("find"))
		if err := ignoreNoDocuments(client.Database("shop").Collection("things").FindOne(t.Context(), bson.D{}).Err()); err != nil {
			t.Fatal(err)
		}
		sent := events.commands("find")[before:]
		if len(sent) != 2 || host(sent[0].ConnectionID) == host(sent[1].ConnectionID) {
			t.Fatalf("the tries went to %v", sent)
		}
	}
}

// host removes the connection's number.
func host(connectionID string) string {
	address, _, _ := strings.Cut(connectionID, "[-")
	return address
}
