package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// TestOneCommandAtATime runs several retryable writes in one session. Each takes a minute of virtual time.
func TestOneCommandAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ignore := func(bson.Raw) {}
		s := New(Config{Now: time.Now, Ended: ignore, Aborted: ignore})
		lsid := reply.New().Value("id", bson.NewUUID()).Done()
		number, began := int64(1), time.Now()
		write := func(ctx context.Context) error {
			st := &Statement{
				Call: &call.Call{Name: "insert", Wire: wire.Server80},
				Use:  &Use{Session: s.get(login.Principal{}, lsid), TxnNumber: &number},
			}
			_, err := s.Run(ctx, st, true, func() (bson.Raw, error) {
				time.Sleep(time.Minute)
				return reply.OK(), nil
			})
			return err
		}
		ended := make(chan error)
		for range 3 {
			go func() { ended <- write(t.Context()) }()
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := write(ctx); !status.Is(err, errcode.Interrupted) || time.Since(began) != time.Second {
			t.Errorf("a command that stops waiting: %v after %v", err, time.Since(began))
		}
		for i := range 3 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if got, want := time.Since(began), time.Duration(i+1)*time.Minute; got != want {
				t.Errorf("write %d ended after %v, not %v", i, got, want)
			}
		}
	})
}
