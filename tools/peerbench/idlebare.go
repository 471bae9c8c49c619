package main

import (
	"encoding/binary"
	"net"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// listenBare receives from the servers what a driver's monitors receive, over bare sockets: one connection to each server streams
// hellos, and another one measures round trips. It runs until the process ends.
func listenBare(uri string) error {
	hosts, _, _ := strings.Cut(strings.TrimPrefix(uri, "mongodb://"), "/")
	for host := range strings.SplitSeq(hosts, ",") {
		stream, err := net.Dial("tcp", host)
		if err != nil {
			return err
		}
		sample, err := net.Dial("tcp", host)
		if err != nil {
			return err
		}
		reply := make([]byte, 64<<10)
		if err := exchange(stream, helloMessage(0), reply); err != nil {
			return err
		}
		version := bson.Raw(reply[headerSize+5:]).Lookup("topologyVersion")
		awaiting := helloMessage(wire.ExhaustAllowed, bson.E{Key: "topologyVersion", Value: version},
			bson.E{Key: "maxAwaitTimeMS", Value: idleHeartbeat.Milliseconds()})
		go func() {
			for err := exchange(stream, awaiting, reply); err == nil; {
				err = receive(stream, reply)
			}
		}()
		go func() {
			buffer, hello := make([]byte, 64<<10), helloMessage(0)
			for exchange(sample, hello, buffer) == nil {
				time.Sleep(idleHeartbeat)
			}
		}()
	}
	return nil
}

func helloMessage(flags wire.MsgFlag, more ...bson.E) []byte {
	msg := encodeMessage(append(append(bson.D{{Key: "hello", Value: int32(1)}}, more...), bson.E{Key: "$db", Value: "admin"}))
	binary.LittleEndian.PutUint32(msg[headerSize:], uint32(flags))
	return msg
}
