package conn

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
)

// Handshake is what a client sends about itself in the first message of a connection.
type Handshake struct {
	// Metadata is the client document; nil sends none.
	Metadata bson.Raw

	// Compressors lists the compressors to offer, in this order.
	Compressors []wire.CompressorID

	// ZlibLevel is the compression level if the connection uses zlib.
	ZlibLevel int

	// ServerAPI is appended to the command unchanged: apiVersion, apiStrict, apiDeprecationErrors. With a declared API
	// the first message is hello.
	ServerAPI []byte

	// LoadBalanced says that the connection goes through a load balancer. The server must then reply with a serviceId.
	LoadBalanced bool

	// NegotiateUser is "db.user" if the server should list the user's SASL mechanisms.
	NegotiateUser string

	// SpeculativeAuthenticate is the first message of the authentication, which the hello includes. nil sends none.
	SpeculativeAuthenticate bson.Raw
}

// Hello is what a server reports about itself in its reply to the handshake.
type Hello struct {
	Raw     bson.Raw // the reply, until ForgetHello
	Elapsed time.Duration
	// HelloOK says that the server supports hello on this connection, not only the legacy form.
	HelloOK bool

	MaxWireVersion int32
	ConnectionID   int64 // the server's number for the connection, 0 when it sends none
	ServiceID      *bson.ObjectID

	MaxBSONObjectSize   int32
	MaxMessageSizeBytes int32
	MaxWriteBatchSize   int32

	SASLSupportedMechs      []string
	SpeculativeAuthenticate bson.Raw
	LogicalSessionTimeout   *time.Duration
}

// command builds the first message. With a declared API or behind a load balancer it is hello. Otherwise it is the
// legacy hello with helloOk, which every supported server understands.
func (h *Handshake) command() bson.Raw {
	var dst []byte
	dst, start := bson.AppendDocumentStart(dst)
	if len(h.ServerAPI) > 0 || h.LoadBalanced {
		dst = bson.AppendInt32Element(dst, wire.Hello, 1)
	} else {
		dst = bson.AppendInt32Element(dst, wire.LegacyHello, 1)
	}
	dst = bson.AppendBooleanElement(dst, wire.FieldHelloOK, true)
	dst = bson.AppendStringElement(dst, wire.FieldBackpressure, wire.BackpressureVersion)
	if h.Metadata != nil {
		dst = bson.AppendDocumentElement(dst, wire.FieldClient, h.Metadata)
	}
	dst = h.appendCompression(dst)
	if h.LoadBalanced {
		dst = bson.AppendBooleanElement(dst, wire.FieldLoadBalanced, true)
	}
	if h.NegotiateUser != "" {
		dst = bson.AppendStringElement(dst, wire.FieldSASLSupportedMechs, h.NegotiateUser)
	}
	if h.SpeculativeAuthenticate != nil {
		dst = bson.AppendDocumentElement(dst, wire.FieldSpeculativeAuthenticate, h.SpeculativeAuthenticate)
	}
	dst = append(dst, h.ServerAPI...)
	return bson.AppendDocumentEnd(dst, start)
}

// appendCompression lists the compressors, also when there are none.
//
// OP_COMPRESSED, "MongoDB Handshake Amendment".
func (h *Handshake) appendCompression(dst []byte) []byte {
	dst, array := bson.AppendArrayElementStart(dst, wire.FieldCompression)
	for i, id := range h.Compressors {
		dst = bson.AppendStringElement(dst, strconv.Itoa(i), id.String())
	}
	return bson.AppendDocumentEnd(dst, array)
}

// Handshake sends the first message of the connection and reads the server's reply. From then on the connection uses
// the server's limits and the compressor that both sides know. If the reply is well-formed but not ok, Handshake
// returns it with a nil error. The caller decides what it means for the topology.
func (c *Conn) Handshake(ctx context.Context, h *Handshake) (*Hello, error) {
	began := time.Now()
	c.offered = h.Compressors
	reply, err := c.RunCommand(ctx, "admin", h.command())
	if err != nil {
		return nil, err
	}
	if reply, err = fault.ReadReply(reply); err != nil {
		return nil, c.fail("reading the hello of", protocolErrorf("a malformed document: %v", err))
	}
	c.hello = parseHello(reply)
	c.hello.Elapsed = time.Since(began)
	c.serverAPI = h.ServerAPI
	if len(h.ServerAPI) > 0 || h.LoadBalanced {
		c.hello.HelloOK = true
	}
	c.maxMessageSize = c.hello.MaxMessageSizeBytes
	c.negotiate(h, reply)
	return &c.hello, nil
}

// ForgetHello drops the reply to the handshake, which may be as large as the rest of the connection. What was read from
// it stays.
func (c *Conn) ForgetHello() { c.hello.Raw, c.hello.SpeculativeAuthenticate = nil, nil }

