package server

import (
	"encoding/binary"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/frame"
)

// newCluster returns a cluster that does not listen.
func newCluster(shape Shape, nodes int) *Cluster {
	return New(Config{
		Shape: shape, Size: nodes, Version: "8.0", Wire: wire.Server80, Now: time.Now, ElectionDelay: time.Millisecond,
		Intercept: func(string, func() Command) func(Command) Answer { return nil },
	})
}

// opMsg returns a command as a client sends it.
func opMsg(t testing.TB, command bson.D) []byte {
	t.Helper()
	body, err := bson.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	msg := binary.LittleEndian.AppendUint32(nil, uint32(wire.HeaderSize+5+len(body)))
	msg = binary.LittleEndian.AppendUint64(msg, 1)
	msg = binary.LittleEndian.AppendUint32(msg, uint32(wire.OpMsg))
	return append(append(msg, 0, 0, 0, 0, wire.KindBody), body...)
}

// newPipeEnd returns a connection that nothing comes from.
func newPipeEnd() net.Conn {
	end, _ := net.Pipe()
	return end
}

// insertOne stores the document that findByID reads.
func insertOne(t testing.TB) []byte {
	return opMsg(t, bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1, "a", 1, "s", "text")}, "$db", "db"))
}

// findByID returns what a driver sends for the read of one document.
func findByID(t testing.TB) []byte {
	return opMsg(t, bson.Doc("find", "c", "filter", bson.Doc("_id", 1), "limit", 1, "singleBatch", true,
		"lsid", bson.Doc("id", bson.NewUUID()), "$db", "db"))
}

// answerOf does what a connection does between its two system calls.
func answerOf(t testing.TB, c *conn, dst, msg []byte) []byte {
	m, err := frame.Parse(msg, wire.DefaultMaxMessageSizeBytes, &c.node.coders)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := newRequest(c, m).handle()
	if err != nil {
		t.Fatal(err)
	}
	if dst, err = frame.AppendReply(dst, m, 1, m.RequestID, 0, reply); err != nil {
		t.Fatal(err)
	}
	return dst
}

// BenchmarkFindOneByID is the server's own work for a read, without the network.
func BenchmarkFindOneByID(b *testing.B) {
	for _, shape := range []struct {
		name  string
		shape Shape
		nodes int
	}{{"standalone", Standalone, 1}, {"replica set", ReplicaSet, 3}} {
		b.Run(shape.name, func(b *testing.B) {
			k := newCluster(shape.shape, shape.nodes)
			defer k.Close()
			c := newConn(k.Nodes[0], newPipeEnd())
			answerOf(b, c, nil, insertOne(b))
			msg := findByID(b)
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				dst = answerOf(b, c, dst[:0], msg)
			}
		})
	}
}

func TestReadAllocatesLittle(t *testing.T) {
	k := newCluster(Standalone, 1)
	defer k.Close()
	c := newConn(k.Nodes[0], newPipeEnd())
	answerOf(t, c, nil, insertOne(t))
	msg := findByID(t)
	dst := answerOf(t, c, nil, msg)
	if n := testing.AllocsPerRun(200, func() { dst = answerOf(t, c, dst[:0], msg) }); n > 12 {
		t.Errorf("%v allocations", n)
	}
	if got := fmt.Sprint(bson.Raw(dst[wire.HeaderSize+5:]).Lookup("cursor", "firstBatch", "0", "s")); got != `"text"` {
		t.Errorf("the answer holds %s", got)
	}
}
