package topology

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

func TestSelectionGivesUp(t *testing.T) {
	tests := []struct {
		name    string
		timeout time.Duration
		ctx     func(context.Context) (context.Context, context.CancelFunc)
		want    time.Duration
		is      error
	}{
		{"serverSelectionTimeoutMS", 2 * time.Second, context.WithCancel, 2 * time.Second, nil},
		{"at once", 0, context.WithCancel, 0, nil},
		{"deadline", time.Minute, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}, time.Second, context.DeadlineExceeded},
		{"cancelled", time.Minute, func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		}, time.Second, context.Canceled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newFakeDeployment(map[string]*fakeServer{"a:1": {down: true}})
			runInBubble(t, d, &options.Client{ServerSelectionTimeout: &tt.timeout}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
				synctest.Wait()
				ctx, cancel := tt.ctx(t.Context())
				defer cancel()
				began := time.Now()
				_, err := top.SelectServer(ctx, &Request{Operation: "find"})
				e, ok := errors.AsType[fault.ServerSelectionError](err)
				if !ok || time.Since(began) != tt.want {
					t.Fatalf("SelectServer() = %v after %v", err, time.Since(began))
				}
				if tt.is != nil && !errors.Is(err, tt.is) {
					t.Errorf("the error %v is not %v", err, tt.is)
				}
				if fault.IsTimeout(err) != (tt.is != context.Canceled) {
					t.Errorf("IsTimeout(%v) = %v", err, fault.IsTimeout(err))
				}
				if !strings.Contains(e.Error(), "a:1 Unknown") || !strings.Contains(e.Error(), "refused") {
					t.Errorf("the error %q does not name the server and its error", e)
				}
			})
		})
	}
}

func TestCloseEndsWaitingSelections(t *testing.T) {
	d := newFakeDeployment(map[string]*fakeServer{"a:1": {down: true}})
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		errs := make(chan error)
		go func() {
			_, err := top.SelectServer(t.Context(), &Request{})
			errs <- err
		}()
		synctest.Wait()
		top.Close(t.Context())
		if err := <-errs; err != fault.ErrClientClosed {
			t.Errorf("SelectServer() = %v", err)
		}
	})
}

func TestSelectServerDoesNotAllocate(t *testing.T) {
	d := replicaSet("a:1", "b:1", "c:1")
	runInBubble(t, d, &options.Client{}, []string{"a:1"}, func(t *testing.T, top *Topology, _ *log) {
		selectWritable(t, top)
		synctest.Wait()
		r := &Request{Operation: "find", ReadPreference: &options.ReadPreference{Mode: options.Nearest}}
		ctx := t.Context()
		if n := testing.AllocsPerRun(100, func() {
			if _, err := top.SelectServer(ctx, r); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("SelectServer allocates %v times, want 0", n)
		}
	})
}
