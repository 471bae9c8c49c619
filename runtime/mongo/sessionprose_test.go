package mongo_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The prose tests of Sessions. Test 2 is TestSessionPoolIsLIFO.

func TestSessionsProse1And21SnapshotOptionsThatContradict(t *testing.T) {
	client := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	for _, o := range []options.Session{
		{Snapshot: new(true), CausalConsistency: new(true)},
		{Snapshot: new(false), SnapshotTime: &bson.Timestamp{T: 1}},
	} {
		if s, err := client.StartSession(&o); err == nil {
			t.Errorf("%+v: no error", o)
			s.EndSession(t.Context())
		}
	}
}

func TestSessionsProse3ClusterTime(t *testing.T) {
	for _, shape := range shapes[1:] {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			d := mongotest.Start(t, shape.option)
			for _, op := range []struct {
				command string
				run     func(context.Context, *mongo.Collection) error
			}{
				{"ping", func(ctx context.Context, c *mongo.Collection) error {
					return c.Database().RunCommand(ctx, bson.Doc("ping", 1)).Err()
				}},
				{"aggregate", func(ctx context.Context, c *mongo.Collection) error {
					return drainFunc(ctx)(c.Aggregate(ctx, mongo.Pipeline{}))
				}},
				{"find", retriedRead.run},
				{"insert", retriedWrite.run},
			} {
				client, events := connectRecorded(t, d)
				c := client.Database("shop").Collection("things")
				for range 3 { // before the first reply the client knows no cluster time
					if err := op.run(t.Context(), c); err != nil {
						t.Fatal(err)
					}
				}
				sent := events.commands(op.command)
				if len(sent) != 3 || sent[1].Command.Lookup("$clusterTime").IsZero() {
					t.Errorf("%s: the first command has no $clusterTime: %v", op.command, sent)
				}
				want := events.succeeded[1].Reply.Lookup("$clusterTime", "clusterTime")
				if got := sent[2].Command.Lookup("$clusterTime", "clusterTime"); got.IsZero() || !got.Equal(want) {
					t.Errorf("%s: the second command has %v, want %v of the first reply", op.command, got, want)
				}
			}
		})
	}
}

func TestSessionsProse4ExplicitAndImplicit(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, events := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	s, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.EndSession(t.Context())
	for _, op := range operations {
		before := len(events.commands(op.command))
		if err := op.run(mongo.NewSessionContext(t.Context(), s), c); err != nil {
			t.Errorf("%s: %v", op.name, err)
		}
		if err := op.run(t.Context(), c); err != nil {
			t.Errorf("%s: %v", op.name, err)
		}
		sent := events.commands(op.command)[before:]
		if len(sent) != 2 {
			t.Errorf("%s: %d commands", op.name, len(sent))
			continue
		}
		if lsid, _ := sent[0].Command.Lookup("lsid").DocumentOK(); lsid.String() != s.ID().String() {
			t.Errorf("%s: in a session it has the lsid %v, want %v", op.name, lsid, s.ID())
		}
		if lsid := sent[1].Command.Lookup("lsid"); lsid.IsZero() || lsid.Equal(sent[0].Command.Lookup("lsid")) {
			t.Errorf("%s: without a session it has the lsid %v", op.name, lsid)
		}
	}
}

func TestSessionsProse5And6ForeignAndEndedSessions(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, events := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	foreign, err := connect(t, d).StartSession()
	if err != nil {
		t.Fatal(err)
	}
	ended, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	ended.EndSession(t.Context())
	for _, op := range operations {
		if err := op.run(mongo.NewSessionContext(t.Context(), foreign), c); err == nil || !strings.Contains(err.Error(), mongo.ErrWrongClient.Error()) {
			t.Errorf("%s in the session of another client: %v", op.name, err)
		}
		if err := op.run(mongo.NewSessionContext(t.Context(), ended), c); err == nil || !strings.Contains(err.Error(), "the session has ended") {
			t.Errorf("%s in an ended session: %v", op.name, err)
		}
	}
	if n := len(events.started); n != 0 {
		t.Errorf("%d commands were sent", n)
	}
	foreign.EndSession(t.Context())
}

