package conn

import (
	"context"
	"net"
	"testing"
)

// notingDialer notes the address that it is asked for.
type notingDialer struct {
	network, address string
	nc               net.Conn
}

func (n *notingDialer) DialContext(_ context.Context, network, address string) (net.Conn, error) {
	n.network, n.address = network, address
	return n.nc, nil
}

// A unix domain socket is dialed without TLS and without the proxy.
func TestAPathIsDialedAsItIs(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	dialer := &notingDialer{nc: near}
	d := &Dialer{NetDialer: dialer, TLS: &TLS{}, Proxy: &Proxy{Host: "p", Port: 1080}}
	c, err := d.Dial(t.Context(), "/run/mongodb.sock")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if dialer.network != "unix" || dialer.address != "/run/mongodb.sock" {
		t.Errorf("it dialed %s %s", dialer.network, dialer.address)
	}
}
