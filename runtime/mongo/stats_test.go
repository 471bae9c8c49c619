package mongo_test

import (
	"context"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestStatsTellWhatIsUnderWay(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, _ := recorded(t, d)
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

func BenchmarkStats(b *testing.B) {
	client := cannedClient(b)
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
