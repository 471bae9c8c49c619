package conn

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
)

// CSOT, "Command Execution": the deadline bounds the write, the wait for the reply, and all reads of the reply together.
func TestDeadlineBoundsAWholeExchange(t *testing.T) {
	command, err := bson.Marshal(bson.Doc("ping", 1))
	if err != nil {
		t.Fatal(err)
	}
	for name, serve := range map[string]func(net.Conn){
		"nothing is read":     func(net.Conn) {},
		"nothing is answered": func(nc net.Conn) { io.Copy(io.Discard, nc) },
		"a reply in drops": func(nc net.Conn) {
			request := make([]byte, 4096)
			nc.Read(request)
			reply := message(int32(wire.OpMsg), make([]byte, 1<<10)...)
			copy(reply[8:12], request[4:8])
			for _, b := range reply {
				time.Sleep(100 * time.Millisecond) // of the bubble: less than the deadline, each
				if _, err := nc.Write([]byte{b}); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				var served sync.WaitGroup
				served.Go(func() { serve(far) })
				c := New(near, "a:1", new(atomic.Int32))
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				_, err := c.RunCommand(ctx, "admin", command)
				if took := time.Since(began); !fault.IsTimeout(err) || took != time.Second {
					t.Errorf("%v after %v", err, took)
				}
				c.Close()
				far.Close()
				served.Wait()
			})
		})
	}
}

// An interrupted read is a timeout if a timeout interrupted it, and says no more than that.
func TestInterruptedByATimeout(t *testing.T) {
	for cause, want := range map[error]bool{context.DeadlineExceeded: true, context.Canceled: false} {
		if err := (&interruptedError{cause: cause, err: io.EOF}); err.Timeout() != want || err.Error() != cause.Error() {
			t.Errorf("%v: %v", cause, err)
		}
	}
}
