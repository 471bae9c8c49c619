package hostile_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/hostile"
)

var empty = []byte{5, 0, 0, 0, 0}

func frameAttacks() []attack {
	good := func(r hostile.Request) []byte {
		return hostile.Message(r, bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(0), "ns", "db.c", "firstBatch", bson.A{})))
	}
	message := func(payload ...byte) func(hostile.Request) []byte {
		return func(r hostile.Request) []byte { return hostile.Frame(r, wire.OpMsg, payload) }
	}
	length := func(n int) func(hostile.Request) []byte {
		return func(r hostile.Request) []byte { return append(hostile.Header(r, n, wire.OpMsg), 0, 0, 0, 0) }
	}
	list := []attack{
		{name: "an honest reply", reply: good, ok: true},
		{name: "an honest reply and a reset", reply: good, then: reset, ok: true},
		{name: "another protocol", reply: func(hostile.Request) []byte { return []byte("HTTP/1.1 400 Bad Request\r\n\r\n") }},
		{name: "zero bytes", reply: func(hostile.Request) []byte { return make([]byte, 4096) }},
		{name: "no answer", reply: func(hostile.Request) []byte { return nil }, slow: true},
		{name: "an end without an answer", reply: func(hostile.Request) []byte { return nil }, then: hangUp},
		{name: "a reset without an answer", reply: func(hostile.Request) []byte { return nil }, then: reset},
		{name: "half a header", reply: func(r hostile.Request) []byte { return good(r)[:7] }, slow: true},
		{name: "half a header and an end", reply: func(r hostile.Request) []byte { return good(r)[:7] }, then: hangUp},
		{name: "half a body", reply: func(r hostile.Request) []byte { return good(r)[:40] }, slow: true},
		{name: "half a body and an end", reply: func(r hostile.Request) []byte { return good(r)[:40] }, then: hangUp},
		{name: "an empty message", reply: message()},
		{name: "flags alone", reply: message(0, 0, 0, 0)},
		{name: "half of the flags", reply: message(0, 0)},
		{name: "a section without a size", reply: message(0, 0, 0, 0, 0, 5, 0)},
		{name: "a section of an unknown kind", reply: message(0, 0, 0, 0, 7, 5, 0, 0, 0, 0)},
		{name: "two bodies", reply: message(append([]byte{0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0}, empty...)...)},
		{name: "a sequence alone", reply: message(0, 0, 0, 0, 1, 6, 0, 0, 0, 'x', 0)},
		{name: "a body that is longer than its message", reply: message(0, 0, 0, 0, 0, 50, 0, 0, 0, 0)},
		{name: "a body of negative length", reply: message(0, 0, 0, 0, 0, 255, 255, 255, 255, 0)},
		{name: "a body without its end", reply: message(0, 0, 0, 0, 0, 5, 0, 0, 0, 1)},
		{name: "a wrong checksum", reply: message(1, 0, 0, 0, 0, 5, 0, 0, 0, 0, 1, 2, 3, 4)},
		{name: "a checksum without room", reply: message(1, 0, 0, 0, 0)},
		{name: "unknown required flags", reply: message(4, 0, 0, 0, 0, 5, 0, 0, 0, 0)},
		{name: "an answer to another request", reply: func(r hostile.Request) []byte { r.ID++; return good(r) }},
		{name: "an answer to no request", reply: func(r hostile.Request) []byte { r.ID = 0; return good(r) }},
		{name: "OP_REPLY", reply: func(r hostile.Request) []byte { return hostile.Frame(r, wire.OpReply, make([]byte, 20)) }},
		{name: "OP_QUERY", reply: func(r hostile.Request) []byte { return hostile.Frame(r, wire.OpQuery, make([]byte, 20)) }},
		{name: "an unknown opcode", reply: func(r hostile.Request) []byte { return hostile.Frame(r, 4711, make([]byte, 20)) }},
		{name: "an empty document", reply: message(append([]byte{0, 0, 0, 0, 0}, empty...)...)},
	}
	for _, n := range []int{-1, math.MinInt32, 0, 1, 15, 16, wire.DefaultMaxMessageSizeBytes + 1, math.MaxInt32} {
		list = append(list, attack{name: fmt.Sprintf("a length of %d", n), reply: length(n)})
	}
	for id := range wire.CompressorID(5) {
		reply := func(r hostile.Request) []byte { return hostile.Compressed(r, id, 1<<20, []byte("xxxx")) }
		offers := attack{name: fmt.Sprintf("compressor %d with bytes that are not its own", id), command: "compressed",
			wants: "does not decompress", reply: reply,
			hello:   bson.Doc("compression", bson.A{"snappy", "zlib", "zstd"}),
			options: &options.Client{Compressors: []string{"snappy", "zlib", "zstd"}}}
		if id > wire.CompressorZstd {
			offers.wants = "not negotiated"
		}
		list = append(list, offers, attack{name: fmt.Sprintf("compressor %d, which was not offered", id), wants: "not negotiated",
			reply: reply})
	}
	for i := range list {
		list[i].command = cmp.Or(list[i].command, "find")
	}
	return list
}

func TestFrames(t *testing.T) { attackAll(t, frameAttacks()) }

// The same frames in place of the first message of each connection: no server is ever selected.
func TestFramesInTheHandshake(t *testing.T) {
	var list []attack
	for _, a := range frameAttacks() {
		if !a.ok {
			a.command, a.slow = "hello", true
			if a.wants != "" {
				a.wants = "no suitable server"
			}
			list = append(list, a)
		}
	}
	attackAll(t, list)
}

// The driver must not take an unrequested reply for the answer to the next command.
func TestAReplyThatNobodyAskedFor(t *testing.T) {
	attackAll(t, []attack{{
		name: "a second reply", command: "find", ok: true,
		reply: func(r hostile.Request) []byte {
			reply := hostile.Message(r, bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(0), "ns", "db.c", "firstBatch", bson.A{})))
			return append(bytes.Clone(reply), reply...)
		},
	}, {
		name: "moreToCome", command: "find", ok: true,
		reply: func(r hostile.Request) []byte {
			reply := hostile.Message(r, bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(0), "ns", "db.c", "firstBatch", bson.A{})))
			binary.LittleEndian.PutUint32(reply[wire.HeaderSize:], uint32(wire.MoreToCome))
			return reply
		},
	}})
}
