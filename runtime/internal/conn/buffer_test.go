package conn_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A large message leaves its memory to the next one, until a garbage collection.
func TestLargeMessagesShareMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	c := dial(t, &conn.Dialer{}, mongotest.Start(t).Hosts()[0])
	if _, err := c.Handshake(t.Context(), &conn.Handshake{}); err != nil {
		t.Fatal(err)
	}
	const size = 1 << 20
	command := bson.AppendInt32Element(nil, "ping", 1)
	command = bson.AppendStringElement(command, "comment", string(make([]byte, size)))
	command = bson.AppendStringElement(command, "$db", "admin")
	large := c.Begin(0)
	large, start := append(large, 0, 0, 0, 0), len(large)
	large = append(large, command...)
	large = bson.AppendDocumentEnd(large, start)
	if _, err := c.RoundTrip(t.Context(), large, false); err != nil {
		t.Fatal(err)
	}
	if next := c.Begin(0); cap(next) < size || &next[:1][0] != &large[:1][0] {
		t.Errorf("the next message has memory for %d bytes, and not that of the one before", cap(next))
	}
	ping(t, c)
	runtime.GC()
	if next := c.Begin(0); cap(next) >= size {
		t.Errorf("after a garbage collection the next message still has memory for %d bytes", cap(next))
	}
}
