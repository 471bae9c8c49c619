package frame

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compress"
)

// Message is one request.
type Message struct {
	RequestID  int32
	OpCode     wire.OpCode // OpMsg or OpQuery, even if the message came compressed
	Flags      wire.MsgFlag
	Compressor wire.CompressorID // how the message was compressed; the reply uses the same compressor
	Body       bson.Raw
	Sequences  []Sequence
	Size       int
	coders     *compress.Coders

	// Only in an OP_QUERY.
	Namespace   string
	SecondaryOK bool
}

// Command reports whether the message is a command. An OP_QUERY may instead query a collection.
func (m *Message) Command() bool {
	return m.OpCode == wire.OpMsg || strings.HasSuffix(m.Namespace, ".$cmd")
}

// Sequence is a section of kind 1.
type Sequence struct {
	Identifier string
	Documents  []bson.Raw
}

// Error is the error of a request that breaks the wire protocol.
type Error struct {
	Code   errcode.Code // the code in the answer; 0 means no answer
	Reason string
}

func (e *Error) Error() string { return "frame: " + e.Reason }

// Fatal reports whether a server closes the connection without an answer: it cannot know where the message ends, or
// what it asks for.
func (e *Error) Fatal() bool {
	switch e.Code {
	case 0, errcode.IllegalOpMsgFlag, errcode.TooManyDocumentSequences, errcode.ChecksumMismatch:
		return true
	}
	return false
}

// errorf is an error that closes the connection.
func errorf(format string, args ...any) error { return refusef(0, format, args...) }

func refusef(code errcode.Code, format string, args ...any) error {
	return &Error{Code: code, Reason: fmt.Sprintf(format, args...)}
}

// step is how much of a message has to arrive before its length field is believed and the rest is allocated.
const step = 1 << 20

// Read reads the next request and decompresses it with the node's coders. io.EOF means that the client left between two
// messages.
func Read(r *bufio.Reader, maxSize int32, coders *compress.Coders) (*Message, error) {
	head, err := r.Peek(wire.HeaderSize)
	if err != nil {
		if err == io.EOF && len(head) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	size := int32(binary.LittleEndian.Uint32(head))
	if size < wire.HeaderSize || size > maxSize {
		return nil, errorf("a message of %d bytes, at most %d are allowed", size, maxSize)
	}
	msg := make([]byte, min(int(size), step))
	if _, err := io.ReadFull(r, msg); err != nil {
		return nil, err
	}
	if int(size) > len(msg) {
		msg = slices.Grow(msg, int(size)-step)[:size]
		if n, err := io.ReadFull(r, msg[step:]); err != nil {
			return nil, fmt.Errorf("frame: %d of %d bytes: %w", step+n, size, io.ErrUnexpectedEOF)
		}
	}
	return Parse(msg, maxSize, coders)
}

// Parse parses a whole message, including its header.
func Parse(msg []byte, maxSize int32, coders *compress.Coders) (*Message, error) {
	if len(msg) < wire.HeaderSize {
		return nil, errorf("a header of %d bytes", len(msg))
	}
	m := &Message{
		RequestID: int32(binary.LittleEndian.Uint32(msg[4:])),
		OpCode:    wire.OpCode(binary.LittleEndian.Uint32(msg[12:])),
		Size:      len(msg),
		coders:    coders,
	}
	if m.OpCode == wire.OpCompressed {
		var err error
		if msg, err = m.expand(msg, maxSize); err != nil {
			return nil, err
		}
	}
	switch m.OpCode {
	case wire.OpMsg:
		return m, m.parseMsg(msg)
	case wire.OpQuery:
		return m, m.parseQuery(msg[wire.HeaderSize:])
	}
	return nil, errorf("opcode %d is not supported", m.OpCode)
}

// expand builds the message inside an OP_COMPRESSED, including its header, because the checksum covers that message.
func (m *Message) expand(msg []byte, maxSize int32) ([]byte, error) {
	b := msg[wire.HeaderSize:]
	if len(b) < 9 {
		return nil, errorf("a compressed message of %d bytes", len(b))
	}
	m.OpCode = wire.OpCode(binary.LittleEndian.Uint32(b))
	size := int32(binary.LittleEndian.Uint32(b[4:]))
	m.Compressor = wire.CompressorID(b[8])
	if m.Compressor == wire.CompressorNoop {
		return nil, errorf("a compressor that servers do not enable")
	}
	if size < 0 || size > maxSize-wire.HeaderSize {
		return nil, errorf("a compressed message that claims %d bytes", size)
	}
	out, err := m.coders.Expand(b[9:], m.Compressor, int(size))
	if err != nil {
		return nil, errorf("%v", err)
	}
	whole := make([]byte, wire.HeaderSize, wire.HeaderSize+len(out))
	binary.LittleEndian.PutUint32(whole, uint32(wire.HeaderSize+len(out)))
	copy(whole[4:12], msg[4:12]) // requestID and responseTo
	binary.LittleEndian.PutUint32(whole[12:], uint32(m.OpCode))
	return append(whole, out...), nil
}
