package conn_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/tools/mongotest"
)

// socksProxy is a SOCKS5 server (RFC 1928, RFC 1929) with CONNECT and, if it has a user, password authentication.
type socksProxy struct {
	listener       net.Listener
	user, password string
	used           atomic.Int32
	offered        atomic.Value // the methods of the last greeting, a string
	running        sync.WaitGroup
}

func newSOCKSProxy(t *testing.T, user, password string) *socksProxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &socksProxy{listener: listener, user: user, password: password}
	p.running.Add(1)
	go func() {
		defer p.running.Done()
		for {
			nc, err := listener.Accept()
			if err != nil {
				return
			}
			p.running.Add(1)
			go func() {
				defer p.running.Done()
				defer nc.Close()
				p.serve(nc)
			}()
		}
	}()
	t.Cleanup(func() { listener.Close(); p.running.Wait() })
	return p
}

func (p *socksProxy) port() int { return p.listener.Addr().(*net.TCPAddr).Port }

func (p *socksProxy) serve(nc net.Conn) {
	if !p.greet(nc) {
		return
	}
	target, ok := readTarget(nc)
	if !ok {
		return
	}
	upstream, err := net.Dial("tcp", target)
	if err != nil {
		nc.Write([]byte{5, 5, 0, 1, 0, 0, 0, 0, 0, 0})
		return
	}
	defer upstream.Close()
	nc.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	p.used.Add(1)
	go func() {
		io.Copy(upstream, nc)
		upstream.Close()
	}()
	io.Copy(nc, upstream)
}

// greet agrees on a method, and checks the password if the proxy has a user. A proxy without users accepts everybody.
func (p *socksProxy) greet(nc net.Conn) bool {
	head := make([]byte, 2)
	if _, err := io.ReadFull(nc, head); err != nil {
		return false
	}
	methods := make([]byte, head[1])
	if _, err := io.ReadFull(nc, methods); err != nil {
		return false
	}
	p.offered.Store(string(methods))
	want := byte(0)
	if p.user != "" {
		want = 2
	}
	offered := false
	for _, m := range methods {
		offered = offered || m == want
	}
	if !offered {
		nc.Write([]byte{5, 0xff})
		return false
	}
	nc.Write([]byte{5, want})
	if want == 0 {
		return true
	}
	user, password := readCredentials(nc)
	if user != p.user || password != p.password {
		nc.Write([]byte{1, 1})
		return false
	}
	nc.Write([]byte{1, 0})
	return true
}

func readCredentials(nc net.Conn) (user, password string) {
	version := make([]byte, 1)
	io.ReadFull(nc, version)
	return readShort(nc), readShort(nc)
}

func readShort(nc net.Conn) string {
	size := make([]byte, 1)
	if _, err := io.ReadFull(nc, size); err != nil {
		return ""
	}
	text := make([]byte, size[0])
	io.ReadFull(nc, text)
	return string(text)
}

func readTarget(nc net.Conn) (string, bool) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(nc, head); err != nil || head[1] != 1 {
		return "", false
	}
	host := ""
	switch head[3] {
	case 1:
		ip := make([]byte, 4)
		io.ReadFull(nc, ip)
		host = net.IP(ip).String()
	case 3:
		host = readShort(nc)
	default:
		return "", false
	}
	port := make([]byte, 2)
	if _, err := io.ReadFull(nc, port); err != nil {
		return "", false
	}
	return net.JoinHostPort(host, strconv.Itoa(int(binary.BigEndian.Uint16(port)))), true
}

// The table of the SOCKS5 prose tests, for one connection.
func TestSOCKS5(t *testing.T) {
	server := mongotest.Start(t).Hosts()[0]
	locked, open := newSOCKSProxy(t, "username", "p4ssw0rd"), newSOCKSProxy(t, "", "")
	cases := []struct {
		name           string
		proxy          *socksProxy
		user, password string
		works          bool
	}{
		{"locked, nobody", locked, "", "", false},
		{"open, nobody", open, "", "", true},
		{"locked, wrong user", locked, "nonexistentuser", "badauth", false},
		{"open, wrong user", open, "nonexistentuser", "badauth", true},
		{"locked, right user", locked, "username", "p4ssw0rd", true},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			before := tc.proxy.used.Load()
			d := &conn.Dialer{Proxy: &conn.Proxy{Host: "127.0.0.1", Port: tc.proxy.port(), Username: tc.user, Password: tc.password}}
			c, err := d.Dial(t.Context(), server)
			methods := "\x00" // no authentication, and only with a name also that by name and password
			if tc.user != "" {
				methods += "\x02"
			}
			if got := tc.proxy.offered.Load(); got != methods {
				t.Errorf("it offered the methods %q, want %q", got, methods)
			}
			if !tc.works {
				var network fault.NetworkError
				if !errors.As(err, &network) || network.Kind != fault.NetworkProxy {
					t.Fatalf("err = %v, want one of the proxy", err)
				}
				if want := fmt.Sprintf("proxy 127.0.0.1:%d: ", tc.proxy.port()); !strings.Contains(err.Error(), want) {
					t.Errorf("err = %v, want it to say %q", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := c.Handshake(t.Context(), &conn.Handshake{}); err != nil {
				t.Fatal(err)
			}
			if c.Address() != server {
				t.Errorf("the connection names %s, not the server", c.Address())
			}
			if tc.proxy.used.Load() != before+1 {
				t.Error("the connection went past the proxy")
			}
		})
	}
}
