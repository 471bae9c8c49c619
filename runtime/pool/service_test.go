package pool_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/pool"
)

func TestClearServiceTouchesOneService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		services := []bson.ObjectID{{1}, {2}}
		p, r := newPool(t, pool.Config[pool.Conn]{
			LoadBalanced: true,
			Connect: func(_ context.Context, id int64) (pool.Conn, error) {
				return &fakeConn{service: &services[(id-1)%2]}, nil
			},
		})
		one, two := checkOut(t, p), checkOut(t, p)
		r.take()
		p.ClearService(services[0], errors.New("boom"))
		if p.Generation(&services[0]) != 1 || p.Generation(&services[1]) != 0 || p.Generation(nil) != 0 {
			t.Error("generations are wrong")
		}
		p.CheckIn(one)
		p.CheckIn(two)
		wantEvents(t, r, "pool cleared", "in 1", "closed 1 stale", "in 2")
		if got := p.Generation(&services[0]); got != 0 {
			t.Errorf("a service without connections has generation %d, want 0", got)
		}
		if c := checkOut(t, p); c.ID() != 2 || *c.ServiceID() != services[1] {
			t.Errorf("got connection %d", c.ID())
		}
	})
}

func TestOverloadLabels(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want bool
	}{
		{"connection refused", fault.NetworkError{Err: errors.New("refused")}, true},
		{"end of file in the TLS handshake", fault.NetworkError{Err: io.EOF}, true},
		{"timeout", fault.NetworkError{Err: context.DeadlineExceeded}, true},
		{"DNS by kind", fault.NetworkError{Kind: fault.NetworkDNS, Err: errors.New("x")}, false},
		{"DNS by cause", fault.NetworkError{Err: &net.DNSError{}}, false},
		{"a panic of the program's dialer", fault.NetworkError{Err: fault.CallbackError{Callback: "Dialer"}}, false},
		{"a certificate that was looked at", fault.NetworkError{Err: &tls.CertificateVerificationError{Err: errors.New("x")}}, false},
		{"a certificate that has ended", fault.NetworkError{Err: x509.CertificateInvalidError{Reason: x509.Expired, Cert: &x509.Certificate{}}}, false},
		{"certificate", fault.NetworkError{Err: x509.UnknownAuthorityError{}}, false},
		{"host name", fault.NetworkError{Err: x509.HostnameError{Certificate: &x509.Certificate{}}}, false},
		{"proxy", fault.NetworkError{Kind: fault.NetworkProxy, Err: io.EOF}, false},
		{"no answer of a server", fault.NetworkError{Kind: fault.NetworkProtocol, Err: errors.New("x")}, false},
		{"given up", fault.NetworkError{Err: context.Canceled}, false},
		{"command error in hello", fault.CommandError{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told error
				p, _ := newPool(t, pool.Config[pool.Conn]{
					Connect:          func(context.Context, int64) (pool.Conn, error) { return nil, tt.err },
					OnEstablishError: func(e *pool.EstablishError) { told = e.Err },
				})
				_, err := p.CheckOut(t.Context())
				for _, err := range []error{err, told} {
					if fault.HasErrorLabel(err, fault.LabelSystemOverloadedError) != tt.want ||
						fault.HasErrorLabel(err, fault.LabelRetryableError) != tt.want {
						t.Errorf("labels of %v: want %v", err, tt.want)
					}
				}
			})
		})
	}
}

func TestNetworkErrorOfAuthenticationHasNoLabels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := newPool(t, pool.Config[pool.Conn]{
			Authenticate: func(context.Context, pool.Conn) error { return fault.NetworkError{Err: io.EOF} },
		})
		if _, err := p.CheckOut(t.Context()); fault.HasErrorLabel(err, fault.LabelSystemOverloadedError) {
			t.Errorf("%v has the label", err)
		}
	})
}

func TestCheckInRefusesMistakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := newPool(t, pool.Config[pool.Conn]{})
		b, _ := newPool(t, pool.Config[pool.Conn]{})
		c := checkOut(t, a)
		if b.CheckIn(c) == nil {
			t.Error("a foreign connection was accepted")
		}
		if err := a.CheckIn(c); err != nil {
			t.Error(err)
		}
		if a.CheckIn(c) == nil {
			t.Error("a connection was accepted twice")
		}
	})
}

func TestTimeoutCountsPins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := newPool(t, pool.Config[pool.Conn]{
			LoadBalanced: true,
			Options:      event.PoolOptions{MaxPoolSize: new(3), WaitQueueTimeout: new(time.Millisecond)},
		})
		held := []*pool.Connection[pool.Conn]{checkOut(t, p), checkOut(t, p), checkOut(t, p)}
		held[0].SetPin(pool.PinnedByCursor)
		held[1].SetPin(pool.PinnedByTransaction)
		_, err := p.CheckOut(t.Context())
		e, ok := errors.AsType[fault.WaitQueueTimeoutError](err)
		if !ok || e.InUse != 3 || e.ForCursors != 1 || e.ForTransactions != 1 {
			t.Errorf("CheckOut() = %+v", e)
		}
		for _, c := range held {
			p.CheckIn(c)
		}
	})
}

func TestCloseWaitsForBackgroundWorkThatClears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *pool.Pool[pool.Conn]
		told := make(chan struct{})
		p = pool.New(pool.Config[pool.Conn]{
			Address: "a:1",
			Options: event.PoolOptions{MinPoolSize: new(1)},
			Connect: func(context.Context, int64) (pool.Conn, error) { return nil, io.EOF },
			OnEstablishError: func(e *pool.EstablishError) {
				close(told)
				time.Sleep(time.Second) // Close begins meanwhile
				p.Clear(e.Err)
			},
		})
		p.Ready()
		<-told
		p.Close()
		if s := p.Stats(); s != (pool.Stats{}) {
			t.Errorf("Stats() = %+v", s)
		}
	})
}

// A check-out that runs out of time while it establishes a connection says nothing about the server. A connection whose
// own connect timeout passes does.
func TestACheckOutWithoutTimeBlamesNobody(t *testing.T) {
	slow := func(ctx context.Context, limit time.Duration) error {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		<-ctx.Done()
		return fault.NetworkError{Address: "a:1", Err: ctx.Err()}
	}
	for _, tt := range []struct {
		name           string
		limit          time.Duration // of the establishment; the check-out has a second
		authenticating bool
		blamed         bool
	}{
		{"the check-out's time is over in the handshake", time.Minute, false, false},
		{"the check-out's time is over in the authentication", time.Minute, true, false},
		{"the handshake takes too long", time.Millisecond, false, true},
		{"the authentication takes too long", time.Millisecond, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				blamed := 0
				p, _ := newPool(t, pool.Config[pool.Conn]{
					Connect: func(ctx context.Context, id int64) (pool.Conn, error) {
						if !tt.authenticating {
							return nil, slow(ctx, tt.limit)
						}
						return connectAtOnce(ctx, id)
					},
					Authenticate:     func(ctx context.Context, _ pool.Conn) error { return slow(ctx, tt.limit) },
					OnEstablishError: func(*pool.EstablishError) { blamed++ },
				})
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err := p.CheckOut(ctx)
				if err == nil || (blamed == 1) != tt.blamed {
					t.Errorf("blamed %d times: %v", blamed, err)
				}
				if overload := fault.HasErrorLabel(err, fault.LabelSystemOverloadedError); overload != (tt.blamed && !tt.authenticating) {
					t.Errorf("called an overload: %v", overload)
				}
			})
		})
	}
}
