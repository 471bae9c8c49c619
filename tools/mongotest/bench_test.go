package mongotest

import (
	"fmt"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/frame"
)

// findByID is what a driver sends for the read of one document.
func findByID(t testing.TB) []byte {
	return opMsg(t, bson.Doc("find", "c", "filter", bson.Doc("_id", 1), "limit", 1, "singleBatch", true,
		"lsid", bson.Doc("id", bson.NewUUID()), "$db", "db"))
}

// answerOf takes a message apart, carries it out and appends the answer, as a connection does between its two system
// calls.
func answerOf(t testing.TB, c *clientConn, dst, msg []byte) []byte {
	m, err := frame.Parse(msg, wire.DefaultMaxMessageSizeBytes)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := c.node.d.handle(newRequest(c, m))
	if err != nil {
		t.Fatal(err)
	}
	if dst, err = frame.AppendReply(dst, m, 1, m.RequestID, 0, reply); err != nil {
		t.Fatal(err)
	}
	return dst
}

// BenchmarkFindOneByID is the server's own work for a read, without that of the network.
func BenchmarkFindOneByID(b *testing.B) {
	for _, shape := range []struct {
		name   string
		option Option
	}{{"standalone", Standalone()}, {"replica set", ReplicaSet(3)}} {
		b.Run(shape.name, func(b *testing.B) {
			d, err := New(shape.option, NoCommands())
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			c := newClientConn(d.nodes[0], nil)
			answerOf(b, c, nil, opMsg(b, fixture[0]))
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
	d := Start(t, Standalone(), NoCommands())
	c := newClientConn(d.nodes[0], nil)
	answerOf(t, c, nil, opMsg(t, fixture[0]))
	msg := findByID(t)
	dst := answerOf(t, c, nil, msg)
	if n := testing.AllocsPerRun(200, func() { dst = answerOf(t, c, dst[:0], msg) }); n > 12 {
		t.Errorf("%v allocations", n)
	}
	if got := fmt.Sprint(bson.Raw(dst[wire.HeaderSize+5:]).Lookup("cursor", "firstBatch", "0", "s")); got != `"text"` {
		t.Errorf("the answer holds %s", got)
	}
}
