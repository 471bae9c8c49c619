package conn

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"golang.org/x/net/proxy"

	"github.com/specdrivers/onion/runtime/fault"
)

// Proxy is a SOCKS5 proxy. Username and Password are both empty if the proxy does not authenticate.
type Proxy struct {
	Host     string
	Port     int
	Username string
	Password string
}

// Tunnel opens a connection through the dialer's proxy, which must be set, and sends nothing on it. ConnectTimeout does
// not apply. Services that are not MongoDB servers are reached in this way too.
func (d *Dialer) Tunnel(ctx context.Context, address string) (net.Conn, error) {
	nc, err := d.Proxy.dial(ctx, d.netDialer(), address)
	if err != nil {
		return nil, establishError(ctx, fault.NetworkProxy, "connecting through the SOCKS5 proxy to", address, err)
	}
	return nc, nil
}

// dial connects to address through the proxy. The proxy resolves the host name.
func (p *Proxy) dial(ctx context.Context, forward NetDialer, address string) (net.Conn, error) {
	var auth *proxy.Auth
	if p.Username != "" {
		auth = &proxy.Auth{User: p.Username, Password: p.Password}
	}
	at := net.JoinHostPort(p.Host, strconv.Itoa(p.Port))
	socks, err := proxy.SOCKS5("tcp", at, auth, forwardDialer{forward})
	if err != nil {
		return nil, fmt.Errorf("proxy %s: %w", at, err)
	}
	nc, err := socks.(proxy.ContextDialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("proxy %s: %w", at, err)
	}
	return nc, nil
}

// forwardDialer adds the method without a context, which the proxy package requires but does not call.
type forwardDialer struct{ NetDialer }

func (f forwardDialer) Dial(network, address string) (net.Conn, error) {
	return f.DialContext(context.Background(), network, address)
}
