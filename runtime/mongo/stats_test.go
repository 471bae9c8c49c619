package mongo_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestStatsTellWhatIsUnderWay(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, _ := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	if _, err := c.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2)}); err != nil {
		t.Fatal(err)
	}
	cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(1))})
	if err != nil {
		t.Fatal(err)
	}
	s, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	arrived, answer := make(chan struct{}), make(chan struct{})
	d.Control("ping", func(mongotest.Command) mongotest.Answer {
		close(arrived)
		<-answer
		return mongotest.Answer{}
	})
	done := make(chan error)
	go func() { done <- client.Ping(context.Background(), nil) }()
	<-arrived
	stats := client.Stats()
	close(answer)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if stats.Topology.Type != description.ReplicaSetWithPrimary || len(stats.Topology.Servers) != 1 {
		t.Fatalf("topology %+v", stats.Topology)
	}
	server := stats.Topology.Servers[0]
	if server.Type != description.RSPrimary || server.Operations != 1 || server.Pool.InUse != 1 || !server.Pool.Ready {
		t.Errorf("server %+v", server)
	}
	if stats.Topology.Since.IsZero() || server.Since.IsZero() || server.Error != "" || server.LastError != "" {
		t.Errorf("since when: topology %+v", stats.Topology)
	}
	if stats.Cursors != 1 || stats.Sessions.InProgress != 1 {
		t.Errorf("cursors %d, sessions %+v", stats.Cursors, stats.Sessions)
	}
	ops := stats.Operations
	if ops.InFlight != 1 || ops.Finished != 2 || ops.Failed != 0 || len(ops.Running) != 1 {
		t.Fatalf("operations %+v", ops)
	}
	if r := ops.Running[0]; r.Operation != "ping" || r.Database != "admin" || r.Server != server.Address || r.Try != 1 || r.Age <= 0 {
		t.Errorf("running %+v", r)
	}
	cursor.Close(t.Context())
	s.EndSession(t.Context())
	if stats := client.Stats(); stats.Cursors != 0 || stats.Sessions.InProgress != 0 || stats.Operations.InFlight != 0 || len(stats.Operations.Running) != 0 {
		t.Errorf("afterwards %+v", stats)
	}
}

// TestStatsCountTimeoutsByKind makes the time run out at each place where an operation can wait.
func TestStatsCountTimeoutsByKind(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("maxPoolSize=1&appName=stats&retryReads=false")
		defer client.Close(context.Background())
		c := client.Database("shop").Collection("things")
		find := func(limit time.Duration, rp *options.ReadPreference) error {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			c := c.Clone(&options.Collection{ReadPreference: rp})
			return c.FindOne(ctx, bson.D{}).Err()
		}
		if err := c.FindOne(t.Context(), bson.D{}).Err(); !errors.Is(err, mongo.ErrNoDocuments) {
			t.Fatal(err)
		}

		noServer := mongo.Secondary(mongo.Tags("dc", "none"))
		find(time.Second, noServer)
		s.block(once, time.Second, "stats", "find")
		find(100*time.Millisecond, nil)
		time.Sleep(10 * time.Second) // the connection is read to the end of the late reply
		s.fail(once, bson.Doc("appName", "stats", "failCommands", bson.A{"find"}, "errorCode", int32(errcode.MaxTimeMSExpired)))
		find(time.Second, nil)

		s.block(once, time.Second, "stats", "find")
		done := make(chan error)
		go func() { done <- find(time.Minute, nil) }()
		synctest.Wait() // the first operation waits for its reply
		go func() { done <- find(300*time.Millisecond, nil) }()
		synctest.Wait() // the second one for the connection
		time.Sleep(200 * time.Millisecond)
		stats := client.Stats()
		if p := stats.Topology.Servers[0].Pool; p.Waiting != 1 || p.OldestWait != 200*time.Millisecond {
			t.Errorf("while one operation waits: %+v", p)
		}
		if r := stats.Operations.Running; len(r) != 2 || r[0].Database != "shop" || r[0].Collection != "things" || r[0].Age != 200*time.Millisecond {
			t.Errorf("running: %+v", r)
		}
		<-done
		<-done

		ops := client.Stats().Operations
		if want := (mongo.TimeoutStats{Selection: 1, CheckOut: 1, Network: 1, Server: 1}); ops.Timeouts != want {
			t.Errorf("timeouts %+v, want %+v", ops.Timeouts, want)
		}
		if p := client.Stats().Topology.Servers[0].Pool; p.Waiting != 0 || p.OldestWait != 0 {
			t.Errorf("afterwards: %+v", p)
		}
	}, mongotest.ReplicaSet(1))
}

