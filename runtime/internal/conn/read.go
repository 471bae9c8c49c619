package conn

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

const (
	// readBufferSize lets the header and the body of a small reply arrive in one read.
	readBufferSize = 4 << 10

	// trustedSize limits how much memory is allocated on the word of a length field. The rest is allocated as bytes
	// arrive.
	trustedSize = 4 << 20

	// minLentSize is the size from which a reply may use its operation's memory. An error reply is smaller, and
	// outlives the operation.
	minLentSize = 1 << 20
)

// Reply is one reply of the server. It owns its memory, unless its operation supplied some: see Terms.
type Reply struct {
	// Body is the document of the reply. Its outer length has been checked. Its elements have not.
	Body bson.Raw

	// MoreToCome says that the server sends another reply without being asked: call Receive.
	MoreToCome bool

	// RequestID is the id that the server gave to the reply.
	RequestID int32
}

// protocolError is a message that breaks the rules of the wire protocol.
type protocolError struct{ reason string }

func (e *protocolError) Error() string { return "the server broke the wire protocol: " + e.reason }

func protocolErrorf(format string, args ...any) error {
	return &protocolError{reason: fmt.Sprintf(format, args...)}
}

// idleReaders are the readers that no connection needs at the moment. Most connections of a pool are idle most of the
// time, and would otherwise each hold a buffer.
var idleReaders = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, readBufferSize) }}

// borrowReader gives the connection a reader, unless it still has one that holds a part of the next reply.
func (c *Conn) borrowReader() {
	if c.reader == nil {
		c.reader = idleReaders.Get().(*bufio.Reader)
		c.reader.Reset(c.nc)
	}
}

// returnReader gives the connection's reader back if it is empty.
func (c *Conn) returnReader() {
	if c.reader.Buffered() == 0 {
		c.reader.Reset(nil)
		idleReaders.Put(c.reader)
		c.reader = nil
	}
}

// buffered is how much of the stream has been read ahead.
func (c *Conn) buffered() int {
	if c.reader == nil {
		return 0
	}
	return c.reader.Buffered()
}

// readReply reads one message and checks that it answers the outstanding request. If the read is cut off, unread says
// how much is left, and nothing refers to memory any more.
func (c *Conn) readReply(memory *[]byte) (Reply, error) {
	c.borrowReader()
	defer c.returnReader()
	c.unread = nothingRead
	h, err := c.readHeader()
	if err != nil {
		return Reply{}, err
	}
	msg, err := c.readAll(int(h.length), memory)
	if err != nil {
		return Reply{}, unexpectedEOF(err, true)
	}
	reply, err := c.parseMessage(h, msg)
	if err != nil {
		return Reply{}, err
	}
	c.awaited = 0
	if reply.MoreToCome {
		c.awaited = reply.RequestID // the next reply of an exhaust stream answers this one
	}
	return reply, nil
}

// readAll reads a message of n bytes, header included, into memory if it is a large one. See Terms.
func (c *Conn) readAll(n int, memory *[]byte) ([]byte, error) {
	c.unread = n
	if memory == nil || n < minLentSize {
		return c.readGrowing(n)
	}
	if cap(*memory) >= n {
		msg := (*memory)[:n]
		return msg, c.readFull(msg)
	}
	msg, err := c.readGrowing(n)
	if err == nil {
		*memory = msg
	}
	return msg, err
}

// readGrowing reads n bytes into newly allocated memory.
func (c *Conn) readGrowing(n int) ([]byte, error) {
	msg := make([]byte, min(n, trustedSize))
	if err := c.readFull(msg); err != nil {
		return nil, err
	}
	for len(msg) < n {
		have := len(msg)
		grown := make([]byte, min(n, 5*have)) // the second step holds a whole batch, which is slightly more than 16 MB
		copy(grown, msg)
		if err := c.readFull(grown[have:]); err != nil {
			return nil, err
		}
		msg = grown
	}
	return msg, nil
}

