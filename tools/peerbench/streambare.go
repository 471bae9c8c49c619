package main

import (
	"net"
	"strconv"

	"github.com/specdrivers/onion/bson"
)

// bareDownload reads the batches of a file over a bare socket, one after the other, into the same memory.
func bareDownload(p *peers, batches int) error {
	return withBareSocket(p, func(nc net.Conn, reply []byte) error {
		ask := encodeMessage(bson.D{{Key: "find", Value: "fs.chunks"},
			{Key: "filter", Value: bson.D{{Key: "files_id", Value: strconv.Itoa(batches)}}}, {Key: "$db", Value: "bench"}})
		more := encodeMessage(bson.D{{Key: "getMore", Value: int64(streamCursor)},
			{Key: "collection", Value: "fs.chunks"}, {Key: "$db", Value: "bench"}})
		for range batches {
			if err := exchange(nc, ask, reply); err != nil {
				return err
			}
			ask = more
		}
		return nil
	})
}

// bareBulk sends the runs of onionBulk over a bare socket, encoded in advance.
func bareBulk(p *peers, n int) error {
	inserts, updates := make([]newUser, bulkRun), make(bson.A, bulkRun)
	for i := range bulkRun {
		inserts[i] = newUser{"Grace Hopper", 45}
		updates[i] = bson.D{{Key: "q", Value: bson.D{{Key: "_id", Value: int32(i)}}},
			{Key: "u", Value: bson.D{{Key: "$set", Value: bson.D{{Key: "age", Value: int32(37)}}}}}}
	}
	runs := [][]byte{
		encodeMessage(bson.D{{Key: "insert", Value: "users"}, {Key: "documents", Value: inserts}, {Key: "$db", Value: "bench"}}),
		encodeMessage(bson.D{{Key: "update", Value: "users"}, {Key: "updates", Value: updates}, {Key: "$db", Value: "bench"}}),
	}
	return withBareSocket(p, func(nc net.Conn, reply []byte) error {
		for i := range n / bulkRun {
			if err := exchange(nc, runs[i%len(runs)], reply); err != nil {
				return err
			}
		}
		return nil
	})
}

// bareSocket is a connection without a driver, and the memory for what it reads. Both are kept, as a driver's pool keeps its
// connections: the kernel lets a connection hold more on the way with time.
type bareSocket struct {
	nc    net.Conn
	reply []byte
}

func withBareSocket(p *peers, do func(nc net.Conn, reply []byte) error) error {
	if p.bare == nil {
		nc, err := net.Dial("tcp", p.server.address)
		if err != nil {
			return err
		}
		p.bare = &bareSocket{nc, make([]byte, 2*streamBatchSize)}
	}
	return do(p.bare.nc, p.bare.reply)
}
