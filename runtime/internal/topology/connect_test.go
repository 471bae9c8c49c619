package topology

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/pool"
)

// slowPeer accepts every connection. It answers the first message after a while, and no later message.
type slowPeer struct {
	hello time.Duration // 0 = never
	reply bson.Raw
}

func (p slowPeer) DialContext(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		header := make([]byte, wire.HeaderSize)
		if _, err := io.ReadFull(server, header); err != nil {
			return
		}
		rest := int64(binary.LittleEndian.Uint32(header)) - wire.HeaderSize
		if _, err := io.CopyN(io.Discard, server, rest); err == nil && p.hello > 0 {
			time.Sleep(p.hello)
			server.Write(p.answer(header[4:8]))
		}
		io.Copy(io.Discard, server)
	}()
	return client, nil
}

func (p slowPeer) answer(request []byte) []byte {
	msg := binary.LittleEndian.AppendUint32(nil, uint32(wire.HeaderSize+5+len(p.reply)))
	msg = append(append(msg, 1, 0, 0, 0), request...)
	msg = binary.LittleEndian.AppendUint32(msg, uint32(wire.OpMsg))
	return append(append(msg, 0, 0, 0, 0, 0), p.reply...)
}

// The ways in which a new connection comes about.
const (
	byCheckOut            = "check-out"
	byCheckOutWithTimeout = "check-out of an operation with timeoutMS"
	inBackground          = "minPoolSize"
)

// timeFailure establishes a connection of a pool and returns how long it takes until that fails.
func timeFailure(t *testing.T, top *Topology, way string) time.Duration {
	t.Helper()
	failed := make(chan struct{})
	o := event.PoolOptions{}
	if way == inBackground {
		o.MinPoolSize = new(1)
	}
	p := pool.New(pool.Config[*Connection]{
		Address: "a:1", Options: o,
		Connect:          func(ctx context.Context, id int64) (*Connection, error) { return top.connect(ctx, "a:1", id) },
		Authenticate:     top.authenticate,
		OnEstablishError: func(*pool.EstablishError) { close(failed) },
	})
	defer p.Close()
	began := time.Now()
	p.Ready()
	var err error
	switch way {
	case byCheckOut:
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // a deadline of the program, no timeoutMS
		defer cancel()
		_, err = p.CheckOut(ctx)
	case byCheckOutWithTimeout:
		ctx, cancel := context.WithTimeout(t.Context(), 45*time.Second) // timeoutMS, as package exec applies it
		defer cancel()
		_, err = p.CheckOutWithin(ctx, 0)
	default:
		<-failed
		return time.Since(began)
	}
	if err == nil {
		t.Fatal("the check-out succeeded")
	}
	return time.Since(began)
}