// negotiate picks the first of our compressors that the server's reply also lists, whatever the order of that list. If
// there is none, the server must not compress either.
//
// OP_COMPRESSED, "MongoDB Handshake Amendment".
func (c *Conn) negotiate(h *Handshake, reply bson.Raw) {
	accepted := stringsOf(reply.Lookup(wire.FieldCompression))
	for _, id := range h.Compressors {
		if slices.Contains(accepted, id.String()) {
			c.compressor = compressor{id: id, level: h.ZlibLevel}
			return
		}
	}
	c.offered = nil
}

func parseHello(reply bson.Raw) Hello {
	h := Hello{
		Raw:                 reply,
		MaxBSONObjectSize:   wire.DefaultMaxBSONObjectSize,
		MaxMessageSizeBytes: wire.DefaultMaxMessageSizeBytes,
		MaxWriteBatchSize:   wire.DefaultMaxWriteBatchSize,
	}
	for key, value := range reply.All() {
		switch key {
		case wire.FieldHelloOK:
			h.HelloOK, _ = value.BooleanOK()
		case wire.FieldMaxWireVersion:
			h.MaxWireVersion = readBounded(value, 0, math.MaxInt32)
		case wire.FieldConnectionID:
			h.ConnectionID, _ = value.AsInt64OK()
		case wire.FieldServiceID:
			if id, ok := value.ObjectIDOK(); ok {
				h.ServiceID = &id
			}
		case wire.FieldMaxBSONObjectSize:
			h.MaxBSONObjectSize = readBounded(value, h.MaxBSONObjectSize, wire.GreatestMaxBSONObjectSize)
		case wire.FieldMaxMessageSizeBytes:
			h.MaxMessageSizeBytes = readBounded(value, h.MaxMessageSizeBytes, wire.GreatestMaxMessageSizeBytes)
		case wire.FieldMaxWriteBatchSize:
			h.MaxWriteBatchSize = readBounded(value, h.MaxWriteBatchSize, wire.GreatestMaxWriteBatchSize)
		case wire.FieldSASLSupportedMechs:
			h.SASLSupportedMechs = stringsOf(value)
		case wire.FieldSpeculativeAuthenticate:
			h.SpeculativeAuthenticate, _ = value.DocumentOK()
		case wire.FieldLogicalSessionTimeoutMinutes:
			if minutes, ok := value.AsInt64OK(); ok {
				minutes = max(0, min(minutes, math.MaxInt64/int64(time.Minute)))
				h.LogicalSessionTimeout = new(time.Duration(minutes) * time.Minute)
			}
		}
	}
	return h
}

// readBounded reads a number that a server may send as any numeric type. It returns the default if the number makes no
// sense, and limits larger numbers to most. A server's claim must not decide how much memory the driver allocates.
func readBounded(value bson.RawValue, byDefault, most int32) int32 {
	n, ok := value.AsInt64OK()
	if !ok || n <= 0 {
		return byDefault
	}
	return int32(min(n, int64(most)))
}

func stringsOf(value bson.RawValue) []string {
	array, _ := value.ArrayOK()
	var out []string
	for _, item := range array.All() {
		if s, ok := item.StringOK(); ok {
			out = append(out, s)
		}
	}
	return out
}

// AwaitHello asks a server for its state, on a connection after its handshake. With a topologyVersion the server waits
// up to maxAwait for its state to differ from that one. With exhaust it keeps replying: call Receive for each further
// reply while MoreToCome is set.
func (c *Conn) AwaitHello(ctx context.Context, topologyVersion bson.Raw, maxAwait time.Duration, exhaust bool,
	serverAPI []byte) (Reply, error) {
	msg, err := c.helloMessage(topologyVersion, maxAwait, exhaust, serverAPI)
	if err != nil {
		return Reply{}, err
	}
	reply, err := c.RoundTrip(ctx, msg, false)
	if err != nil {
		return Reply{}, err
	}
	if reply.Body, err = fault.ReadReply(reply.Body); err != nil {
		return Reply{}, c.fail("reading the hello of", protocolErrorf("a malformed document: %v", err))
	}
	return reply, nil
}

func (c *Conn) helloMessage(topologyVersion bson.Raw, maxAwait time.Duration, exhaust bool, serverAPI []byte) ([]byte, error) {
	var flags wire.MsgFlag
	if exhaust {
		flags = wire.ExhaustAllowed
	}
	msg := c.Begin(flags)
	msg, start := bson.AppendDocumentStart(msg)
	if c.hello.HelloOK {
		msg = bson.AppendInt32Element(msg, wire.Hello, 1)
	} else {
		msg = bson.AppendInt32Element(msg, wire.LegacyHello, 1)
		msg = bson.AppendBooleanElement(msg, wire.FieldHelloOK, true)
	}
	if topologyVersion != nil {
		if maxAwait < 0 {
			return nil, fmt.Errorf("conn: a negative maxAwaitTimeMS (%v)", maxAwait)
		}
		msg = bson.AppendDocumentElement(msg, wire.FieldTopologyVersion, topologyVersion)
		msg = bson.AppendInt64Element(msg, wire.FieldMaxAwaitTimeMS, maxAwait.Milliseconds())
	}
	msg = bson.AppendStringElement(msg, wire.FieldDB, "admin")
	msg = append(msg, serverAPI...)
	return bson.AppendDocumentEnd(msg, start), nil
}
