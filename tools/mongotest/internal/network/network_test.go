package network

import (
	"bytes"
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

// newConnected makes a network with one connection, and returns its ends.
func newConnected(t *testing.T) (client, server net.Conn) {
	t.Helper()
	n := New()
	l, err := n.Listen("server:1")
	if err != nil {
		t.Fatal(err)
	}
	if client, err = n.Dial(t.Context(), "server:1"); err != nil {
		t.Fatal(err)
	}
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return client, server
}

func TestBytesArriveInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := newConnected(t)
		sent := bytes.Repeat([]byte("0123456789"), buffered/4) // more than the buffer holds
		go func() {
			if n, err := client.Write(sent); n != len(sent) || err != nil {
				t.Errorf("wrote %d: %v", n, err)
			}
			client.Close()
		}()
		got, err := io.ReadAll(server)
		if err != nil || !bytes.Equal(got, sent) {
			t.Errorf("read %d bytes of %d: %v", len(got), len(sent), err)
		}
		if _, err := server.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
			t.Errorf("a write to a closed connection: %v", err)
		}
		if _, err := client.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a read from it: %v", err)
		}
	})
}

func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := newConnected(t)
		began := time.Now()
		wait := func(want time.Duration, operation func([]byte) (int, error), size int) {
			t.Helper()
			_, err := operation(make([]byte, size))
			if passed := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || passed != want {
				t.Errorf("after %v: %v", passed, err)
			}
		}
		client.SetReadDeadline(began.Add(time.Second))
		wait(time.Second, client.Read, 1)
		wait(time.Second, client.Read, 1) // it has passed
		client.SetReadDeadline(began.Add(time.Hour))
		time.AfterFunc(time.Second, func() { client.SetReadDeadline(began.Add(3 * time.Second)) }) // earlier than before
		wait(3*time.Second, client.Read, 1)
		client.SetReadDeadline(began.Add(4 * time.Second))
		time.AfterFunc(time.Second/2, func() { client.SetReadDeadline(began.Add(10 * time.Second)) }) // later than before
		wait(10*time.Second, client.Read, 1)
		client.SetReadDeadline(time.Time{})
		client.SetWriteDeadline(began.Add(20 * time.Second))
		wait(20*time.Second, client.Write, buffered+1)
		if n, err := io.ReadFull(server, make([]byte, buffered)); err != nil {
			t.Errorf("%d bytes were written before: %v", n, err)
		}
		time.AfterFunc(time.Minute, func() { server.Write([]byte("x")) })
		if n, err := client.Read(make([]byte, 2)); n != 1 || err != nil {
			t.Errorf("without a deadline: %d, %v", n, err)
		}
	})
}

func TestAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := New()
		l, err := n.Listen("a:1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := n.Listen("a:1"); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("a second listener: %v", err)
		}
		waiting, err := n.Dial(t.Context(), "a:1")
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if _, err := waiting.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("a connection that was never accepted: %v", err)
		}
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a closed listener: %v", err)
		}
		if _, err := n.Dial(t.Context(), "a:1"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("a dial to it: %v", err)
		}
		if _, err := n.Listen("a:1"); err != nil {
			t.Errorf("its address is not free: %v", err)
		}
		for range backlog {
			if _, err := n.Dial(t.Context(), "a:1"); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := n.Dial(ctx, "a:1"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a full backlog: %v", err)
		}
	})
}
