package conn

import (
	"encoding/binary"
	"slices"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/compress"
)

// compressor is the compressor for messages to the server. The zero value sends messages uncompressed.
type compressor struct {
	id    wire.CompressorID
	level int // for zlib
}

// coders returns the client's coders. A connection without a client makes its own.
func (c *Conn) coders() *compress.Coders {
	if c.sharedCoders == nil {
		c.sharedCoders = new(compress.Coders)
	}
	return c.sharedCoders
}

// compress wraps a finished OP_MSG message into OP_COMPRESSED.
func (c *Conn) compress(msg []byte) ([]byte, error) {
	h := parseHeader(msg)
	payload := msg[wire.HeaderSize:]
	dst := appendHeader(c.compressBuffer[:0], header{requestID: h.requestID, opCode: wire.OpCompressed})
	var head [wire.CompressedMessageAt]byte
	binary.LittleEndian.PutUint32(head[wire.CompressedOriginalOpcodeAt:], uint32(h.opCode))
	binary.LittleEndian.PutUint32(head[wire.CompressedUncompressedSizeAt:], uint32(len(payload)))
	head[wire.CompressedCompressorIDAt] = byte(c.compressor.id)
	dst = append(dst, head[:]...)
	dst, err := c.coders().Append(dst, payload, c.compressor.id, c.compressor.level)
	if err != nil {
		return nil, err
	}
	finishMessage(dst)
	if cap(dst) <= keptBufferSize {
		c.compressBuffer = dst[:0]
	}
	return dst, nil
}

// decompress undoes OP_COMPRESSED. b is the message after its header. decompress checks the size that the peer claims
// before it allocates anything. It goes by the compressor that the message names: a server may compress the reply of
// the handshake already, and may choose another compressor for each reply, but only among those that the client has
// offered.
//
// OP_COMPRESSED, "MongoDB Handshake Amendment".
func (c *Conn) decompress(b []byte) (wire.OpCode, []byte, error) {
	if len(b) < wire.CompressedMessageAt {
		return 0, nil, protocolErrorf("a compressed message of %d bytes", len(b))
	}
	id := wire.CompressorID(b[wire.CompressedCompressorIDAt])
	if !c.mayExpand(id) {
		return 0, nil, protocolErrorf("a message compressed by %s, which was not negotiated", id)
	}
	opCode := wire.OpCode(binary.LittleEndian.Uint32(b[wire.CompressedOriginalOpcodeAt:]))
	size := int32(binary.LittleEndian.Uint32(b[wire.CompressedUncompressedSizeAt:]))
	if size < 0 || size > c.maxMessageSize-wire.HeaderSize {
		return 0, nil, protocolErrorf("a compressed message that claims %d bytes (at most %d are allowed)", size, c.maxMessageSize)
	}
	out, err := c.coders().Expand(b[wire.CompressedMessageAt:], id, int(size))
	if err != nil {
		return 0, nil, protocolErrorf("a compressed message that does not decompress: %v", err)
	}
	return opCode, out, nil
}

// mayExpand reports whether the server may compress with id: the client has offered it in the hello, and the two sides
// have agreed on a compressor. Otherwise an attacker could feed data to every decompressor before any authentication.
//
// OP_COMPRESSED, "MongoDB Handshake Amendment".
func (c *Conn) mayExpand(id wire.CompressorID) bool {
	if id == wire.CompressorNoop {
		return len(c.offered) > 0
	}
	return slices.Contains(c.offered, id)
}