func TestTimeoutsOfTheCommandsOfANewConnection(t *testing.T) {
	const second = time.Second
	for _, tt := range []struct {
		name            string
		socket, connect time.Duration
		timeout         *time.Duration
		hello           time.Duration // how long the hello takes; 0 = the server never answers
		way             string
		want            time.Duration
	}{
		{"hello under socketTimeoutMS", 3 * second, 30 * second, nil, 0, byCheckOut, 3 * second},
		{"auth under socketTimeoutMS", 3 * second, 30 * second, nil, 2 * second, byCheckOut, 5 * second},
		{"hello in the background under socketTimeoutMS", 3 * second, 30 * second, nil, 0, inBackground, 3 * second},
		{"auth in the background under socketTimeoutMS", 3 * second, 30 * second, nil, 2 * second, inBackground, 5 * second},
		{"no socketTimeoutMS", 0, 30 * second, nil, 0, byCheckOut, 30 * second},
		{"hello under the timeoutMS of an operation", 3 * second, 30 * second, nil, 0, byCheckOutWithTimeout, 45 * second},
		{"auth under the timeoutMS of an operation", 3 * second, 30 * second, nil, 2 * second, byCheckOutWithTimeout, 45 * second},
		{"hello under the timeoutMS of the client", 3 * second, 30 * second, new(45 * second), 0, byCheckOutWithTimeout, 45 * second},
		{"hello in the background under timeoutMS", 3 * second, 5 * second, new(45 * second), 0, inBackground, 5 * second},
		{"auth in the background under timeoutMS", 3 * second, 5 * second, new(45 * second), 2 * second, inBackground, 47 * second},
		{"hello in the background under a short timeoutMS", 0, 5 * second, new(second), 0, inBackground, 5 * second},
		{"auth in the background under a short timeoutMS", 0, 5 * second, new(second), 2 * second, inBackground, 3 * second},
		{"hello in the background, timeoutMS without a limit", 3 * second, 5 * second, new(0 * second), 0, inBackground, 5 * second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &options.Client{
					ConnectTimeout: &tt.connect, SocketTimeout: &tt.socket, Timeout: tt.timeout, DirectConnection: new(true),
				}
				if got := timeFailure(t, topologyOfPeer(t, o, tt.hello), tt.way); got != tt.want {
					t.Errorf("it failed after %v, want %v", got, tt.want)
				}
			})
		})
	}
}

// An authentication that calls the program has no limit of connectTimeoutMS in the background, but never waits for
// ever.
func TestTimeoutsOfAuthenticationsThatCallTheUser(t *testing.T) {
	o := &options.Client{
		ConnectTimeout: new(5 * time.Second), Timeout: new(45 * time.Second), DirectConnection: new(true),
	}
	hang := func(ctx context.Context) error {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	for _, tt := range []struct {
		name       string
		credential options.Credential
		want       time.Duration // after the hello
	}{
		{"command of OIDC", options.Credential{
			AuthMechanism: new("MONGODB-OIDC"), AuthSource: new("$external"),
			OIDCMachineCallback: func(context.Context, *options.OIDCArgs) (*options.OIDCCredential, error) {
				return &options.OIDCCredential{AccessToken: "token"}, nil
			},
		}, 45 * time.Second},
		{"provider of AWS credentials", options.Credential{
			AuthMechanism: new("MONGODB-AWS"), AuthSource: new("$external"),
			AWSCredentialProvider: func(ctx context.Context) (options.AWSCredentials, error) {
				return options.AWSCredentials{}, hang(ctx)
			},
		}, 45 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				authenticator, err := auth.New(&tt.credential, auth.Config{ConnectTimeout: *o.ConnectTimeout})
				if err != nil {
					t.Fatal(err)
				}
				top := topologyOfPeer(t, o, time.Second)
				top.cfg.Auth = authenticator
				if got := timeFailure(t, top, inBackground); got != time.Second+tt.want {
					t.Errorf("it failed after %v, want %v after the hello", got, tt.want)
				}
			})
		})
	}
}

// MONGODB-OIDC, "OIDC Callback": a minute without timeoutMS, whatever deadline the program has set.
func TestTimeLimitOfAnOIDCMachineCallback(t *testing.T) {
	for _, tt := range []struct {
		way  string
		want time.Duration
	}{
		{byCheckOut, time.Minute},
		{byCheckOutWithTimeout, 5 * time.Second},
	} {
		t.Run(tt.way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got time.Duration
				credential := &options.Credential{
					AuthMechanism: new("MONGODB-OIDC"), AuthSource: new("$external"),
					OIDCMachineCallback: func(ctx context.Context, _ *options.OIDCArgs) (*options.OIDCCredential, error) {
						deadline, _ := ctx.Deadline()
						got = time.Until(deadline)
						return nil, errors.New("no token")
					},
				}
				o := &options.Client{ConnectTimeout: new(5 * time.Second), DirectConnection: new(true)}
				top := topologyOfPeer(t, o, time.Second)
				var err error
				if top.cfg.Auth, err = auth.New(credential, auth.Config{ConnectTimeout: *o.ConnectTimeout}); err != nil {
					t.Fatal(err)
				}
				timeFailure(t, top, tt.way)
				if got != tt.want {
					t.Errorf("the callback has %v, want %v", got, tt.want)
				}
			})
		})
	}
}

