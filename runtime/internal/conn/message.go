package conn

import (
	"bytes"
	"encoding/binary"
	"iter"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// Where the parts of a message are: its flags, its sections, and the document of the first one.
const (
	flagsOffset    = wire.HeaderSize + wire.MsgFlagBitsAt
	sectionsOffset = wire.HeaderSize + wire.MsgSectionsAt
	bodyOffset     = sectionsOffset + wire.SectionPayloadAt
)

// Begin starts an OP_MSG message in the connection's own buffer: the header, the flags, and the kind byte of the body
// section. The caller appends the command's document, and then any document sequences (see BeginSequence). It must send
// the message before it begins another.
func (c *Conn) Begin(flags wire.MsgFlag) []byte {
	c.rests.InUse()
	dst := c.takeBuffer()
	dst = appendHeader(dst, header{requestID: c.requestIDs.Add(1), opCode: wire.OpMsg})
	dst = binary.LittleEndian.AppendUint32(dst, uint32(flags))
	return append(dst, wire.KindBody)
}

// RequestID is the id of a message that Begin started.
func RequestID(msg []byte) int32 { return parseHeader(msg).requestID }

// Body is the complete command document of a message that Begin started.
func Body(msg []byte) bson.Raw {
	size := int(binary.LittleEndian.Uint32(msg[bodyOffset:]))
	return bson.Raw(msg[bodyOffset : bodyOffset+size])
}

// Sequences yields the document sequences of a message that Begin started. It yields the identifier and the documents,
// which follow each other without a gap.
func Sequences(msg []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		rest := msg[bodyOffset+len(Body(msg)):]
		for len(rest) > 0 {
			payload := rest[wire.SectionPayloadAt:]
			size := int(binary.LittleEndian.Uint32(payload[wire.SequenceSizeAt:]))
			section := payload[wire.SequenceIdentifierAt:size]
			end := bytes.IndexByte(section, 0)
			if !yield(string(section[:end]), section[end+1:]) {
				return
			}
			rest = payload[size:]
		}
	}
}

// SetMoreToCome marks a message that Begin started as one that gets no reply.
func SetMoreToCome(msg []byte) {
	flags := flagsOf(msg) | wire.MoreToCome
	binary.LittleEndian.PutUint32(msg[flagsOffset:], uint32(flags))
}

// SetExhaustAllowed marks a message that Begin started as one that may get several replies.
func SetExhaustAllowed(msg []byte) {
	flags := flagsOf(msg) | wire.ExhaustAllowed
	binary.LittleEndian.PutUint32(msg[flagsOffset:], uint32(flags))
}

// BeginSequence appends the head of a document sequence section. The caller appends the documents one after another and
// closes the section with EndSequence.
func BeginSequence(dst []byte, identifier string) (out []byte, start int) {
	dst = append(dst, wire.KindDocumentSequence)
	start = len(dst)
	dst = append(dst, make([]byte, wire.SequenceIdentifierAt)...) // the size, until EndSequence knows it
	dst = append(dst, identifier...)
	return append(dst, 0), start
}

// EndSequence writes the size of the section that BeginSequence opened at start.
func EndSequence(dst []byte, start int) []byte {
	binary.LittleEndian.PutUint32(dst[start+wire.SequenceSizeAt:], uint32(len(dst)-start))
	return dst
}

// SequenceOverhead is how many bytes a document sequence adds to a message, not counting its documents.
func SequenceOverhead(identifier string) int {
	return wire.SectionPayloadAt + wire.SequenceIdentifierAt + len(identifier) + 1
}

func flagsOf(msg []byte) wire.MsgFlag {
	return wire.MsgFlag(binary.LittleEndian.Uint32(msg[flagsOffset:]))
}

func finishMessage(msg []byte) {
	binary.LittleEndian.PutUint32(msg[wire.HeaderMessageLengthAt:], uint32(len(msg)))
}

// header is at the start of every message.
type header struct {
	length     int32
	requestID  int32
	responseTo int32
	opCode     wire.OpCode
}

func appendHeader(dst []byte, h header) []byte {
	var head [wire.HeaderSize]byte
	binary.LittleEndian.PutUint32(head[wire.HeaderMessageLengthAt:], uint32(h.length))
	binary.LittleEndian.PutUint32(head[wire.HeaderRequestIDAt:], uint32(h.requestID))
	binary.LittleEndian.PutUint32(head[wire.HeaderResponseToAt:], uint32(h.responseTo))
	binary.LittleEndian.PutUint32(head[wire.HeaderOpCodeAt:], uint32(h.opCode))
	return append(dst, head[:]...)
}

func parseHeader(b []byte) header {
	return header{
		length:     int32(binary.LittleEndian.Uint32(b[wire.HeaderMessageLengthAt:])),
		requestID:  int32(binary.LittleEndian.Uint32(b[wire.HeaderRequestIDAt:])),
		responseTo: int32(binary.LittleEndian.Uint32(b[wire.HeaderResponseToAt:])),
		opCode:     wire.OpCode(binary.LittleEndian.Uint32(b[wire.HeaderOpCodeAt:])),
	}
}
