package conn

import (
	"net"
	"syscall"
	"testing"
	"time"
)

func TestAlive(t *testing.T) {
	tests := []struct {
		name string
		does func(t *testing.T, server net.Conn)
		want bool
	}{
		{"nothing happens", func(*testing.T, net.Conn) {}, true},
		{"the server closes", func(t *testing.T, server net.Conn) { server.Close() }, false},
		{"the server speaks unasked", func(t *testing.T, server net.Conn) {
			if _, err := server.Write([]byte{1}); err != nil {
				t.Fatal(err)
			}
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			nc, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			server, err := listener.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			c := New(nc, "a:1", nil)
			defer c.Close()
			nc.SetReadDeadline(time.Unix(1, 0)) // left by the previous operation
			tt.does(t, server)
			if !tt.want {
				awaitReadable(t, nc)
			}
			if got := c.IsAlive(); got != tt.want {
				t.Errorf("Alive() = %v, want %v", got, tt.want)
			}
		})
	}
}

// awaitReadable waits until the socket has data, and leaves the data there.
func awaitReadable(t *testing.T, nc net.Conn) {
	t.Helper()
	if err := nc.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	raw, err := nc.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Read(func(fd uintptr) bool { return !hasNothingToRead(fd) }); err != nil {
		t.Fatal(err)
	}
}

// unseenSocket is a socket of the program that does not reveal its file descriptor.
type unseenSocket struct{ dialogue }

func (unseenSocket) SyscallConn() (syscall.RawConn, error) { return unseenRaw{}, nil }

type unseenRaw struct{ syscall.RawConn }

func (unseenRaw) Read(func(fd uintptr) bool) error { return nil }

// A socket that cannot be checked counts as alive: the next operation finds out.
func TestASocketThatCannotBeLookedAt(t *testing.T) {
	if c := New(&unseenSocket{}, "a:1", nil); !c.IsAlive() {
		t.Error("it is not alive")
	}
}
