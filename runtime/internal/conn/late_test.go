package conn

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// lateReply is a reply to the message with the id. Its document has a string of the given size.
func lateReply(id int32, size int) []byte {
	msg := appendHeader(nil, header{requestID: 1, responseTo: id, opCode: wire.OpMsg})
	msg = append(msg, 0, 0, 0, 0, wire.KindBody)
	msg, start := bson.AppendDocumentStart(msg)
	msg = bson.AppendStringElement(msg, "x", string(make([]byte, size)))
	msg = bson.AppendDocumentEnd(msg, start)
	finishMessage(msg)
	return msg
}

// readRequest reads one message and returns its id.
func readRequest(nc net.Conn) int32 {
	head := make([]byte, wire.HeaderSize)
	if _, err := io.ReadFull(nc, head); err != nil {
		return 0
	}
	h := parseHeader(head)
	io.CopyN(io.Discard, nc, int64(h.length)-wire.HeaderSize)
	return h.requestID
}

func requestMessage(c *Conn) []byte {
	msg, start := bson.AppendDocumentStart(c.Begin(0))
	return bson.AppendDocumentEnd(bson.AppendInt32Element(msg, "ping", 1), start)
}

// The deadline of an operation passes one second after it began. What the server does next decides whether the
// connection survives.
func TestAReplyThatComesTooLate(t *testing.T) {
	const deadline = time.Second
	whole := func(nc net.Conn, id int32) { time.Sleep(2 * deadline); nc.Write(lateReply(id, 10)) }
	inTwo := func(at, size int) func(net.Conn, int32) {
		return func(nc net.Conn, id int32) {
			reply := lateReply(id, size)
			nc.Write(reply[:at])
			time.Sleep(2 * deadline)
			nc.Write(reply[at:])
		}
	}
	tests := []struct {
		name     string
		server   func(nc net.Conn, id int32) // after it has read the request; nil = it does not even read
		cancel   bool                        // the context is cancelled before its deadline
		inTime   bool                        // the caller did not ask for the connection to live on
		late     bool
		finishes bool
	}{
		{name: "it comes as a whole", server: whole, late: true, finishes: true},
		{name: "the header was half there", server: inTwo(7, 10), late: true, finishes: true},
		{name: "the header was there", server: inTwo(wire.HeaderSize, 10), late: true, finishes: true},
		{name: "half of it was there", server: inTwo(30, 100), late: true, finishes: true},
		{name: "all but a byte was there", server: inTwo(len(lateReply(0, 100))-1, 100), late: true, finishes: true},
		{name: "half of a large one was there", server: inTwo(trustedSize+100, 3*trustedSize), late: true, finishes: true},
		{name: "it answers something else", server: func(nc net.Conn, id int32) { whole(nc, id+1) }, late: true},
		{name: "it never comes", server: func(net.Conn, int32) {}, late: true},
		{name: "the server goes away", server: func(nc net.Conn, _ int32) { time.Sleep(2 * deadline); nc.Close() }, late: true},
		{name: "the server claims too much", late: true, server: func(nc net.Conn, id int32) {
			time.Sleep(2 * deadline)
			reply := lateReply(id, 10)
			binary.LittleEndian.PutUint32(reply, 1<<31-1)
			nc.Write(reply)
		}},
		{name: "the context was cancelled", server: whole, cancel: true},
		{name: "the deadline passed while the request was written"},
		{name: "nobody wants the connection any more", server: whole, inTime: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var server sync.WaitGroup
				defer server.Wait()
				near, far := net.Pipe()
				defer far.Close()
				c := New(near, "a:1", nil)
				defer c.Close()
				if tt.server != nil {
					server.Go(func() { tt.server(far, readRequest(far)) })
				}
				ctx, cancel := context.WithTimeout(t.Context(), deadline)
				defer cancel()
				if tt.cancel {
					time.AfterFunc(deadline/2, cancel)
				}
				if _, err := c.Exchange(ctx, requestMessage(c), Terms{MayBeLate: !tt.inTime}); err == nil {
					t.Fatal("the round trip succeeded")
				}
				if c.AwaitsLateReply() != tt.late || c.IsBroken() == tt.late {
					t.Fatalf("late %v, broken %v", c.AwaitsLateReply(), c.IsBroken())
				}
				finishLate(t, c, far, tt.late, tt.finishes)
			})
		})
	}
}

// finishLate reads the rest of the reply and uses the connection once more.
func finishLate(t *testing.T, c *Conn, far net.Conn, late, finishes bool) {
	t.Helper()
	if _, err := c.RoundTrip(t.Context(), requestMessage(c), false); err == nil {
		t.Error("the connection was used before the reply was whole")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := c.FinishReply(ctx); late && (err == nil) != finishes || c.IsBroken() == finishes {
		t.Fatalf("FinishReply: %v, broken %v", err, c.IsBroken())
	}
	if !finishes {
		return
	}
	go func() { far.Write(lateReply(readRequest(far), 1)) }()
	if _, err := c.RoundTrip(t.Context(), requestMessage(c), false); err != nil {
		t.Errorf("the next round trip: %v", err)
	}
}