func (c *Conn) readFull(dst []byte) error {
	n, err := io.ReadFull(c.reader, dst)
	c.unread -= n
	return err
}

// parseMessage parses a whole message, header included.
func (c *Conn) parseMessage(h header, msg []byte) (Reply, error) {
	switch h.opCode {
	case wire.OpMsg:
		return parseMsg(h, msg[wire.HeaderSize:], msg)
	case wire.OpCompressed:
		opCode, payload, err := c.decompress(msg[wire.HeaderSize:])
		if err != nil {
			return Reply{}, err
		}
		if opCode != wire.OpMsg {
			return Reply{}, protocolErrorf("a compressed message of opcode %d", opCode)
		}
		return parseMsg(h, payload, nil)
	}
	return Reply{}, protocolErrorf("a message of opcode %d", h.opCode)
}

// parseMsg reads the flags and sections of an OP_MSG. whole is the message as it was sent, for the checksum. It is nil
// for a compressed message, because the checksum covers bytes that no longer exist.
func parseMsg(h header, payload, whole []byte) (Reply, error) {
	if len(payload) < wire.MsgSectionsAt {
		return Reply{}, protocolErrorf("a message without flags (%d bytes)", len(payload))
	}
	flags := wire.MsgFlag(binary.LittleEndian.Uint32(payload[wire.MsgFlagBitsAt:]))
	if unknown := flags.Unknown(); unknown != 0 {
		return Reply{}, protocolErrorf("unknown flag bits %#x", uint32(unknown))
	}
	sections := payload[wire.MsgSectionsAt:]
	if flags&wire.ChecksumPresent != 0 {
		if len(sections) < wire.MsgChecksumSize {
			return Reply{}, protocolErrorf("a message too short for its checksum")
		}
		sections = sections[:len(sections)-wire.MsgChecksumSize]
		if err := verifyChecksum(whole); err != nil {
			return Reply{}, err
		}
	}
	body, err := singleBody(sections)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: body, MoreToCome: flags&wire.MoreToCome != 0, RequestID: h.requestID}, nil
}

func verifyChecksum(whole []byte) error {
	if whole == nil {
		return nil
	}
	covered, sum := whole[:len(whole)-wire.MsgChecksumSize], binary.LittleEndian.Uint32(whole[len(whole)-wire.MsgChecksumSize:])
	if got := crc32.Checksum(covered, crc32.MakeTable(crc32.Castagnoli)); got != sum {
		return protocolErrorf("checksum %#08x, computed %#08x", sum, got)
	}
	return nil
}

// singleBody walks the sections of a reply and returns the body. There must be exactly one. It checks document
// sequences and skips them: servers send none, but a driver must accept them.
func singleBody(sections []byte) (bson.Raw, error) {
	var body bson.Raw
	for len(sections) > 0 {
		kind := sections[wire.SectionPayloadTypeAt]
		sections = sections[wire.SectionPayloadAt:]
		if len(sections) < 4 {
			return nil, protocolErrorf("a section of kind %d without a size", kind)
		}
		size := int(int32(binary.LittleEndian.Uint32(sections)))
		if size < 5 || size > len(sections) {
			return nil, protocolErrorf("a section of %d bytes where %d are left", size, len(sections))
		}
		switch kind {
		case wire.KindBody:
			if body != nil {
				return nil, protocolErrorf("two body sections")
			}
			if sections[size-1] != 0 {
				return nil, protocolErrorf("a body that does not end in a zero byte")
			}
			body = bson.Raw(sections[:size:size])
		case wire.KindDocumentSequence:
		default:
			return nil, protocolErrorf("a section of kind %d", kind)
		}
		sections = sections[size:]
	}
	if body == nil {
		return nil, protocolErrorf("no body section")
	}
	return body, nil
}

// unexpectedEOF turns io.EOF into io.ErrUnexpectedEOF if the stream ends inside a message.
func unexpectedEOF(err error, inside bool) error {
	if err == io.EOF && inside {
		return io.ErrUnexpectedEOF
	}
	return err
}
