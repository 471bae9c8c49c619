package conn

import (
	"context"
	"net"
	"testing"
)

// noting is a dialer that notes what it is asked for.
type noting struct {
	network, address string
	nc               net.Conn
}

func (n *noting) DialContext(_ context.Context, network, address string) (net.Conn, error) {
	n.network, n.address = network, address
	return n.nc, nil
}

// A socket of the operating system needs neither TLS nor a proxy.
func TestAPathIsDialedAsItIs(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	dialer := &noting{nc: near}
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
