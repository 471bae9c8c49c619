package conn

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// strictSocket is a socket of the program that panics when a deadline is set.
type strictSocket struct{ *dialogue }

func (strictSocket) SetReadDeadline(time.Time) error  { panic("a deadline") }
func (strictSocket) SetWriteDeadline(time.Time) error { panic("a deadline") }
func (strictSocket) SetDeadline(time.Time) error      { panic("a deadline") }

// A connection is settled after every kind of exchange, but not after a panic in the middle of one, even before
// anything was sent.
func TestWhenAConnectionIsSettled(t *testing.T) {
	last := lateReply(1, 10)
	for name, use := range map[string]func(c *Conn) error{
		"a message without a reply": func(c *Conn) error { return c.Send(t.Context(), append(c.Begin(wire.MoreToCome), 0), false) },
		"a message and its reply":   func(c *Conn) error { _, err := c.RoundTrip(t.Context(), requestMessage(c), false); return err },
		"one more reply":            func(c *Conn) error { c.awaited = 1; _, err := c.Receive(t.Context()); return err },
	} {
		c, _ := newDialogue(last)
		if err := use(c); err != nil || !c.Settled() {
			t.Errorf("%s: %v, settled: %t", name, err, c.Settled())
		}
	}
	for name, use := range map[string]func(c *Conn){
		"Send":      func(c *Conn) { _ = c.Send(t.Context(), requestMessage(c), false) },
		"RoundTrip": func(c *Conn) { _, _ = c.RoundTrip(t.Context(), requestMessage(c), false) },
		"Receive":   func(c *Conn) { _, _ = c.Receive(t.Context()) },
	} {
		c, socket := newDialogue(last)
		c.nc = strictSocket{socket}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			use(c)
		}()
		if c.Settled() {
			t.Errorf("%s: it is settled after a panic", name)
		}
	}
}

// After a late reply, the connection gives its reader back.
func TestALateReplyReturnsItsReader(t *testing.T) {
	c, _ := newDialogue(lateReply(7, 3*readBufferSize))
	c.late, c.awaited, c.unread = true, 7, nothingRead
	if err := c.FinishReply(t.Context()); err != nil || c.reader != nil || !c.Settled() {
		t.Errorf("%v, it has a reader: %t, settled: %t", err, c.reader != nil, c.Settled())
	}
}

// If the server goes away in the middle of a late reply, the connection is broken.
func TestALateReplyThatIsCut(t *testing.T) {
	reply := lateReply(7, 3*readBufferSize)
	for _, at := range []int{wire.HeaderSize, readBufferSize, len(reply) - 1} {
		c, _ := newDialogue(reply[:at])
		c.late, c.awaited, c.unread = true, 7, nothingRead
		if err := c.FinishReply(t.Context()); !errors.Is(err, io.ErrUnexpectedEOF) || !c.IsBroken() {
			t.Errorf("after %d bytes: %v, broken: %t", at, err, c.IsBroken())
		}
	}
}

// The maximum message size in the server's hello applies to the messages after it.
func TestTheServerSaysHowLargeAMessageMayBe(t *testing.T) {
	for most, want := range map[int32]bool{1 << 10: false, 1 << 14: true} {
		c, _ := greet(t, &Handshake{}, mustMarshal(t, bson.Doc("ok", 1, "maxMessageSizeBytes", most)))
		c.nc = &oneSidedConn{in: bytes.NewReader(lateReply(7, 1<<12))}
		c.awaited = 7
		if _, err := c.Receive(t.Context()); (err == nil) != want {
			t.Errorf("a message of 4 KB where %d bytes are allowed: %v", most, err)
		}
	}
}

// A message of 0 bytes may be compressed, and one of fewer cannot be.
func TestACompressedMessageOfNothing(t *testing.T) {
	c, _ := newDialogue(nil)
	c.offered = []wire.CompressorID{wire.CompressorSnappy}
	packed := make([]byte, wire.CompressedMessageAt)
	if _, got, err := c.decompress(packed); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
	copy(packed[wire.CompressedUncompressedSizeAt:], []byte{255, 255, 255, 255})
	if _, _, err := c.decompress(packed); err == nil || !strings.Contains(err.Error(), "claims -1 bytes") {
		t.Errorf("err = %v", err)
	}
}
