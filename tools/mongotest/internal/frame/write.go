package frame

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// AppendReply appends the reply to request m. requestID is the server's own number for the message. The reply has a
// checksum if flags say so.
func AppendReply(dst []byte, m *Message, requestID, responseTo int32, flags wire.MsgFlag, body bson.Raw) ([]byte, error) {
	if m.OpCode == wire.OpQuery {
		return appendOpReply(dst, requestID, responseTo, body, !m.Command()), nil
	}
	start := len(dst)
	dst = appendHeader(dst, requestID, responseTo, wire.OpMsg)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(flags))
	dst = append(dst, wire.KindBody)
	dst = append(dst, body...)
	if flags&wire.ChecksumPresent != 0 {
		binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start+4))
		dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
	}
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start))
	if m.Compressor == wire.CompressorNoop {
		return dst, nil
	}
	payload := dst[start+wire.HeaderSize:]
	out := appendHeader(nil, requestID, responseTo, wire.OpCompressed)
	out = binary.LittleEndian.AppendUint32(out, uint32(wire.OpMsg))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(payload)))
	out = append(out, byte(m.Compressor))
	out, err := m.coders.Append(out, payload, m.Compressor)
	if err != nil {
		return nil, err
	}
	binary.LittleEndian.PutUint32(out, uint32(len(out)))
	return append(dst[:start], out...), nil
}

// The flags of an OP_REPLY.
const (
	queryFailure = 2
	awaitCapable = 8
)

// appendOpReply appends an OP_REPLY. failed says that its only document is an error, not a result.
func appendOpReply(dst []byte, requestID, responseTo int32, body bson.Raw, failed bool) []byte {
	flags := uint32(awaitCapable)
	if failed {
		flags = queryFailure
	}
	start := len(dst)
	dst = appendHeader(dst, requestID, responseTo, wire.OpReply)
	dst = binary.LittleEndian.AppendUint32(dst, flags)
	dst = binary.LittleEndian.AppendUint64(dst, 0) // cursorID
	dst = binary.LittleEndian.AppendUint32(dst, 0) // startingFrom
	dst = binary.LittleEndian.AppendUint32(dst, 1) // numberReturned
	dst = append(dst, body...)
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst
}

func appendHeader(dst []byte, requestID, responseTo int32, op wire.OpCode) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, 0)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(requestID))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(responseTo))
	return binary.LittleEndian.AppendUint32(dst, uint32(op))
}
