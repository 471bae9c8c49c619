package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/mongo"
)

// documents is the size of the collection that the benchmarks read.
const documents = 100_000

// wireClient speaks OP_MSG over a socket and does as little work of its own as possible.
type wireClient struct {
	nc    net.Conn
	reply []byte
}

func dialChild(t testing.TB, c *child) *wireClient {
	t.Helper()
	host, _, _ := strings.Cut(strings.TrimPrefix(c.line, "mongodb://"), "/")
	nc, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	return &wireClient{nc: nc, reply: make([]byte, 1<<16)}
}

// message returns an OP_MSG with the command and any documents.
func message(t testing.TB, command bson.D, sequence string, docs ...bson.D) []byte {
	t.Helper()
	body, err := bson.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	msg := make([]byte, wire.HeaderSize, 1024)
	binary.LittleEndian.PutUint32(msg[12:], uint32(wire.OpMsg))
	msg = append(msg, 0, 0, 0, 0, wire.KindBody)
	msg = append(msg, body...)
	if len(docs) > 0 {
		msg = append(msg, wire.KindDocumentSequence)
		start := len(msg)
		msg = append(append(msg, 0, 0, 0, 0), sequence...)
		msg = append(msg, 0)
		for _, doc := range docs {
			raw, err := bson.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			msg = append(msg, raw...)
		}
		binary.LittleEndian.PutUint32(msg[start:], uint32(len(msg)-start))
	}
	binary.LittleEndian.PutUint32(msg, uint32(len(msg)))
	return msg
}

// roundTrip sends a message and returns the body of the answer, which is valid until the next call.
func (w *wireClient) roundTrip(t testing.TB, msg []byte) bson.Raw {
	t.Helper()
	if _, err := w.nc.Write(msg); err != nil {
		t.Fatal(err)
	}
	n, err := io.ReadAtLeast(w.nc, w.reply, wire.HeaderSize)
	if err != nil {
		t.Fatal(err)
	}
	size := int(binary.LittleEndian.Uint32(w.reply))
	if n < size {
		if _, err := io.ReadFull(w.nc, w.reply[n:size]); err != nil {
			t.Fatal(err)
		}
	}
	return bson.Raw(w.reply[wire.HeaderSize+5 : size])
}

func (w *wireClient) run(t testing.TB, msg []byte) {
	t.Helper()
	reply := w.roundTrip(t, msg)
	if ok, _ := reply.Lookup("ok").AsInt64OK(); ok != 1 || !reply.Lookup("writeErrors").IsZero() {
		t.Fatalf("%v", reply)
	}
}

// smallDocuments returns n documents with consecutive _ids, starting at first.
func smallDocuments(first, n int) []bson.D {
	docs := make([]bson.D, n)
	for i := range docs {
		docs[i] = bson.Doc("_id", int32(first+i), "name", fmt.Sprintf("user%d", first+i), "age", int32(i%90))
	}
	return docs
}

// launchFilled starts a server whose collection db.c holds the documents.
func launchFilled(b *testing.B) (*child, *wireClient) {
	b.Helper()
	c := launch(b, exec.Command(buildProgram(b), "-port", "0"))
	w := dialChild(b, c)
	for first := 0; first < documents; first += 10_000 {
		w.run(b, message(b, bson.Doc("insert", "c", "$db", "db"), "documents", smallDocuments(first, 10_000)...))
	}
	return c, w
}

// operations is the number of reads. After each block of reads the bare server takes its turn, so other work on
// the machine affects both alike.
const operations, block = 100_000, 1000

// BenchmarkFindOneByID reads documents by _id over loopback.
func BenchmarkFindOneByID(b *testing.B) {
	c, w := launchFilled(b)
	msg := message(b, findOne(0), "")
	id := strings.Index(string(msg), "\x10_id\x00") + len("\x10_id\x00")
	at := strings.Index(string(w.roundTrip(b, msg)), "\x10_id\x00") + len("\x10_id\x00")
	compareWithBareServer(b, c, func(i uint32) {
		binary.LittleEndian.PutUint32(msg[id:], i)
		if got := binary.LittleEndian.Uint32(w.roundTrip(b, msg)[at:]); got != i {
			b.Fatalf("the document with the _id %d came, not that with %d", got, i)
		}
	})
}

// BenchmarkFindOneByIDWithTheDriver does the same with the driver as the client.
func BenchmarkFindOneByIDWithTheDriver(b *testing.B) {
	c, _ := launchFilled(b)
	client, err := mongo.Connect(b.Context(), c.line)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { client.Close(context.Background()) })
	coll := client.Database("db").Collection("c")
	compareWithBareServer(b, c, func(i uint32) {
		raw, err := coll.FindOne(b.Context(), bson.Doc("_id", int32(i))).Raw()
		if err != nil {
			b.Fatal(err)
		}
		if got, _ := raw.Lookup("_id").Int32OK(); got != int32(i) {
			b.Fatalf("the document with the _id %d came, not that with %d", got, i)
		}
	})
}

// findOne returns the command that a driver sends.
func findOne(id int32) bson.D {
	return bson.Doc("find", "c", "filter", bson.Doc("_id", id), "limit", int32(1), "singleBatch", true,
		"lsid", bson.Doc("id", bson.NewUUID()), "$db", "db")
}

// compareWithBareServer measures the processor time that the server process needs for a read. It compares it with a
// bare TCP server that exchanges messages of the same length.
func compareWithBareServer(b *testing.B, c *child, read func(i uint32)) {
	request := message(b, findOne(0), "")
	reply := make([]byte, len(dialChild(b, c).roundTrip(b, request))+wire.HeaderSize+5)
	bare, nc := launchEcho(b, len(request), len(reply))
	runs := 0
	server, reference := c.cpu(b), bare.cpu(b)
	for b.Loop() {
		runs++
		for i := range uint32(operations) {
			read(i * 7919 % documents)
			if i%block != block-1 {
				continue
			}
			for range block {
				if _, err := nc.Write(request); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(nc, reply); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	server, reference = c.cpu(b)-server, bare.cpu(b)-reference
	per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / float64(runs) / operations }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(per(server), "server-µs")
	b.ReportMetric(per(reference), "bare-µs")
	b.ReportMetric(float64(server)/float64(reference), "×bare")
}

// BenchmarkInsertMany inserts 10,000 small documents with one command, each time into a new collection.
func BenchmarkInsertMany(b *testing.B) {
	c := launch(b, exec.Command(buildProgram(b), "-port", "0"))
	w := dialChild(b, c)
	docs := smallDocuments(0, 10_000)
	n := 0
	for b.Loop() {
		b.StopTimer()
		n++
		msg := message(b, bson.Doc("insert", fmt.Sprintf("c%d", n), "$db", "db"), "documents", docs...)
		b.StartTimer()
		w.run(b, msg)
		b.StopTimer()
		w.run(b, message(b, bson.Doc("drop", fmt.Sprintf("c%d", n), "$db", "db"), ""))
		b.StartTimer()
	}
}

// BenchmarkStart starts the program and waits for the line that says it is serving.
func BenchmarkStart(b *testing.B) {
	for _, topology := range []string{"standalone", "replicaset", "sharded", "loadbalanced"} {
		b.Run(topology, func(b *testing.B) {
			for b.Loop() {
				launch(b, exec.Command(buildProgram(b), "-topology", topology)).stop(b, os.Interrupt)
			}
		})
	}
}
