package frame

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/internal/compress"
)

// Message is one request.
type Message struct {
	RequestID  int32
	OpCode     wire.OpCode // OpMsg or OpQuery, also for a message that came compressed
	Flags      wire.MsgFlag
	Compressor wire.CompressorID // how the message came; the reply goes back the same way
	Body       bson.Raw
	Sequences  []Sequence
	Namespace  string // of an OP_QUERY
	Size       int
}

// Sequence is a section of kind 1.
type Sequence struct {
	Identifier string
	Documents  []bson.Raw
}

// Error is a request that breaks the wire protocol. A server answers it by closing the connection.
type Error struct{ Reason string }

func (e *Error) Error() string { return "frame: " + e.Reason }

func errorf(format string, args ...any) error { return &Error{Reason: fmt.Sprintf(format, args...)} }

// step bounds what a length field alone can make the server allocate.
const step = 1 << 20

// Read reads the next request. io.EOF means that the client has gone between two messages.
func Read(r *bufio.Reader, maxSize int32) (*Message, error) {
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
	if rest := int(size) - len(msg); rest > 0 {
		buf := bytes.NewBuffer(msg)
		if n, err := io.CopyN(buf, r, int64(rest)); err != nil {
			return nil, fmt.Errorf("frame: %d of %d bytes: %w", len(msg)+int(n), size, io.ErrUnexpectedEOF)
		}
		msg = buf.Bytes()
	}
	return Parse(msg, maxSize)
}

// Parse takes a whole message, header included, apart.
func Parse(msg []byte, maxSize int32) (*Message, error) {
	if len(msg) < wire.HeaderSize {
		return nil, errorf("a header of %d bytes", len(msg))
	}
	m := &Message{
		RequestID: int32(binary.LittleEndian.Uint32(msg[4:])),
		OpCode:    wire.OpCode(binary.LittleEndian.Uint32(msg[12:])),
		Size:      len(msg),
	}
	payload := msg[wire.HeaderSize:]
	whole := msg
	if m.OpCode == wire.OpCompressed {
		var err error
		if payload, err = m.expand(payload, maxSize); err != nil {
			return nil, err
		}
		whole = nil
	}
	switch m.OpCode {
	case wire.OpMsg:
		return m, m.parseMsg(payload, whole)
	case wire.OpQuery:
		return m, m.parseQuery(payload)
	}
	return nil, errorf("opcode %d is not supported", m.OpCode)
}

func (m *Message) expand(b []byte, maxSize int32) ([]byte, error) {
	if len(b) < 9 {
		return nil, errorf("a compressed message of %d bytes", len(b))
	}
	m.OpCode = wire.OpCode(binary.LittleEndian.Uint32(b))
	size := int32(binary.LittleEndian.Uint32(b[4:]))
	m.Compressor = wire.CompressorID(b[8])
	if size < 0 || size > maxSize {
		return nil, errorf("a compressed message that claims %d bytes", size)
	}
	out, err := compress.Expand(b[9:], m.Compressor, int(size))
	if err != nil {
		return nil, errorf("%v", err)
	}
	return out, nil
}

func (m *Message) parseMsg(b, whole []byte) error {
	if len(b) < 4 {
		return errorf("a message without flags")
	}
	m.Flags = wire.MsgFlag(binary.LittleEndian.Uint32(b))
	if unknown := m.Flags.Unknown(); unknown != 0 {
		return errorf("unknown flag bits %#x", uint32(unknown))
	}
	b = b[4:]
	if m.Flags&wire.ChecksumPresent != 0 {
		if len(b) < 4 {
			return errorf("a message too short for its checksum")
		}
		sum := binary.LittleEndian.Uint32(b[len(b)-4:])
		if whole != nil && crc32.Checksum(whole[:len(whole)-4], crc32.MakeTable(crc32.Castagnoli)) != sum {
			return errorf("the checksum is wrong")
		}
		b = b[:len(b)-4]
	}
	for len(b) > 0 {
		n, err := m.section(b)
		if err != nil {
			return err
		}
		b = b[n:]
	}
	if m.Body == nil {
		return errorf("no body section")
	}
	return nil
}

// section reads the section at the start of b and returns its length.
func (m *Message) section(b []byte) (int, error) {
	kind := b[0]
	if len(b) < 5 {
		return 0, errorf("a section without a size")
	}
	size := int(int32(binary.LittleEndian.Uint32(b[1:])))
	if size < 5 || size > len(b)-1 {
		return 0, errorf("a section of %d bytes where %d are left", size, len(b)-1)
	}
	content := b[1 : 1+size : 1+size]
	switch kind {
	case wire.KindBody:
		if m.Body != nil {
			return 0, errorf("two body sections")
		}
		m.Body = bson.Raw(content)
		if err := m.Body.Validate(); err != nil {
			return 0, errorf("the body: %v", err)
		}
	case wire.KindDocumentSequence:
		sequence, err := parseSequence(content[4:])
		if err != nil {
			return 0, err
		}
		m.Sequences = append(m.Sequences, sequence)
	default:
		return 0, errorf("a section of kind %d", kind)
	}
	return 1 + size, nil
}

func parseSequence(b []byte) (Sequence, error) {
	end := bytes.IndexByte(b, 0)
	if end < 0 {
		return Sequence{}, errorf("a document sequence without a name")
	}
	s := Sequence{Identifier: string(b[:end])}
	for b = b[end+1:]; len(b) > 0; {
		if len(b) < 5 {
			return s, errorf("document sequence %s: %d bytes are left over", s.Identifier, len(b))
		}
		size := int(int32(binary.LittleEndian.Uint32(b)))
		if size < 5 || size > len(b) {
			return s, errorf("document sequence %s: a document of %d bytes where %d are left", s.Identifier, size, len(b))
		}
		doc := bson.Raw(b[:size:size])
		if err := doc.Validate(); err != nil {
			return s, errorf("document sequence %s: %v", s.Identifier, err)
		}
		s.Documents = append(s.Documents, doc)
		b = b[size:]
	}
	return s, nil
}

// parseQuery reads an OP_QUERY, which servers still accept for the hello of old drivers.
func (m *Message) parseQuery(b []byte) error {
	if len(b) < 4 {
		return errorf("a query without flags")
	}
	b = b[4:]
	end := bytes.IndexByte(b, 0)
	if end < 0 {
		return errorf("a query without a namespace")
	}
	m.Namespace = string(b[:end])
	b = b[end+1:]
	if len(b) < 8+5 {
		return errorf("a query without a document")
	}
	b = b[8:]
	size := int(int32(binary.LittleEndian.Uint32(b)))
	if size < 5 || size > len(b) {
		return errorf("a query document of %d bytes where %d are left", size, len(b))
	}
	m.Body = bson.Raw(b[:size:size])
	if err := m.Body.Validate(); err != nil {
		return errorf("the query: %v", err)
	}
	return nil
}
