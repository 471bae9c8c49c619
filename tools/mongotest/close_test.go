package mongotest_test

import (
	"context"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/suite/wireconn"
)

// TestCloseEndsWhatWaits closes deployments while a command waits that would otherwise wait for an hour.
func TestCloseEndsWhatWaits(t *testing.T) {
	const hour = 3_600_000
	block := func(t *testing.T, d *mongotest.Deployment) {
		run(t, d, bson.Doc("configureFailPoint", "failCommand", "mode", "alwaysOn", "$db", "admin",
			"data", bson.Doc("failCommands", bson.A{"ping"}, "blockConnection", true, "blockTimeMS", hour)))
	}
	for _, c := range []struct {
		name    string
		shape   mongotest.Option
		prepare func(*testing.T, *mongotest.Deployment, *wireconn.Conn)
		command func(*testing.T, *wireconn.Conn) bson.D
	}{
		{"a hello that awaits a change", mongotest.ReplicaSet(3), nil, func(t *testing.T, nc *wireconn.Conn) bson.D {
			version := runOn(t, nc, bson.Doc("hello", 1)).Lookup("topologyVersion")
			return bson.Doc("hello", 1, "topologyVersion", version, "maxAwaitTimeMS", hour)
		}},
		{"a blocked command", mongotest.Standalone(), func(t *testing.T, d *mongotest.Deployment, _ *wireconn.Conn) { block(t, d) }, nil},
		{"a slow node", mongotest.Standalone(), func(_ *testing.T, d *mongotest.Deployment, _ *wireconn.Conn) { d.Latency(0, time.Hour) }, nil},
		{"a node that is cut off", mongotest.ReplicaSet(3), func(_ *testing.T, d *mongotest.Deployment, _ *wireconn.Conn) {
			d.Partition(0, time.Hour)
		}, nil},
		{"a cursor that awaits data", mongotest.Standalone(), func(t *testing.T, _ *mongotest.Deployment, nc *wireconn.Conn) {
			runOn(t, nc, bson.Doc("create", "c", "capped", true, "size", 4096))
			runOn(t, nc, bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1)}))
		}, func(t *testing.T, nc *wireconn.Conn) bson.D {
			id := runOn(t, nc, bson.Doc("find", "c", "tailable", true, "awaitData", true)).Lookup("cursor", "id")
			return bson.Doc("getMore", id, "collection", "c", "maxTimeMS", hour)
		}},
		{"a write concern that no member meets", mongotest.ReplicaSet(3), func(_ *testing.T, d *mongotest.Deployment, _ *wireconn.Conn) {
			d.Lag(1, 5)
		}, func(*testing.T, *wireconn.Conn) bson.D {
			return bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1)}, "writeConcern", bson.Doc("w", 3))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := mongotest.Start(t, c.shape)
			nc := dial(t, d)
			if c.prepare != nil {
				c.prepare(t, d, nc)
			}
			command := bson.Doc("ping", 1)
			if c.command != nil {
				command = c.command(t, nc)
			}
			received := make(chan struct{})
			d.Control(command[0].Key, func(mongotest.Command) mongotest.Answer {
				close(received)
				return mongotest.Answer{}
			})
			answered := make(chan error, 1)
			go func() {
				_, err := nc.Run(t.Context(), "db", command)
				answered <- err
			}()
			if c.name != "a node that is cut off" { // which does not even look at a request
				<-received
			}
			closed := make(chan struct{})
			go func() { d.Close(); close(closed) }()
			select {
			case <-closed:
			case <-time.After(patience):
				t.Fatal("Close waits for the command")
			}
			if err := <-answered; err == nil {
				t.Error("the command was answered")
			}
		})
	}
}

// TestPartitionEndsWithTheLastCut cuts a node off twice. The partition lasts until the later of the two ends.
func TestPartitionEndsWithTheLastCut(t *testing.T) {
	d := mongotest.Start(t)
	nc := dial(t, d)
	d.Partition(0, time.Millisecond)
	d.Partition(0, time.Hour)
	if err := nc.Send(t.Context(), "admin", bson.Doc("ping", 1)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := nc.Receive(ctx); err == nil {
		t.Error("the node answers in a partition")
	}
	d.Partition(0, time.Millisecond)
	if reply := run(t, d, bson.Doc("ping", 1)); reply.Lookup("ok").IsZero() {
		t.Errorf("%v", reply)
	}
}
