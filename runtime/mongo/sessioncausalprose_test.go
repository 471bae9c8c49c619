package mongo_test

import (
	"context"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The test plan of Causal Consistency. It uses the operations of the retry tests: every read and every write.

// reads are the operations that take afterClusterTime and return what a session should wait for.
func isRead(command string) bool {
	switch command {
	case "find", "aggregate", "count", "distinct":
		return true
	}
	return false
}

// afterClusterTime is what a command asks for; zero when it asks for nothing.
func afterClusterTime(command bson.Raw) bson.Timestamp {
	t, i, _ := command.Lookup("readConcern", "afterClusterTime").TimestampOK()
	return bson.Timestamp{T: t, I: i}
}

// runCausal runs two operations in a new session. It returns the second command and the session's operation time
// between the two.
func runCausal(
	t *testing.T, d *mongotest.Deployment, o *options.Session, rc *options.ReadConcern,
	first, second func(context.Context, *mongo.Collection) error, command string,
) (bson.Raw, *bson.Timestamp) {
	t.Helper()
	client, events := connectRecorded(t, d)
	c := client.Database("shop").Collection("things", &options.Collection{ReadConcern: rc})
	s, err := client.StartSession(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.EndSession(context.Background())
	if s.OperationTime() != nil {
		t.Errorf("test 1: a new session has the operation time %v", s.OperationTime())
	}
	ctx := mongo.NewSessionContext(t.Context(), s)
	first(ctx, c) // ignore its error
	if sent := events.started[0].Command; !sent.Lookup("readConcern", "afterClusterTime").IsZero() {
		t.Errorf("test 2: the first operation has afterClusterTime: %v", sent)
	}
	at := s.OperationTime()
	if at != nil {
		testOperationTime(t, events, *at)
	}
	before := len(events.commands(command))
	if err := second(ctx, c); err != nil {
		t.Errorf("%s: %v", command, err)
	}
	return events.commands(command)[before].Command, at
}

// testOperationTime is test 3: the session has the time of the last reply, even if that was an error.
func testOperationTime(t *testing.T, events *recorder, at bson.Timestamp) {
	t.Helper()
	var reply bson.Raw
	if n := len(events.succeeded); n > 0 {
		reply = events.succeeded[n-1].Reply
	} else if e, ok := events.failed[0].Failure.(mongo.CommandError); ok {
		reply = e.Raw
	}
	if sec, i, ok := reply.Lookup("operationTime").TimestampOK(); !ok || (bson.Timestamp{T: sec, I: i}) != at {
		t.Errorf("test 3: the session has the operation time %v, the reply is %v", at, reply)
	}
}

func TestCausalConsistencyProse1To6ReadsFollowOperations(t *testing.T) {
	for _, shape := range []mongotest.Option{mongotest.ReplicaSet(1), mongotest.Sharded(1)} {
		d := mongotest.Start(t, shape)
		for _, op := range operations {
			if isRead(op.command) && op.name != "aggregate $out" {
				sent, at := runCausal(t, d, nil, nil, retriedRead.run, op.run, op.command)
				if at == nil || afterClusterTime(sent) != *at {
					t.Errorf("test 4, %s after findOne: %v, want afterClusterTime %v", op.name, sent, at)
				}
				sent, at = runCausal(t, d, &options.Session{CausalConsistency: new(false)}, nil, op.run, op.run, op.command)
				if at == nil || afterClusterTime(sent) != (bson.Timestamp{}) {
					t.Errorf("test 6, %s: %v", op.name, sent)
				}
				continue
			}
			sent, at := runCausal(t, d, nil, nil, op.run, retriedRead.run, "find")
			if at == nil || afterClusterTime(sent) != *at {
				t.Errorf("test 5, findOne after %s: %v, want afterClusterTime %v", op.name, sent, at)
			}
		}
		duplicate := func(ctx context.Context, c *mongo.Collection) error {
			_, err := c.InsertOne(ctx, bson.Doc("_id", "twice"))
			return err
		}
		duplicate(t.Context(), connect(t, d).Database("shop").Collection("things"))
		if sent, at := runCausal(t, d, nil, nil, duplicate, retriedRead.run, "find"); at == nil || afterClusterTime(sent) != *at {
			t.Errorf("test 5, findOne after a write error: %v, want afterClusterTime %v", sent, at)
		}
		refused := func(ctx context.Context, c *mongo.Collection) error {
			return c.Database().RunCommand(ctx, bson.Doc("noSuchCommand", 1)).Err()
		}
		if sent, at := runCausal(t, d, nil, nil, refused, retriedRead.run, "find"); at == nil || afterClusterTime(sent) != *at {
			t.Errorf("tests 3 and 5, findOne after a command error: %v, want afterClusterTime %v", sent, at)
		}
	}
}

func TestCausalConsistencyProse7And11WithoutClusterTimes(t *testing.T) {
	sent, _ := runCausal(t, mongotest.Start(t, mongotest.Standalone()), nil, nil, retriedRead.run, retriedRead.run, "find")
	if !sent.Lookup("readConcern").IsZero() || !sent.Lookup("$clusterTime").IsZero() {
		t.Errorf("find is %v", sent)
	}
}

func TestCausalConsistencyProse8And9And12ReadConcerns(t *testing.T) {
	for _, tt := range []struct {
		name, level string
		rc          *options.ReadConcern
	}{
		{"8: the server's default", "", &options.ReadConcern{}},
		{"9: a custom one", "majority", mongo.ReadMajority()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			sent, at := runCausal(t, d, nil, tt.rc, retriedRead.run, retriedRead.run, "find")
			level, has := sent.Lookup("readConcern", "level").StringOK()
			if level != tt.level || has != (tt.level != "") || at == nil || afterClusterTime(sent) != *at {
				t.Errorf("find has the read concern %v, want level %q and %v", sent.Lookup("readConcern"), tt.level, at)
			}
			if sent.Lookup("$clusterTime").IsZero() {
				t.Errorf("find has no $clusterTime: %v", sent)
			}
		})
	}
}
