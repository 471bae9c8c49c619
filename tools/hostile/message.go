package hostile

import (
	"encoding/binary"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// Message returns a well-formed OP_MSG that answers a request with a document.
func Message(r Request, reply bson.D) []byte {
	raw, err := bson.Marshal(reply)
	if err != nil {
		panic("hostile: " + err.Error()) // the documents are the tests' own
	}
	return Raw(r, raw)
}

// Raw returns an OP_MSG around bytes that need not be a document.
func Raw(r Request, body []byte) []byte {
	return Frame(r, wire.OpMsg, append([]byte{0, 0, 0, 0, wire.KindBody}, body...))
}

// Frame returns a message of any opcode and payload, with a header that fits it.
func Frame(r Request, opCode wire.OpCode, payload []byte) []byte {
	return append(Header(r, wire.HeaderSize+len(payload), opCode), payload...)
}

// Header returns the header of a message that answers a request and claims a length.
func Header(r Request, length int, opCode wire.OpCode) []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(length))
	out = binary.LittleEndian.AppendUint32(out, 99)
	out = binary.LittleEndian.AppendUint32(out, uint32(r.ID))
	return binary.LittleEndian.AppendUint32(out, uint32(opCode))
}

// Compressed returns an OP_COMPRESSED that claims so many bytes.
func Compressed(r Request, id wire.CompressorID, claim int, data []byte) []byte {
	payload := binary.LittleEndian.AppendUint32(nil, uint32(wire.OpMsg))
	payload = binary.LittleEndian.AppendUint32(payload, uint32(claim))
	return Frame(r, wire.OpCompressed, append(append(payload, byte(id)), data...))
}