func TestStatsRememberTheLastError(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("heartbeatFrequencyMS=1000&serverMonitoringMode=poll")
		defer client.Close(context.Background())
		if err := client.Ping(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		connected := client.Stats().Topology
		time.Sleep(time.Minute)
		s.d.Kill(0)
		killed := time.Now()
		time.Sleep(2 * time.Second)
		down := client.Stats().Topology
		if server := down.Servers[0]; server.Type != description.ServerUnknown || server.Error == "" || server.LastError == "" ||
			server.Since.Before(killed) || time.Since(server.Since) < 900*time.Millisecond {
			t.Errorf("a server that is down: %+v", server)
		}
		if err := s.d.Restart(0); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		up := client.Stats().Topology
		server, failed := up.Servers[0], down.Servers[0]
		if server.Type != connected.Servers[0].Type || server.Error != "" {
			t.Errorf("a server that is up again: %+v", server)
		}
		if server.LastError == "" || server.LastErrorAt.Before(failed.LastErrorAt) || !server.Since.After(server.LastErrorAt) {
			t.Errorf("what is remembered of the failure: %+v", server)
		}
		if !up.Since.After(connected.Since) {
			t.Errorf("the topology is %v since %v, was since %v", up.Type, up.Since, connected.Since)
		}
	}, mongotest.ReplicaSet(1))
}

func TestStatsCountChangeStreams(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, _ := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	want := func(when string, streams int) {
		t.Helper()
		if n := client.Stats().ChangeStreams; n != streams {
			t.Errorf("%s: %d change streams, want %d", when, n, streams)
		}
	}
	var open []*mongo.ChangeStream
	for range 3 {
		stream, err := c.Watch(t.Context(), mongo.Pipeline{})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, stream)
	}
	want("three open", 3)
	open[0].Close(t.Context())
	open[0].Close(t.Context())
	want("one closed twice", 2)
	if _, err := c.InsertOne(t.Context(), bson.D{}); err != nil {
		t.Fatal(err)
	}
	if err := c.Drop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for open[1].Next(t.Context()) { // until the event invalidate has ended it
	}
	want("one invalidated", 1)
	fail(t, d, bson.Doc("times", 1), bson.Doc("failCommands", bson.A{"getMore"}, "errorCode", 8000))
	open[2].Next(t.Context())
	want("one failed", 0)
	open[1].Close(t.Context())
	open[2].Close(t.Context())
	want("all closed", 0)
}

