package link

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// dialEcho makes a network with one node that sends back what it receives, and dials it.
func dialEcho(t *testing.T) (*Network, net.Conn) {
	t.Helper()
	n := New(1, Latency{Base: time.Second}, func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			_, _ = io.Copy(server, server)
			server.Close()
		}()
		return client, nil
	})
	c, err := n.Dialer(1).DialContext(t.Context(), "tcp", "a")
	if err != nil {
		t.Fatal(err)
	}
	return n, c
}

func TestFaults(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault func(*Network)
		text  string
		err   error
		after time.Duration // from the write on
	}{
		{"none", func(*Network) {}, "hello", nil, 2 * time.Second},
		{"slow", func(n *Network) { n.Slow(1, "a", time.Second) }, "hello", nil, 4 * time.Second},
		{"another client's", func(n *Network) { n.Slow(2, "a", time.Second); n.Reset(2, "a") }, "hello", nil, 2 * time.Second},
		{"blocked there", func(n *Network) { time.AfterFunc(10*time.Second, n.Block(1, "a", true, false)) }, "hello", nil, 11 * time.Second},
		{"blocked back", func(n *Network) { time.AfterFunc(10*time.Second, n.Block(1, "a", false, true)) }, "hello", nil, 10 * time.Second},
		{"blocked for too long", func(n *Network) { n.Block(1, "a", true, true) }, "", os.ErrDeadlineExceeded, time.Minute},
		{"half open", func(n *Network) { n.HalfOpen(1, "a") }, "", os.ErrDeadlineExceeded, time.Minute},
		{"reset", func(n *Network) { n.Reset(1, "a") }, "", syscall.ECONNRESET, 0},
		{"reset within the reply", func(n *Network) { n.ResetReply(1, "a", 3) }, "hel", syscall.ECONNRESET, 2 * time.Second},
		{"a reply that stalls", func(n *Network) { n.StallReply(1, "a", 3, 10*time.Second) }, "hello", nil, 12 * time.Second},
		{"a reset that was forgotten", func(n *Network) { n.ResetReply(1, "a", 3); n.Forget() }, "hello", nil, 2 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, c := dialEcho(t)
				test.fault(n)
				began := time.Now()
				if _, err := c.Write([]byte("hello")); err != nil {
					t.Fatal(err)
				}
				c.SetReadDeadline(began.Add(time.Minute))
				got := make([]byte, 5)
				k, err := io.ReadFull(c, got)
				if string(got[:k]) != test.text || !errors.Is(err, test.err) {
					t.Errorf("read %q, %v", got[:k], err)
				}
				if passed := time.Since(began); passed != test.after {
					t.Errorf("after %v, want %v", passed, test.after)
				}
				c.Close()
				if open := n.Open(1); open != 0 {
					t.Errorf("%d connections are open", open)
				}
				for _, p := range n.paths { // a path that stays blocked keeps its connections
					for d := range p.blocked {
						if p.blocked[d] > 0 {
							close(p.healed[d])
							p.blocked[d] = 0
						}
					}
				}
				settle()
			})
		})
	}
}

func TestDial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, c := dialEcho(t)
		end := n.Refuse(1, "a")
		if _, err := n.Dialer(1).DialContext(t.Context(), "tcp", "a"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("got %v", err)
		}
		end()
		heal := n.Block(1, "a", true, false)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := n.Dialer(1).DialContext(ctx, "tcp", "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		heal()
		c.Close()
		settle()
	})
}

// settle lets what is still on its way arrive: a bubble's time stops when its test returns.
func settle() { <-time.After(time.Hour) }

func TestEffects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, c := dialEcho(t)
		n.latency.Jitter = time.Second
		end := n.Slow(1, "a", time.Second)
		others := []net.Conn{c}
		for range 20 {
			other, err := n.Dialer(1).DialContext(t.Context(), "tcp", "a")
			if err != nil {
				t.Fatal(err)
			}
			others = append(others, other)
		}
		for _, d := range []Direction{up, down} {
			time.AfterFunc(10*time.Second, n.Block(1, "a", d == up, d == down))
			_, _ = c.Write([]byte("hello"))
			_, _ = io.ReadFull(c, make([]byte, 5))
		}
		time.AfterFunc(10*time.Second, n.Block(1, "a", true, true))
		_, _ = c.Write([]byte("hello"))
		_, _ = io.ReadFull(c, make([]byte, 5))
		end()
		n.StallReply(1, "a", 1, time.Second)
		for _, other := range others {
			_, _ = other.Write([]byte("hello"))
		}
		settle()
		n.ResetReply(1, "a", 1)
		_, _ = c.Write([]byte("hello"))
		settle()
		n.HalfOpen(1, "a")
		_, _ = others[1].Write([]byte("hello"))
		n.Reset(1, "a")
		n.Refuse(1, "a")
		_, _ = n.Dialer(1).DialContext(t.Context(), "tcp", "a")
		for _, other := range others {
			other.Close()
		}
		effects := n.Effects()
		for _, name := range []string{"blockUp", "blockDown", "blockBoth", "slowPath", "stall", "midFrame", "halfOpen", "reset", "refuse", "reordered"} {
			if effects[name] == 0 {
				t.Errorf("%q has not happened: %v", name, effects)
			}
		}
		settle()
	})
}
