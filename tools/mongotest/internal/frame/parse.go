package frame

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maxSequences is how many document sequences one message may have.
const maxSequences = 2

func (m *Message) parseMsg(whole []byte) error {
	b := whole[wire.HeaderSize:]
	if len(b) < 4 {
		return errorf("a message without flags")
	}
	m.Flags = wire.MsgFlag(binary.LittleEndian.Uint32(b))
	if m.Flags.Unknown() != 0 {
		return refusef(errcode.IllegalOpMsgFlag, "Message contains illegal flags value: Ob%032b", uint32(m.Flags))
	}
	b = b[4:]
	if m.Flags&wire.ChecksumPresent != 0 {
		if len(b) < 4 {
			return errorf("a message too short for its checksum")
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
		return refusef(errcode.Location40587, "OP_MSG messages must have a body")
	}
	for _, s := range m.Sequences {
		if !m.Body.Lookup(strings.Split(s.Identifier, ".")...).IsZero() {
			return refusef(errcode.Location40433, "Duplicate field between body and document sequence %s", s.Identifier)
		}
	}
	if m.Flags&wire.ChecksumPresent != 0 {
		end := len(whole) - 4
		if crc32.Checksum(whole[:end], castagnoli) != binary.LittleEndian.Uint32(whole[end:]) {
			return refusef(errcode.ChecksumMismatch, "OP_MSG checksum does not match contents")
		}
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
			return 0, refusef(errcode.Location40430, "Multiple body sections in message")
		}
		if err := validate(content); err != nil {
			return 0, err
		}
		m.Body = bson.Raw(content)
	case wire.KindDocumentSequence:
		return 1 + size, m.sequence(content[4:])
	default:
		return 0, refusef(errcode.Location40432, "Unknown section kind %d", kind)
	}
	return 1 + size, nil
}

// validate refuses an invalid document, and one larger than any server accepts.
func validate(doc bson.Raw) error {
	const most = wire.DefaultMaxBSONObjectSize + wire.CommandOverhead
	if len(doc) > most {
		return refusef(errcode.BSONObjectTooLarge, "BSONObj size: %d (0x%X) is invalid. Size must be between 0 and %d(16MB)",
			len(doc), len(doc), most)
	}
	if err := doc.Validate(); err != nil {
		return refusef(errcode.InvalidBSON, "%v", err)
	}
	return nil
}

func (m *Message) sequence(b []byte) error {
	if len(m.Sequences) == maxSequences {
		return refusef(errcode.TooManyDocumentSequences, "Too many document sequences in OP_MSG")
	}
	s, err := parseSequence(b)
	if err != nil {
		return err
	}
	for _, other := range m.Sequences {
		if other.Identifier == s.Identifier {
			return refusef(errcode.Location40431, "Duplicate document sequence: %s", s.Identifier)
		}
	}
	m.Sequences = append(m.Sequences, s)
	return nil
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
		if err := validate(doc); err != nil {
			return s, err
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
	m.SecondaryOK = b[0]&secondaryOK != 0
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
	return validate(m.Body)
}

// secondaryOK is the OP_QUERY flag that allows a secondary to answer.
const secondaryOK = 4
