package uri_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/runtime/uri"
)

// sleepingResolver ignores its context, either for SRV records or only for TXT records.
type sleepingResolver struct{ txt bool }

func (r sleepingResolver) LookupSRV(context.Context, string, string, string) (string, []*net.SRV, error) {
	if !r.txt {
		time.Sleep(time.Hour)
	}
	return "", []*net.SRV{{Target: "a.example.com.", Port: 27017}}, nil
}

func (r sleepingResolver) LookupTXT(context.Context, string) ([]string, error) {
	time.Sleep(time.Hour)
	return nil, nil
}

func TestAResolverThatIgnoresItsContext(t *testing.T) {
	cs, err := uri.Parse("mongodb+srv://cluster.example.com/")
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]sleepingResolver{"SRV": {}, "TXT": {txt: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				if _, err := uri.Resolve(ctx, cs, r); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
					t.Errorf("got %v after %v", err, time.Since(began))
				}
				time.Sleep(2 * time.Hour) // until the callback has ended
			})
		})
	}
}
