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

// A large reply is read into memory that was lent, once. A small one never is.
func TestLentMemory(t *testing.T) {
	d := mongotest.Start(t)
	c := dial(t, &conn.Dialer{}, d.Hosts()[0])
	if _, err := c.Handshake(t.Context(), &conn.Handshake{}); err != nil {
		t.Fatal(err)
	}
	store := func(id int32, size int) {
		insert, _ := bson.Marshal(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", id, "s", string(make([]byte, size)))}))
		if _, err := c.RunCommand(t.Context(), "shop", insert); err != nil {
			t.Fatal(err)
		}
	}
	const large, larger, small = 1, 2, 3
	store(large, 2<<20)
	store(larger, 6<<20) // more than is allocated on the word of its length
	store(small, 100)
	find := func(id int32) bson.Raw {
		t.Helper()
		command, _ := bson.Marshal(bson.Doc("find", "c", "filter", bson.Doc("_id", id)))
		reply, err := c.RunCommand(t.Context(), "shop", command)
		if ok, _ := reply.Lookup("ok").AsInt64OK(); err != nil || ok != 1 {
			t.Fatalf("%v, %v", reply, err)
		}
		return reply
	}
	var memory []byte
	lent := func(id int32) bool {
		c.Lend(&memory)
		reply := find(id)
		clear(memory[:cap(memory)])
		return reply.Lookup("ok").IsZero() // it was in that memory
	}
	for _, step := range []struct {
		name string
		id   int32
		want bool
	}{
		{"the first large reply", large, true}, {"the second one", large, true}, {"a larger one", larger, true},
		{"a large one again", large, true}, {"a small one", small, false},
	} {
		if got := lent(step.id); got != step.want {
			t.Errorf("%s is in the memory that was lent: %v, want %v", step.name, got, step.want)
		}
	}
	reply := find(large)
	if clear(memory[:cap(memory)]); reply.Lookup("ok").IsZero() {
		t.Error("a reply used memory that was not lent to it")
	}
}
