package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/specdrivers/onion/generated/core/wire"
)

// The collections of the server "collection": that many documents each, small ones and ones of about a kilobyte.
const (
	collectionDocuments = 100_000
	firstBatchDefault   = 101
	longText            = 1000
)

// openCollection opens a server whose collections can be read in batches, and also by exhaust cursors.
func openCollection() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() {
		for {
			nc, err := listener.Accept()
			if err != nil {
				return
			}
			go (&reading{replies: cannedReplies(), batches: map[batchKey][]byte{}}).serve(nc)
		}
	}()
	return listener.Addr().String(), nil
}

// reading is a connection, with the one cursor that it reads at a time.
type reading struct {
	replies map[string][]byte
	batches map[batchKey][]byte // encoded before

	collection string
	left       int // documents that the cursor has not returned
}

type batchKey struct {
	collection, field string
	n                 int
	last              bool
}

func (r *reading) serve(nc net.Conn) {
	defer nc.Close()
	in := bufio.NewReaderSize(nc, 1<<20)
	var msg, out []byte
	for {
		head, err := in.Peek(headerSize)
		if err != nil {
			return
		}
		if size := int(binary.LittleEndian.Uint32(head)); cap(msg) < size {
			msg = make([]byte, size)
		} else {
			msg = msg[:size]
		}
		if _, err := io.ReadFull(in, msg); err != nil {
			return
		}
		for more := true; more; {
			out, more = r.answer(out[:0], msg)
			if _, err := nc.Write(out); err != nil {
				return
			}
		}
	}
}

// answer appends the reply, and says whether another one follows unasked.
func (r *reading) answer(dst, msg []byte) (reply []byte, more bool) {
	if binary.LittleEndian.Uint32(msg[12:]) != opMsg {
		return appendCanned(dst, msg, r.replies), false
	}
	flags := wire.MsgFlag(binary.LittleEndian.Uint32(msg[headerSize:]))
	body := bson.Raw(msg[headerSize+5:])
	body = body[:binary.LittleEndian.Uint32(body)]
	field := ""
	switch commandName(msg[headerSize:]) {
	case "find":
		field, r.left = "firstBatch", collectionDocuments
		r.collection = body.Lookup("find").StringValue()
	case "getMore":
		field = "nextBatch"
	default:
		return appendCanned(dst, msg, r.replies), false
	}
	data := r.nextBatch(field, body)
	more = flags&wire.ExhaustAllowed != 0 && r.left > 0
	dst = appendHead(dst, headRoom+len(data), binary.LittleEndian.Uint32(msg[4:]), opMsg)
	binary.LittleEndian.PutUint32(msg[4:], 1) // a reply that follows answers this one, which has the number 1
	sent := wire.MsgFlag(0)
	if more {
		sent = wire.MoreToCome
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(sent))
	dst = append(dst, 0)
	return append(dst, data...), more
}

// nextBatch returns the next batch, of the size that was asked for or else of the server's.
func (r *reading) nextBatch(field string, body bson.Raw) []byte {
	size, _ := body.Lookup("batchSize").AsInt64OK()
	n := int(size)
	if n == 0 {
		n = 16 << 20 / (longText + 100)
		if field == "firstBatch" {
			n = firstBatchDefault
		}
	}
	n = min(n, r.left)
	r.left -= n
	key := batchKey{r.collection, field, n, r.left == 0}
	if r.batches[key] == nil {
		r.batches[key] = key.encode()
	}
	return r.batches[key]
}

func (k batchKey) encode() []byte {
	docs := users(k.n)
	if k.collection == "large" {
		for i := range docs {
			docs[i].(bson.D)[1].Value = strings.Repeat("x", longText)
		}
	}
	reply := cursorReply(k.field, "bench."+k.collection, docs)
	if k.last {
		reply[0].Value.(bson.D)[1].Value = int64(0)
	}
	return mustEncode(reply)
}
