package main

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"sync"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"go.mongodb.org/mongo-driver/v2/bson"
)

const opCompressed = 2012

// openLarge opens a canned server for documents of a megabyte, which compresses and has TLS.
func openLarge(secure bool) (string, error) {
	replies := cannedReplies()
	hello := mustEncode(append(helloFields(true), bson.E{Key: "compression", Value: bson.A{"snappy", "zlib", "zstd"}}))
	replies["hello"], replies["isMaster"], replies["ismaster"] = hello, hello, hello
	replies["find"] = mustEncode(bson.D{
		{Key: "cursor", Value: bson.D{{Key: "id", Value: int64(0)}, {Key: "ns", Value: "bench.large"},
			{Key: "firstBatch", Value: bson.A{bson.D{{Key: "_id", Value: int32(1)}, {Key: "lines", Value: largeLines()}}}}}},
		{Key: "ok", Value: 1.0}})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	if secure {
		listener = tls.NewListener(listener, selfSigned())
	}
	go acceptCanned(listener, replies, 0)
	return listener.Addr().String(), nil
}

// compressedReplies holds what the server has compressed, by compressor and reply: it is canned too.
var compressedReplies sync.Map

type compressedReply struct {
	compressor byte
	name       string
}

// largeRequest is the size from which a compressed request must be the update. The server does not look into it, because
// it would take longer than the driver.
const largeRequest = 500_000

// appendCompressed answers a compressed request with a reply of the same compressor.
func appendCompressed(dst, msg []byte, replies map[string][]byte) []byte {
	const at, behind = headerSize, headerSize + 4 + 4 + 1 // the original opcode, the size, the compressor
	size, compressor := binary.LittleEndian.Uint32(msg[at+4:]), msg[at+8]
	name := "update"
	if size < largeRequest {
		name = commandName(expand(compressor, msg[behind:]))
	}
	body := cannedReply(name, replies)
	key := compressedReply{compressor, name}
	packed, ok := compressedReplies.Load(key)
	if !ok {
		packed, _ = compressedReplies.LoadOrStore(key, compress(compressor, append(make([]byte, 5), body...)))
	}
	data := packed.([]byte)
	dst = appendHead(dst, behind+len(data), binary.LittleEndian.Uint32(msg[4:]), opCompressed)
	dst = binary.LittleEndian.AppendUint32(dst, opMsg)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(5+len(body)))
	return append(append(dst, compressor), data...)
}

// The numbers of the compressors.
const (
	snappyID = 1
	zlibID   = 2
)

func compress(id byte, data []byte) []byte {
	switch id {
	case snappyID:
		return snappy.Encode(nil, data)
	case zlibID:
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		_, _ = w.Write(data) // into memory
		_ = w.Close()
		return b.Bytes()
	}
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return w.EncodeAll(data, nil)
}

func expand(id byte, data []byte) []byte {
	out, err := []byte(nil), error(nil)
	switch id {
	case snappyID:
		out, err = snappy.Decode(nil, data)
	case zlibID:
		var r io.Reader
		if r, err = zlib.NewReader(bytes.NewReader(data)); err == nil {
			out, err = io.ReadAll(r)
		}
	default:
		var r *zstd.Decoder
		if r, err = zstd.NewReader(nil); err == nil {
			out, err = r.DecodeAll(data, nil)
			r.Close()
		}
	}
	if err != nil {
		panic(err)
	}
	return out
}
