package conn

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

type sleepingDialer struct{ late net.Conn }

func (d sleepingDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	time.Sleep(time.Hour)
	return d.late, nil
}

// A user's dialer that ignores its context delays no caller. The driver closes a connection that it opens too late.
func TestADialerThatIgnoresItsContext(t *testing.T) {
	for name, proxy := range map[string]*Proxy{"direct": nil, "through a proxy": {Host: "p", Port: 1080}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				late, peer := net.Pipe()
				defer peer.Close()
				began := time.Now()
				const least = time.Nanosecond
				d := &Dialer{NetDialer: sleepingDialer{late}, Proxy: proxy, ConnectTimeout: least}
				_, err := d.Dial(t.Context(), "a:1")
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != least {
					t.Errorf("got %v after %v", err, time.Since(began))
				}
				if _, err := peer.Read(make([]byte, 1)); err == nil || time.Since(began) != time.Hour {
					t.Errorf("the late connection: %v after %v", err, time.Since(began))
				}
			})
		})
	}
}

// overdueContext is a context whose deadline has passed, but whose timer has not fired yet.
type overdueContext struct{ context.Context }

func (overdueContext) Deadline() (time.Time, bool) { return time.Now(), true }

type timedOutDialer struct{}

func (timedOutDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	return nil, os.ErrDeadlineExceeded
}

// A socket's timer may fire before the context's. The error is the context's in both cases.
func TestADialThatTimesOutBeforeItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reason := errors.New("the deadline of the operation")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Millisecond, func() { cancel(reason) })
		_, err := (&Dialer{NetDialer: timedOutDialer{}}).Dial(overdueContext{ctx}, "a:1")
		if !errors.Is(err, reason) {
			t.Errorf("got %v", err)
		}
		_, err = (&Dialer{NetDialer: timedOutDialer{}}).Dial(t.Context(), "a:1")
		if errors.Is(err, reason) || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("without a deadline: %v", err)
		}
	})
}
