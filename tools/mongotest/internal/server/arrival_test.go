package server

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/frame"
)

// Each command goes on a connection of its own, and the one that arrives first is carried out last.
func TestChangeStreamBeginsWhereItsAggregateArrives(t *testing.T) {
	for _, shape := range []Shape{ReplicaSet, Sharded} {
		k := newCluster(shape, 1)
		defer k.Close()
		n := k.Nodes[0]
		arrives := func(command bson.D) *request {
			m, err := frame.Parse(opMsg(t, append(command, bson.E{Key: "$db", Value: "db"})), wire.DefaultMaxMessageSizeBytes, &n.coders)
			if err != nil {
				t.Fatal(err)
			}
			return newRequest(newConn(n, newPipeEnd()), m)
		}
		run := func(r *request) bson.Raw {
			reply, err := r.handle()
			if ok, _ := reply.Lookup("ok").AsBoolOK(); err != nil || !ok {
				t.Fatal(shape, reply, err)
			}
			return reply
		}

		run(arrives(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", "before")})))
		stream := arrives(bson.Doc("aggregate", "c", "pipeline", bson.A{bson.Doc("$changeStream", bson.D{})}, "cursor", bson.D{}))
		run(arrives(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", "behind")})))

		batch, _ := run(stream).Lookup("cursor", "firstBatch").ArrayOK()
		if id, _ := bson.Raw(batch).Lookup("0", "documentKey", "_id").StringOK(); batch.Len() != 1 || id != "behind" {
			t.Errorf("shape %v: %v", shape, batch)
		}
	}
}