func BenchmarkStats(b *testing.B) {
	client := cannedClient(b, nil)
	if err := client.Ping(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var stats mongo.Stats
	for b.Loop() {
		stats = client.Stats()
	}
	_ = stats
}

// An operation whose command succeeds and whose writes fail has failed, whatever method made it.
func TestStatsCountWriteErrors(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"))
	client, _ := connectRecorded(t, d)
	db, ctx := client.Database("shop"), t.Context()
	c := db.Collection("things")
	if err := db.CreateCollection(ctx, "checked", &options.CreateCollection{Validator: bson.Doc("a", 1)}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.InsertOne(ctx, bson.Doc("_id", 1)); err != nil {
		t.Fatal(err)
	}
	before := client.Stats().Operations
	twice := bson.Doc("_id", 1)
	for range 9 {
		c.InsertOne(ctx, twice)
	}
	c.InsertMany(ctx, []bson.D{twice, twice}, &options.InsertMany{Ordered: new(false)})
	c.BulkWrite(ctx, []mongo.WriteModel{&mongo.InsertOneModel{Document: twice}})
	client.BulkWrite(ctx, []mongo.ClientBulkWrite{{
		Database: "shop", Collection: "things", Model: &mongo.ClientInsertOneModel{Document: twice},
	}})
	db.Collection("checked").InsertOne(ctx, bson.D{})
	d.Intercept(mongotest.Named("delete"), 1, func(mongotest.Command) mongotest.Answer {
		reply, _ := bson.Marshal(bson.Doc("ok", 1, "n", 0, "writeConcernError", bson.Doc("code", 64, "errmsg", "waiting timed out")))
		return mongotest.Answer{Reply: reply}
	})
	c.DeleteOne(ctx, bson.D{})
	db.RunCommand(ctx, bson.Doc("nonsense", 1))
	after := client.Stats().Operations
	want := mongo.FailureStats{Server: 1, DuplicateKey: 12, Write: 1, WriteConcern: 1}
	if after.Failures != want || after.Failed-before.Failed != 15 {
		t.Errorf("failed %d, %+v, want %+v", after.Failed-before.Failed, after.Failures, want)
	}
}

// Statistics go to logs and dashboards: each number says its unit, each type is a word.
func TestStatsAreReadableAsJSON(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	data, err := json.Marshal(mongo.Stats{
		Topology: mongo.TopologyStats{Type: description.ReplicaSetWithPrimary, Since: began, SetName: "rs0", Servers: []mongo.ServerStats{{
			Address: "a:27017", Type: description.RSPrimary, RTT: 1500 * time.Microsecond, MinRTT: time.Millisecond,
			Pool: mongo.PoolStats{InUse: 1, OldestWait: 2 * time.Second, Ready: true},
		}}},
		Operations: mongo.OperationStats{Finished: 3, Running: []mongo.RunningOperation{{ID: 7, Operation: "find", Age: time.Minute}}},
		Cursors:    2,
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"topology":{"type":"ReplicaSetWithPrimary","since":"2026-01-02T03:04:05Z","setName":"rs0","servers":[{"address":"a:27017",` +
		`"type":"RSPrimary","rttMS":1.5,"minRTTMS":1,"error":"","lastError":"","operations":0,"pool":{"inUse":1,"idle":0,"establishing":0,` +
		`"waiting":0,"oldestWaitMS":2000,"forCursors":0,"forTransactions":0,"generation":0,"ready":true}}]},` +
		`"operations":{"inFlight":0,"finished":3,"failed":0,"retries":0,"cleaning":0,` +
		`"failures":{"server":0,"duplicateKey":0,"write":0,"writeConcern":0,"network":0,"timeout":0,"canceled":0,"other":0},` +
		`"timeouts":{"selection":0,"checkOut":0,"network":0,"server":0,"other":0},` +
		`"running":[{"id":7,"operation":"find","database":"","collection":"","ageMS":60000,"server":"","try":0}]},` +
		`"sessions":{"inProgress":0,"pooled":0},"cursors":2,"changeStreams":0}`
	if string(data) != want {
		t.Errorf("%s\nwant\n%s", data, want)
	}
	d := mongotest.Start(t)
	client, _ := connectRecorded(t, d)
	for n := range 4 {
		list := mongo.OperationStats{Running: make([]mongo.RunningOperation, n)}
		if data, err := json.Marshal(mongo.Stats{Operations: list}); err != nil || strings.Count(string(data), `"operation":`) != n {
			t.Errorf("%d operations are %s, %v", n, data, err)
		}
	}
	if data, err := json.Marshal(client.Stats()); err != nil || !strings.Contains(string(data), `"type":"`) {
		t.Errorf("%s, %v", data, err)
	}
}