// topologyOfPeer makes a topology without monitors, which reaches a slowPeer at every address.
func topologyOfPeer(t *testing.T, o *options.Client, hello time.Duration) *Topology {
	t.Helper()
	reply, err := bson.Marshal(bson.Doc("ok", 1, "isWritablePrimary", true, "maxWireVersion", 25))
	if err != nil {
		t.Fatal(err)
	}
	authenticator, err := auth.New(&options.Credential{
		Username: new("u"), Password: new("p"), AuthSource: new("$external"), AuthMechanism: new("PLAIN"),
	}, auth.Config{ConnectTimeout: *o.ConnectTimeout})
	if err != nil {
		t.Fatal(err)
	}
	top := New(Config{
		Hosts: []string{"a:1"}, Options: o, Auth: authenticator,
		Dialer: &conn.Dialer{NetDialer: slowPeer{hello, reply}, ConnectTimeout: *o.ConnectTimeout},
	})
	t.Cleanup(func() {
		if err := top.Close(context.Background()); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	return top
}

// The connections of a pool lead to its server, and only check-outs for that server get them.
//
// CMAP, "Connection Pool".
func TestEachServerHasItsOwnPool(t *testing.T) {
	addresses := []string{"a:1", "b:1", "c:1"}
	runInBubble(t, replicaSet(addresses...), &options.Client{}, addresses, func(t *testing.T, top *Topology, l *log) {
		synctest.Wait()
		owners := map[string]int{}
		for _, line := range keepLines(l.take(), "pool ready") {
			owners[line]++
		}
		pools := map[any]bool{}
		for address, s := range top.current.Load().servers {
			c, err := s.CheckOut(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if c.Conn.Address() != address || owners["pool ready "+address] != 1 {
				t.Errorf("the pool of %s has a connection to %s; %v", address, c.Conn.Address(), owners)
			}
			pools[s.pool] = true
			s.CheckIn(c)
		}
		if len(pools) != len(addresses) {
			t.Errorf("%d pools for %d servers", len(pools), len(addresses))
		}
	})
}

// refusingDialer leads to a server that answers every hello with an error. It counts the open connections.
type refusingDialer struct {
	slowPeer
	open *atomic.Int32
}

// countedConn leaves the count when it is closed.
type countedConn struct {
	net.Conn
	open *atomic.Int32
	once sync.Once
}

func (c *countedConn) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

func (p refusingDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	nc, err := p.slowPeer.DialContext(ctx, network, address)
	p.open.Add(1)
	return &countedConn{Conn: nc, open: p.open}, err
}

// Handshake, "Connection handshake": a connection whose hello fails is closed.
func TestAConnectionWhoseHelloFailsIsClosed(t *testing.T) {
	reply, err := bson.Marshal(bson.D{{Key: "ok", Value: 0}, {Key: "code", Value: 11}, {Key: "errmsg", Value: "told to"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, peer := range map[string]slowPeer{"refused": {hello: time.Millisecond, reply: reply}, "not answered": {}} {
		synctest.Test(t, func(t *testing.T) {
			var open atomic.Int32
			top := New(Config{
				Hosts: []string{"a:1"}, Options: &options.Client{DirectConnection: new(true), ConnectTimeout: new(time.Second)},
				Dialer: &conn.Dialer{NetDialer: refusingDialer{peer, &open}}, getenv: func(string) string { return "" },
			})
			if _, err := top.connect(t.Context(), "a:1", 1); err == nil || open.Load() != 0 {
				t.Errorf("%s: %d connections are open, %v", name, open.Load(), err)
			}
		})
	}
}
