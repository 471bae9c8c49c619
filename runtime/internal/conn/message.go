package conn

import (
	"bytes"
	"encoding/binary"
	"iter"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// bodyOffset is where the document of a message begins: after the header, the flags and the kind byte of the section.
const bodyOffset = wire.HeaderSize + 4 + 1

// Begin starts an OP_MSG message in the connection's own buffer: the header, the flags, and the kind byte of the body
// section. The caller appends the command's document, and then any document sequences (see BeginSequence). It must send
// the message before it begins another.
func (c *Conn) Begin(flags wire.MsgFlag) []byte {
	c.rests.InUse()
	dst := c.buffer()
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
			size := int(binary.LittleEndian.Uint32(rest[1:]))
			section := rest[1+4 : 1+size]
			end := bytes.IndexByte(section, 0)
			if !yield(string(section[:end]), section[end+1:]) {
				return
			}
			rest = rest[1+size:]
		}
	}
}

// SetMoreToCome marks a message that Begin started as one that gets no reply.
func SetMoreToCome(msg []byte) {
	flags := flagsOf(msg) | wire.MoreToCome
	binary.LittleEndian.PutUint32(msg[wire.HeaderSize:], uint32(flags))
}

// SetExhaustAllowed marks a message that Begin started as one that may get several replies.
func SetExhaustAllowed(msg []byte) {
	flags := flagsOf(msg) | wire.ExhaustAllowed
	binary.LittleEndian.PutUint32(msg[wire.HeaderSize:], uint32(flags))
}

// BeginSequence appends the head of a document sequence section. The caller appends the documents one after another and
// closes the section with EndSequence.
func BeginSequence(dst []byte, identifier string) (out []byte, start int) {
	dst = append(dst, wire.KindDocumentSequence)
	start = len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = append(dst, identifier...)
	return append(dst, 0), start
}

// EndSequence writes the size of the section that BeginSequence opened at start.
func EndSequence(dst []byte, start int) []byte {
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst
}

// SequenceOverhead is how many bytes a document sequence adds to a message, not counting its documents.
func SequenceOverhead(identifier string) int { return 1 + 4 + len(identifier) + 1 }

func flagsOf(msg []byte) wire.MsgFlag {
	return wire.MsgFlag(binary.LittleEndian.Uint32(msg[wire.HeaderSize:]))
}

func finishMessage(msg []byte) { binary.LittleEndian.PutUint32(msg, uint32(len(msg))) }

// header is the sixteen bytes at the start of every message.
type header struct {
	length     int32
	requestID  int32
	responseTo int32
	opCode     wire.OpCode
}

func appendHeader(dst []byte, h header) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.length))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.requestID))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.responseTo))
	return binary.LittleEndian.AppendUint32(dst, uint32(h.opCode))
}

func parseHeader(b []byte) header {
	return header{
		length:     int32(binary.LittleEndian.Uint32(b)),
		requestID:  int32(binary.LittleEndian.Uint32(b[4:])),
		responseTo: int32(binary.LittleEndian.Uint32(b[8:])),
		opCode:     wire.OpCode(binary.LittleEndian.Uint32(b[12:])),
	}
}
