package frame

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/compress"
)

// newRequest makes a message of an opcode around a payload.
func newRequest(op wire.OpCode, payload []byte) []byte {
	msg := appendHeader(nil, 1, 0, op)
	msg = append(msg, payload...)
	binary.LittleEndian.PutUint32(msg, uint32(len(msg)))
	return msg
}

func newBody(t testing.TB) []byte {
	t.Helper()
	raw, err := bson.Marshal(bson.Doc("ping", int32(1), "$db", "admin"))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func FuzzRead(f *testing.F) {
	doc := newBody(f)
	f.Add(newRequest(wire.OpMsg, append([]byte{0, 0, 0, 0, 0}, doc...)))
	f.Add(newRequest(wire.OpQuery, append(append([]byte{0, 0, 0, 0}, "admin.$cmd\x00\x00\x00\x00\x00\x01\x00\x00\x00"...), doc...)))
	f.Add(newRequest(wire.OpCompressed, []byte{0xdd, 7, 0, 0, 5, 0, 0, 0, 1, 0}))
	f.Add([]byte{16, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bufio.NewReader(bytes.NewReader(data))
		for {
			m, err := Read(r, 1<<20, new(compress.Coders))
			if err != nil {
				if e, ok := errors.AsType[*Error](err); ok && !e.Fatal() && m == nil {
					t.Fatal("an error to answer without a message to answer to")
				}
				return
			}
			if m.Body.Validate() != nil {
				t.Fatal("a body that is not a document was let through")
			}
		}
	})
}

func TestReadTakesMessagesApart(t *testing.T) {
	doc := newBody(t)
	sequence := append([]byte{1}, 0, 0, 0, 0)
	sequence = append(sequence, "documents\x00"...)
	sequence = append(append(sequence, doc...), doc...)
	binary.LittleEndian.PutUint32(sequence[1:], uint32(len(sequence)-1))
	payload := append(append([]byte{2, 0, 0, 0, 0}, doc...), sequence...)
	m, err := Parse(newRequest(wire.OpMsg, payload), 1<<20, new(compress.Coders))
	if err != nil {
		t.Fatal(err)
	}
	if m.Flags != wire.MoreToCome || len(m.Sequences) != 1 || m.Sequences[0].Identifier != "documents" || len(m.Sequences[0].Documents) != 2 {
		t.Errorf("%+v", m)
	}
	for name, msg := range map[string][]byte{
		"no body":            newRequest(wire.OpMsg, []byte{0, 0, 0, 0}),
		"two bodies":         newRequest(wire.OpMsg, append(append(append([]byte{0, 0, 0, 0, 0}, doc...), 0), doc...)),
		"unknown flag":       newRequest(wire.OpMsg, append([]byte{8, 0, 0, 0, 0}, doc...)),
		"unknown kind":       newRequest(wire.OpMsg, append([]byte{0, 0, 0, 0, 7}, doc...)),
		"section too long":   newRequest(wire.OpMsg, append([]byte{0, 0, 0, 0, 0, 0xff}, doc[1:]...)),
		"wrong checksum":     newRequest(wire.OpMsg, append(append([]byte{1, 0, 0, 0, 0}, doc...), 1, 2, 3, 4)),
		"unknown opcode":     newRequest(wire.OpCode(2010), doc),
		"short query":        newRequest(wire.OpQuery, []byte{0, 0, 0, 0, 'a', 0}),
		"unknown compressor": newRequest(wire.OpCompressed, []byte{0xdd, 7, 0, 0, 5, 0, 0, 0, 9, 0}),
	} {
		if _, err := Parse(msg, 1<<20, new(compress.Coders)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
