package mongo_test

import (
	"context"
	"encoding/binary"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/kmstest"
)

// tunnel is a SOCKS5 proxy without users (RFC 1928). It resolves the names of key management services to a mock server.
type tunnel struct {
	services *kmstest.Server
	listener net.Listener

	mu    sync.Mutex
	hosts map[string]bool // the hosts that clients asked for
}

func newTunnel(t *testing.T, services *kmstest.Server) *tunnel {
	t.Helper()
	p := &tunnel{services: services, hosts: map[string]bool{}}
	p.listener = startServing(t, p.serve)
	return p
}

func (p *tunnel) serve(nc net.Conn) {
	greeting := make([]byte, 2)
	io.ReadFull(nc, greeting)
	io.CopyN(io.Discard, nc, int64(greeting[1]))
	nc.Write([]byte{5, 0})
	head := make([]byte, 4)
	io.ReadFull(nc, head)
	var host string
	switch head[3] {
	case 1:
		ip := make(net.IP, net.IPv4len)
		io.ReadFull(nc, ip)
		host = ip.String()
	case 3:
		size := make([]byte, 1)
		io.ReadFull(nc, size)
		name := make([]byte, size[0])
		io.ReadFull(nc, name)
		host = string(name)
	}
	port := make([]byte, 2)
	if _, err := io.ReadFull(nc, port); err != nil {
		return
	}
	p.mu.Lock()
	p.hosts[host] = true
	p.mu.Unlock()
	address := net.JoinHostPort(host, strconv.Itoa(int(binary.BigEndian.Uint16(port))))
	connect := p.services.Connect
	if net.ParseIP(host) != nil {
		connect = func(ctx context.Context, address string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", address)
		}
	}
	upstream, err := connect(context.Background(), address)
	if err != nil {
		return
	}
	defer upstream.Close()
	nc.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	go func() {
		io.Copy(upstream, nc)
		upstream.Close()
	}()
	io.Copy(nc, upstream)
}

// names returns the hosts that clients named, without the addresses of servers.
func (p *tunnel) names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.hosts)), func(host string) bool { return net.ParseIP(host) != nil })
}

// The driver reaches key management services through the client's proxy, which resolves their names. A callback of the
// program replaces the proxy.
//
// SOCKS5 Support, "Connection Establishment".
func TestKeyManagementServicesBehindAProxy(t *testing.T) {
	services := kmstest.Start(t)
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"))
	const host = "kms.us-east-1.amazonaws.com"
	for _, callback := range []bool{false, true} {
		p := newTunnel(t, services)
		proxied := options.Client{ProxyHost: new("127.0.0.1"), ProxyPort: new(p.listener.Addr().(*net.TCPAddr).Port)}
		explicit := withServices(services)
		want := ""
		if !callback {
			explicit.KMSConnectCallback, want = nil, host
		}
		e := newEncryption(t, connect(t, d, &proxied), explicit)
		id, err := e.CreateDataKey(t.Context(), "aws", &options.DataKey{MasterKey: masterKeys()["aws"]})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.names(), " "); got != want {
			t.Errorf("callback %v: explicit encryption asked the proxy for %q, want %q", callback, got, want)
		}

		p = newTunnel(t, services)
		proxied.ProxyPort = new(p.listener.Addr().(*net.TCPAddr).Port)
		proxied.AutoEncryption = &mongo.AutoEncryption{
			KeyVaultNamespace: explicit.KeyVaultNamespace, KMSProviders: explicit.KMSProviders, TLSConfig: explicit.TLSConfig,
			KMSConnectCallback: explicit.KMSConnectCallback, SchemaMap: map[string]any{"db.people": peopleSchema(id)},
		}
		if _, err := connect(t, d, &proxied).Database("db").Collection("people").InsertOne(t.Context(), bson.Doc("ssn", "123")); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.names(), " "); got != want {
			t.Errorf("callback %v: automatic encryption asked the proxy for %q, want %q", callback, got, want)
		}
	}
}
