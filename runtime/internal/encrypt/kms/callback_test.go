package kms

import (
	"context"
	"errors"
	"net"
	"runtime"
	"testing"

	"github.com/specdrivers/onion/runtime/fault"
)

// A KMSConnectCallback that panics, exits or returns nothing yields an error that names it, and is not called again.
func TestAConnectCallbackThatBreaksItsContract(t *testing.T) {
	for name, connect := range map[string]func() net.Conn{
		"panics":          func() net.Conn { panic("boom") },
		"exits":           func() net.Conn { runtime.Goexit(); return nil },
		"returns nothing": func() net.Conn { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			s, err := New(Config{
				Providers: map[string]map[string]any{"kmip": {"endpoint": "127.0.0.1:1"}},
				Connect:   func(context.Context, string) (net.Conn, error) { calls++; return connect(), nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			s.jitter = func() float64 { return 0 }
			err = s.retry(t.Context(), func() (bool, error) {
				_, err := s.dial(t.Context(), "kmip", endpoint{host: "127.0.0.1", port: 1})
				return isPassing(err), err
			})
			if broken, ok := errors.AsType[fault.CallbackError](err); !ok || broken.Callback != "KMSConnectCallback" || calls != 1 {
				t.Errorf("got %v after %d calls", err, calls)
			}
		})
	}
}
