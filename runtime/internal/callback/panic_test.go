package callback_test

import (
	"bytes"
	"context"
	"errors"
	"log"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/callback"
)

// explode is a function of the program, which the stack must name.
func explode(context.Context) (int, error) {
	var nowhere *struct{ n int }
	return nowhere.n, nil
}

func exit(context.Context) (int, error) {
	runtime.Goexit()
	return 0, nil
}

// A callback that panics or ends its goroutine fails at once, whatever the deadline.
func TestACallbackThatDoesNotReturn(t *testing.T) {
	for name, tt := range map[string]struct {
		f    func(context.Context) (int, error)
		want []string
	}{
		"panics with a text": {func(context.Context) (int, error) { panic("boom") }, []string{"panicked: boom", "panic_test.go"}},
		"panics with nil":    {func(context.Context) (int, error) { panic(nil) }, []string{"panicked: panic called with nil"}},
		"breaks":             {explode, []string{"nil pointer dereference", "callback_test.explode"}},
		"exits":              {exit, []string{"Goexit", "callback_test.exit"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				began := time.Now()
				_, err := callback.Call(ctx, "Resolver", tt.f, nil)
				broken, ok := errors.AsType[fault.CallbackError](err)
				if !ok || broken.Callback != "Resolver" || time.Since(began) != 0 {
					t.Fatalf("got %v after %v", err, time.Since(began))
				}
				for _, part := range append(tt.want, "Resolver") {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%v does not contain %q", err, part)
					}
				}
				if strings.HasPrefix(broken.Stack, "runtime.") {
					t.Errorf("the stack begins in the machinery:\n%s", broken.Stack)
				}
				_, again := callback.Call(ctx, "Resolver", tt.f, nil)
				if again.Error() != err.Error() {
					t.Errorf("the same failure has two texts:\n%v\n%v", err, again)
				}
			})
		})
	}
}

// A panic after the caller has returned, in the callback or in the function that takes its late result, is logged and
// harmless.
func TestALatePanicIsLogged(t *testing.T) {
	var mu sync.Mutex
	var logged bytes.Buffer
	before := log.Writer()
	log.SetOutput(writer(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return logged.Write(p)
	}))
	defer log.SetOutput(before)
	for name, late := range map[string]func(int){"in the callback": nil, "with its result": func(int) { panic("boom") }} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				callback.Call(ctx, "Dialer", func(context.Context) (int, error) {
					time.Sleep(time.Hour)
					if late == nil {
						panic("boom")
					}
					return 7, nil
				}, late)
				time.Sleep(2 * time.Hour)
				synctest.Wait()
			})
			mu.Lock()
			defer mu.Unlock()
			if !strings.Contains(logged.String(), "Dialer panicked: boom") {
				t.Errorf("the log holds %q", &logged)
			}
			logged.Reset()
		})
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestRecoverTurnsAPanicIntoAnError(t *testing.T) {
	read := func(boom bool) (err error) {
		defer callback.Recover("Dialer", &err)
		if boom {
			panic("boom")
		}
		return context.Canceled
	}
	if err := read(true); !strings.Contains(err.Error(), "Dialer panicked: boom") || !strings.Contains(err.Error(), "panic_test.go") {
		t.Errorf("got %v", err)
	}
	if err := read(false); err != context.Canceled {
		t.Errorf("without a panic: %v", err)
	}
}
