package conn

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// limitedSocket notes the deadlines that apply.
type limitedSocket struct {
	net.Conn
	read, write time.Time
	calls       int
}

func (s *limitedSocket) SetDeadline(t time.Time) error {
	s.read, s.write, s.calls = t, t, s.calls+1
	return nil
}

func (s *limitedSocket) SetReadDeadline(t time.Time) error {
	s.read, s.calls = t, s.calls+1
	return nil
}

func (s *limitedSocket) SetWriteDeadline(t time.Time) error {
	s.write, s.calls = t, s.calls+1
	return nil
}

// Neither the deadline of an exchange nor the end of its context affects a later exchange in any direction. A socket
// without a deadline gets no call.
func TestADeadlineEndsWithItsExchange(t *testing.T) {
	limited, cancel := context.WithDeadline(context.Background(), time.Now().Add(time.Hour))
	defer cancel()
	limit, _ := limited.Deadline()
	for _, directions := range [][]direction{{both, both}, {both, reading, writing}, {writing, reading, writing}, {reading, writing, both}} {
		socket := &limitedSocket{read: expiredDeadline, write: expiredDeadline} // as the program's Dialer may have left it
		c := New(socket, "a:1", new(atomic.Int32))
		exchange := func(ctx context.Context, dir direction, end func()) {
			t.Helper()
			w, err := c.watch(ctx, dir)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := ctx.Deadline()
			if dir&reading != 0 && !socket.read.Equal(want) || dir&writing != 0 && !socket.write.Equal(want) {
				t.Errorf("%v, %d: the deadlines are %v and %v, want %v", directions, dir, socket.read, socket.write, want)
			}
			end()
			w.stop(nil)
		}
		all := func(ctx context.Context) {
			for _, dir := range directions {
				exchange(ctx, dir, func() {})
			}
		}
		all(context.Background())
		before := socket.calls
		if all(context.Background()); socket.calls != before {
			t.Errorf("%v: %d deadlines were set in vain", directions, socket.calls-before)
		}
		exchange(limited, directions[0], func() {})
		all(context.Background())
		ctx, interrupt := context.WithCancel(context.Background())
		exchange(ctx, directions[0], interrupt)
		if !socket.read.Equal(expiredDeadline) {
			t.Errorf("%v: the context's end sets %v", directions, socket.read)
		}
		all(context.Background())
		exchange(limited, directions[0], func() {})
		if socket.read != limit && socket.write != limit {
			t.Errorf("%v: the deadlines are %v and %v", directions, socket.read, socket.write)
		}
	}
}
