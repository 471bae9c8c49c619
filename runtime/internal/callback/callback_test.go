package callback_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/runtime/internal/callback"
)

func TestCallReturnsWhatTheFunctionReturns(t *testing.T) {
	failed := errors.New("failed")
	for _, want := range []error{nil, failed} {
		got, err := callback.Call(t.Context(), "Dialer", func(context.Context) (int, error) { return 7, want }, nil)
		if got != 7 || err != want {
			t.Errorf("got %d, %v", got, err)
		}
	}
}

// A function that ignores its context does not delay the caller, and its late result is not lost.
func TestCallEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		given := errors.New("given up")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, given)
		defer cancel()
		began, late := time.Now(), make(chan int, 1)
		_, err := callback.Call(ctx, "Dialer", func(context.Context) (int, error) {
			time.Sleep(time.Hour)
			return 7, nil
		}, func(n int) { late <- n })
		if !errors.Is(err, given) || time.Since(began) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
		if n := <-late; n != 7 || time.Since(began) != time.Hour {
			t.Errorf("late got %d after %v", n, time.Since(began))
		}
		if _, err := callback.Call(ctx, "Dialer", func(context.Context) (int, error) { panic("it is called") }, nil); !errors.Is(err, given) {
			t.Errorf("got %v", err)
		}
	})
}