func TestSessionsProse8And9CursorsGiveTheirSessionBack(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		documents, read, more int
		options               *options.Find
	}{
		{"8: after the first batch", 2, 1, 0, nil},
		{"9: after a getMore", 5, 4, 1, &options.Find{BatchSize: new(int32(3))}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			client, events := connectRecorded(t, d)
			c := client.Database("shop").Collection("things")
			if _, err := c.InsertMany(t.Context(), emptyDocuments(tt.documents)); err != nil {
				t.Fatal(err)
			}
			cursor, err := c.Find(t.Context(), bson.D{}, tt.options)
			if err != nil {
				t.Fatal(err)
			}
			defer cursor.Close(t.Context())
			for range tt.read {
				if !cursor.Next(t.Context()) {
					t.Fatal(cursor.Err())
				}
			}
			if n := len(events.commands("getMore")); n != tt.more || cursor.RemainingBatchLength() == 0 {
				t.Errorf("%d getMores, %d documents are left", n, cursor.RemainingBatchLength())
			}
			if err := client.Ping(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			want := events.commands("find")[0].Command.Lookup("lsid")
			if got := events.commands("ping")[0].Command.Lookup("lsid"); !got.Equal(want) {
				t.Errorf("the next operation has the lsid %v, want %v of the cursor", got, want)
			}
		})
	}
}

func TestSessionsProse11FindAndGetMoreHaveOneSession(t *testing.T) {
	onEachShape(t, func(t *testing.T, d *mongotest.Deployment, _ *mongo.Client) {
		client, events := connectRecorded(t, d)
		db := client.Database("shop")
		if _, err := db.Collection("things").InsertMany(t.Context(), emptyDocuments(3)); err != nil {
			t.Fatal(err)
		}
		for _, rp := range []*options.ReadPreference{
			mongo.Primary(), mongo.PrimaryPreferred(), mongo.Secondary(), mongo.SecondaryPreferred(), mongo.Nearest(),
		} {
			before := len(events.commands("find"))
			c := db.Collection("things", &options.Collection{ReadPreference: rp})
			cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(2))})
			if err := drainFunc(t.Context())(cursor, err); err != nil {
				t.Fatal(err)
			}
			find, more := events.commands("find"), events.commands("getMore")
			if len(find) != before+1 || len(more) != before+1 {
				t.Fatalf("%v: %d finds and %d getMores, want %d", rp.Mode, len(find), len(more), before+1)
			}
			if lsid := find[before].Command.Lookup("lsid"); lsid.IsZero() || !more[before].Command.Lookup("lsid").Equal(lsid) {
				t.Errorf("%v: find has the lsid %v, getMore %v", rp.Mode, lsid, more[before].Command.Lookup("lsid"))
			}
		}
	})
}

