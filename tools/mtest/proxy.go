package mtest

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// ProxyMessage is a message that the client has sent.
type ProxyMessage struct {
	ServerAddress string
	CommandName   string // empty if the message is compressed
	Sent          *SentMessage
}

// IsHandshake returns whether the message is the first on its connection in the legacy form.
func (m *ProxyMessage) IsHandshake() bool { return m.CommandName == wire.LegacyHello }

// OpCode is the kind of a message.
type OpCode int32

// The kinds of messages that a client sends.
const (
	OpQuery      = OpCode(wire.OpQuery)
	OpCompressed = OpCode(wire.OpCompressed)
	OpMsg        = OpCode(wire.OpMsg)
)

// String returns the name of the kind.
func (c OpCode) String() string {
	names := map[OpCode]string{OpQuery: "OP_QUERY", OpCompressed: "OP_COMPRESSED", OpMsg: "OP_MSG"}
	return cmp.Or(names[c], fmt.Sprintf("OpCode(%d)", int32(c)))
}

// SentMessage is a message as it went over the wire.
type SentMessage struct {
	RequestID int32
	OpCode    OpCode
	Command   bson.Raw // nil if the message is compressed
}

// ProxyCapture holds the messages of a client of type Proxy, in order.
type ProxyCapture struct {
	mu       sync.Mutex
	messages []*ProxyMessage
}

// TryNext removes and returns the oldest message, or nil if there is none.
func (c *ProxyCapture) TryNext() *ProxyMessage { return takeFirst(&c.mu, &c.messages) }

// Drain removes and returns all messages.
func (c *ProxyCapture) Drain() []*ProxyMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.messages
	c.messages = nil
	return all
}

// proxy dials connections that show their messages.
type proxy struct {
	net.Dialer
	capture *ProxyCapture
}

func (p proxy) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := p.Dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &capturedConn{Conn: c, address: address, capture: p.capture}, nil
}

// capturedConn is a connection of a proxy. It records a message when the reply comes, because then the message has arrived.
type capturedConn struct {
	net.Conn
	address string
	capture *ProxyCapture
	out     []byte          // the part of a message that has been written
	waiting []*ProxyMessage // sent, without a reply
}

func (c *capturedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.out = append(c.out, p[:n]...)
	for len(c.out) >= wire.HeaderSize {
		size := int(binary.LittleEndian.Uint32(c.out))
		if size < wire.HeaderSize || size > len(c.out) {
			break
		}
		c.noteSent(c.out[:size])
		c.out = append([]byte(nil), c.out[size:]...)
	}
	return n, err
}

func (c *capturedConn) Read(p []byte) (int, error) {
	c.capture.mu.Lock()
	c.capture.messages = append(c.capture.messages, c.waiting...)
	c.capture.mu.Unlock()
	c.waiting = nil
	return c.Conn.Read(p)
}

// noteSent reads a message.
func (c *capturedConn) noteSent(message []byte) {
	m := &SentMessage{
		RequestID: int32(binary.LittleEndian.Uint32(message[4:])), OpCode: OpCode(binary.LittleEndian.Uint32(message[12:])),
	}
	rest := message[wire.HeaderSize:]
	switch m.OpCode {
	case OpMsg:
		rest = rest[min(len(rest), 5):] // flags, and the kind of the first section: the body comes first
	case OpQuery:
		rest = skipQuery(rest)
	default:
		rest = nil
	}
	name := ""
	if len(rest) >= 4 && int(binary.LittleEndian.Uint32(rest)) <= len(rest) {
		m.Command = bson.Raw(append([]byte(nil), rest[:binary.LittleEndian.Uint32(rest)]...))
		first, _ := m.Command.Index(0)
		name = first.Key
	}
	c.waiting = append(c.waiting, &ProxyMessage{ServerAddress: c.address, CommandName: name, Sent: m})
}

// skipQuery skips the flags, the collection and two numbers of an OP_QUERY.
func skipQuery(rest []byte) []byte {
	for i := 4; i < len(rest); i++ {
		if rest[i] == 0 {
			return rest[min(len(rest), i+9):]
		}
	}
	return nil
}
