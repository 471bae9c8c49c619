package mongo_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A program's own cluster time goes with the commands of its session alone: no server has vouched for it.
//
// Sessions, "advanceClusterTime", "How to compute the $clusterTime to send to a server".
func TestAdvanceClusterTimeConcernsOneSession(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, r := connectRecorded(t, d)
	answer := mustMarshal(t, bson.Doc("ok", 1)) // teaches the client no time
	d.Intercept(mongotest.Named("ping"), 0, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: answer} })
	own := mustMarshal(t, clusterTimeOf(0))
	err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
		if err := s.AdvanceClusterTime(own); err != nil {
			return err
		}
		other, err := client.StartSession()
		if err != nil {
			return err
		}
		defer other.EndSession(ctx)
		for _, ctx := range []context.Context{t.Context(), ctx, t.Context(), mongo.NewSessionContext(ctx, other)} {
			if err := client.Ping(ctx, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range r.commands("ping") {
		if sent, _ := e.Command.Lookup("$clusterTime").DocumentOK(); (string(sent) == string(own)) != (i == 1) {
			t.Errorf("ping %d has the cluster time %v", i, sent)
		}
	}
}

// The server judges the operation time that a program sets; the driver passes it on, however it compares with what it
// knows.
//
// Causal Consistency, "advanceOperationTime".
func TestAdvanceOperationTimeIsNotJudged(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, r := connectRecorded(t, d)
	empty := mustMarshal(t, bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(0), "ns", "db.c", "firstBatch", bson.A{})))
	d.Intercept(mongotest.Named("find"), 0, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: empty} })
	later := bson.Timestamp{T: math.MaxUint32, I: 7}
	for name, known := range map[string]bool{"without a cluster time": false, "beyond the cluster time": true} {
		err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
			if known {
				if err := s.AdvanceClusterTime(mustMarshal(t, bson.Doc("clusterTime", bson.Timestamp{T: 1}))); err != nil {
					return err
				}
			}
			if err := s.AdvanceOperationTime(&later); err != nil {
				return err
			}
			return ignoreNoDocuments(client.Database("db").Collection("c").FindOne(ctx, bson.D{}).Err())
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i, e := range r.commands("find") {
		at, inc, _ := e.Command.Lookup("readConcern", "afterClusterTime").TimestampOK()
		if (bson.Timestamp{T: at, I: inc}) != later {
			t.Errorf("find %d is sent as %v", i, e.Command)
		}
	}
}

// A server session counts as used each time that a command names it: first tries, retries, and what goes on behind the
// end of an operation. The pool would otherwise drop it although the server keeps it.
//
// Sessions, "lastUse".
func TestEveryCommandRenewsItsSession(t *testing.T) {
	const most = 30 * time.Minute // what the server says in its hello
	for name, use := range map[string]func(context.Context, *scene, *mongo.Collection) error{
		"an operation": func(ctx context.Context, s *scene, c *mongo.Collection) error {
			time.Sleep(most * 2 / 3)
			return ignoreNoDocuments(c.FindOne(ctx, bson.D{}).Err())
		},
		"a retry": func(ctx context.Context, s *scene, c *mongo.Collection) error {
			s.fail(once, failCommandData("find", "blockConnection", true, "blockTimeMS", (most*2/3).Milliseconds(),
				"errorCode", errcode.ShutdownInProgress))
			return ignoreNoDocuments(c.FindOne(ctx, bson.D{}).Err())
		},
		"killCursors": func(ctx context.Context, s *scene, c *mongo.Collection) error {
			cursor, err := c.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(1))})
			if err != nil {
				return err
			}
			time.Sleep(most * 2 / 3)
			return cursor.Close(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client, r := s.connectRecorded()
				c := client.Database("db").Collection("c")
				if _, err := c.InsertMany(t.Context(), emptyDocuments(3)); err != nil {
					t.Fatal(err)
				}
				session, err := client.StartSession()
				if err != nil {
					t.Fatal(err)
				}
				if err := use(mongo.NewSessionContext(t.Context(), session), s, c); err != nil {
					t.Fatal(err)
				}
				time.Sleep(most * 2 / 3)
				session.EndSession(t.Context())
				if err := client.Ping(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				if lsid, _ := r.commands("ping")[0].Command.Lookup("lsid").DocumentOK(); string(lsid) != string(session.ID()) {
					t.Errorf("the next operation has the session %v, want %v", lsid, session.ID())
				}
			}, mongotest.ReplicaSet(1))
		})
	}
}

// Sessions, "When opening and authenticating a connection", "Do not gossip on SDAM commands": what opens a connection
// names no session and no time, whatever the client knows by then.
func TestOpeningAConnectionNamesNoSession(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Auth("ada", "secret"))
	client := connect(t, d)
	for range 3 {
		if err := retriedRead.run(t.Context(), client.Database("shop").Collection("things")); err != nil {
			t.Fatal(err)
		}
		d.CloseConnections(0)
	}
	opening, others := 0, 0
	for _, c := range d.Commands() {
		named := !c.Body.Lookup("lsid").IsZero() || !c.Body.Lookup("$clusterTime").IsZero()
		switch strings.ToLower(c.Name) {
		case "hello", "ismaster", "saslstart", "saslcontinue":
			if opening++; named {
				t.Errorf("%s: %v", c.Name, c.Body)
			}
		case "find":
			if others++; !named {
				t.Errorf("%s: %v", c.Name, c.Body)
			}
		}
	}
	if opening < 6 || others < 3 {
		t.Errorf("%d commands that open connections, %d others", opening, others)
	}
}

// Sessions, "startSession": what the program does with its options afterwards changes nothing.
func TestOptionsOfASessionAreTakenAtItsStart(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	db := client.Database("shop")
	if err := db.CreateCollection(t.Context(), "things"); err != nil {
		t.Fatal(err)
	}
	o := &options.Session{
		DefaultTimeout: new(time.Hour),
		DefaultTransaction: &options.Transaction{
			ReadConcern: &options.ReadConcern{Level: "local"}, WriteConcern: &options.WriteConcern{W: 1}, MaxCommitTime: new(time.Hour),
		},
	}
	s, err := client.StartSession(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.EndSession(t.Context())
	*o.DefaultTimeout, *o.DefaultTransaction.MaxCommitTime = 1, 1
	o.DefaultTransaction.ReadConcern.Level, o.DefaultTransaction.WriteConcern.W = "majority", "majority"
	o.DefaultTransaction.ReadConcern = nil
	err = s.WithTransaction(t.Context(), func(ctx context.Context) error {
		return ignoreNoDocuments(db.Collection("things").FindOne(ctx, bson.D{}).Err())
	})
	if err != nil {
		t.Fatal(err)
	}
	if level, _ := r.commands("find")[0].Command.Lookup("readConcern", "level").StringOK(); level != "local" {
		t.Errorf("the transaction began with %v", r.commands("find")[0].Command)
	}
	if w, _ := r.commands("commitTransaction")[0].Command.Lookup("writeConcern", "w").AsInt64OK(); w != 1 {
		t.Errorf("it was committed with %v", r.commands("commitTransaction")[0].Command)
	}
}
