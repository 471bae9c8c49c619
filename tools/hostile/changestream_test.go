package hostile_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/hostile"
)

// The reply to a resume has no cursor, and the context ends at the same moment. The malformed reply ends the stream: the
// end of the context does not excuse it, so a later call returns the same error and does not resume, and
// Close has no cursor to kill.
func TestAResumeWithoutACursorAtTheEndOfTheContext(t *testing.T) {
	var aggregates atomic.Int32
	peer, err := hostile.Listen(bson.Doc("setName", "rs"), func(r hostile.Request, nc net.Conn) bool {
		switch {
		case r.Name == "getMore":
			nc.Write(hostile.Message(r, bson.Doc("ok", 0, "code", int32(errcode.CursorNotFound), "errmsg", "gone")))
		case r.Name != "aggregate":
			return false
		case aggregates.Add(1) == 2:
			nc.Write(hostile.Message(r, bson.Doc("ok", 1)))
		default:
			nc.Write(hostile.Message(r, bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(5), "ns", "db.c", "firstBatch", bson.A{}))))
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	monitor := &event.CommandMonitor{Succeeded: func(_ context.Context, e *event.CommandSucceeded) {
		if e.CommandName == "aggregate" && aggregates.Load() == 2 {
			cancel()
		}
	}}
	client, err := mongo.Connect(t.Context(), "mongodb://"+peer.Address()+"/?directConnection=true&serverMonitoringMode=poll",
		&options.Client{CommandMonitor: monitor})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(t.Context())
	stream, err := client.Database("db").Collection("c").Watch(t.Context(), mongo.Pipeline{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close(t.Context())
	if stream.Next(ctx) || stream.Err() == nil {
		t.Fatalf("an event out of a reply without a cursor, err = %v", stream.Err())
	}
	failed := stream.Err()
	if stream.Next(t.Context()) || aggregates.Load() != 2 || stream.Err() != failed {
		t.Errorf("a later call: %d aggregates, err = %v, before %v", aggregates.Load(), stream.Err(), failed)
	}
}