func TestSessionsProse14ImplicitSessionsFollowTheCheckOut(t *testing.T) {
	const attempts = 5
	fewest := 8
	for range attempts {
		d := mongotest.Start(t, mongotest.ReplicaSet(1))
		client, events := connectRecorded(t, d, &options.Client{MaxPoolSize: new(1), RetryWrites: new(true)})
		c := client.Database("shop").Collection("things")
		set := bson.Doc("$set", bson.Doc("a", 1))
		concurrent := []func(ctx context.Context) error{
			func(ctx context.Context) error { _, err := c.InsertOne(ctx, bson.D{}); return err },
			func(ctx context.Context) error { _, err := c.DeleteOne(ctx, bson.D{}); return err },
			func(ctx context.Context) error { _, err := c.UpdateOne(ctx, bson.D{}, set); return err },
			func(ctx context.Context) error {
				_, err := c.BulkWrite(ctx, []mongo.WriteModel{&mongo.UpdateOneModel{Filter: bson.D{}, Update: set}})
				return err
			},
			func(ctx context.Context) error { return ignoreNoDocuments(c.FindOneAndDelete(ctx, bson.D{}).Err()) },
			func(ctx context.Context) error {
				return ignoreNoDocuments(c.FindOneAndUpdate(ctx, bson.D{}, set).Err())
			},
			func(ctx context.Context) error {
				return ignoreNoDocuments(c.FindOneAndReplace(ctx, bson.D{}, bson.Doc("a", 1)).Err())
			},
			func(ctx context.Context) error { return drainFunc(ctx)(c.Find(ctx, bson.D{})) },
		}
		done := make(chan error)
		for _, run := range concurrent {
			go func() { done <- run(t.Context()) }()
		}
		for range concurrent {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		used := map[string]bool{}
		for _, e := range events.started {
			used[e.Command.Lookup("lsid").String()] = true
		}
		if len(used) >= len(concurrent) {
			t.Errorf("%d operations had %d sessions", len(concurrent), len(used))
		}
		fewest = min(fewest, len(used))
	}
	if fewest != 1 {
		t.Errorf("in %d attempts the operations had %d sessions at least, want 1 once", attempts, fewest)
	}
}

// connectWithoutSessions is a client of a server whose hello says that it has no sessions.
func connectWithoutSessions(t *testing.T) (*mongo.Client, *recorder) {
	t.Helper()
	d := mongotest.Start(t, mongotest.Standalone())
	hello := encodeReply(t, "ok", 1, "ismaster", true, "isWritablePrimary", true,
		"maxBsonObjectSize", 16<<20, "maxMessageSizeBytes", 48<<20, "maxWriteBatchSize", 100_000,
		"minWireVersion", 0, "maxWireVersion", 21)
	d.Intercept(mongotest.Named("hello", "isMaster", "ismaster"), 0, func(mongotest.Command) mongotest.Answer {
		return mongotest.Answer{Reply: hello}
	})
	return connectRecorded(t, d, &options.Client{HeartbeatFrequency: new(time.Hour)})
}

func TestSessionsProse18ImplicitSessionsWithoutSupport(t *testing.T) {
	client, events := connectWithoutSessions(t)
	c := client.Database("shop").Collection("things")
	retriedRead.run(t.Context(), c)
	retriedWrite.run(t.Context(), c)
	if len(events.started) != 2 {
		t.Errorf("%d commands were sent", len(events.started))
	}
	for _, e := range events.started {
		if !e.Command.Lookup("lsid").IsZero() {
			t.Errorf("%s has a session: %v", e.CommandName, e.Command)
		}
	}
}

func TestSessionsProse19ExplicitSessionsWithoutSupport(t *testing.T) {
	client, events := connectWithoutSessions(t)
	c := client.Database("shop").Collection("things")
	s, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.EndSession(t.Context())
	for _, op := range []retried{retriedRead, retriedWrite} {
		err := op.run(mongo.NewSessionContext(t.Context(), s), c)
		if err == nil || !strings.Contains(err.Error(), "the server has no sessions") {
			t.Errorf("%s: %v", op.command, err)
		}
	}
	if len(events.started) != 0 {
		t.Errorf("%d commands were sent", len(events.started))
	}
}

func TestSessionsProse20MonitorsDoNotGossip(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		ctx := t.Context()
		var events recorder
		var beats atomic.Int64
		c1 := s.connect("directConnection=true&heartbeatFrequencyMS=500", &options.Client{
			CommandMonitor: events.monitor(),
			ServerMonitor:  &event.ServerMonitor{ServerHeartbeatSucceeded: func(*event.ServerHeartbeatSucceeded) { beats.Add(1) }},
		})
		defer c1.Close(context.Background())
		ping := func() bson.RawValue {
			raw, err := c1.Database("admin").RunCommand(ctx, bson.Doc("ping", 1)).Raw()
			if err != nil {
				t.Fatal(err)
			}
			return raw.Lookup("$clusterTime", "clusterTime")
		}
		want := ping()
		if _, err := s.internal.Database("test").Collection("test").InsertOne(ctx, bson.Doc("advance", "$clusterTime")); err != nil {
			t.Fatal(err)
		}
		before := beats.Load()
		time.Sleep(30 * time.Second)
		if beats.Load() == before {
			t.Error("there was no heartbeat")
		}
		ping()
		if got := events.commands("ping")[1].Command.Lookup("$clusterTime", "clusterTime"); !got.Equal(want) {
			t.Errorf("ping has the cluster time %v, want %v", got, want)
		}
		for _, command := range s.d.Commands() {
			if name := strings.ToLower(command.Name); (name == "hello" || name == "ismaster") && !command.Body.Lookup("$clusterTime").IsZero() {
				t.Errorf("a hello has a $clusterTime: %v", command.Body)
			}
		}
	}, mongotest.ReplicaSet(1))
}

func TestSessionsProse23SnapshotTimeIsReadOnly(t *testing.T) {
	client := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	for _, snapshot := range []bool{false, true} {
		s, err := client.StartSession(&options.Session{Snapshot: &snapshot})
		if err != nil {
			t.Fatal(err)
		}
		defer s.EndSession(t.Context())
		if s.SnapshotTime() != nil {
			t.Errorf("snapshot %v: a new session has the snapshot time %v", snapshot, s.SnapshotTime())
		}
		c := client.Database("shop").Collection("things")
		if err := retriedRead.run(mongo.NewSessionContext(t.Context(), s), c); err != nil {
			t.Fatal(err)
		}
		at := s.SnapshotTime()
		if (at != nil) != snapshot {
			t.Fatalf("snapshot %v: the snapshot time is %v", snapshot, at)
		}
		if at != nil {
			want := *at
			*at = bson.Timestamp{T: 1}
			if *s.SnapshotTime() != want {
				t.Error("the session's snapshot time can be changed from outside")
			}
		}
	}
}

// emptyDocuments returns n documents without fields.
func emptyDocuments(n int) []bson.D {
	list := make([]bson.D, n)
	for i := range list {
		list[i] = bson.D{}
	}
	return list
}
