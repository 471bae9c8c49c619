package mongotest_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A million small documents take up less than 700 MB, and $match and $group over them take less than 1.5 s of processor
// time. Outside make full, the test uses a quarter of the documents and of the limits.
func TestAMillionDocuments(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("it takes seconds, and the race detector makes everything slow")
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	d := mongotest.Start(t)
	nc := dial(t, d)
	const batch = 50_000
	million := chooseSize(250_000, 1_000_000)
	for from := 0; from < million; from += batch {
		if reply := runOn(t, nc, bson.Doc("insert", "c", "documents", numberedDocuments(from, batch))); reply.Lookup("n").String() != "50000" {
			t.Fatalf("%v", reply)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapAlloc-before.HeapAlloc) / 1e6; held > 700*int64(million)/1e6 {
		t.Errorf("the documents take up %d MB", held)
	} else {
		t.Logf("%d MB", held)
	}
	group := bson.Doc("aggregate", "c", "cursor", bson.D{}, "pipeline", bson.A{
		bson.Doc("$match", bson.Doc("age", bson.Doc("$lt", 45))),
		bson.Doc("$group", bson.Doc("_id", "$age", "n", bson.Doc("$sum", 1))), bson.Doc("$count", "groups"),
	})
	limit := 1500 * time.Millisecond * time.Duration(million) / 1e6
	took := runWithinBy(processorTime, limit, func() {
		if reply := runOn(t, nc, group); reply.Lookup("cursor", "firstBatch", "0", "groups").String() != "45" {
			t.Fatalf("%v", reply)
		}
	}, func() {})
	if t.Logf("%v", took); took > limit {
		t.Errorf("the aggregation took %v", took)
	}
}

// An insert of 10,000 small documents, as insertMany sends it, takes less than 20 ms of processor time: the client's and the
// server's together.
func TestInsertOfTenThousandDocumentsWithinTwentyMilliseconds(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes everything slow")
	}
	const n, limit = 10_000, 20 * time.Millisecond
	var docs [][]byte
	for _, doc := range numberedDocuments(0, n) {
		docs = append(docs, marshal(t, doc))
	}
	for name, shape := range map[string]mongotest.Option{
		"standalone": mongotest.Standalone(), "replica set": mongotest.ReplicaSet(1), "cluster": mongotest.Sharded(1),
	} {
		t.Run(name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, shape, mongotest.NoCommands()), 0)
			took := runWithinBy(processorTime, limit, func() {
				c.send(0, bson.Doc("insert", "c", "$db", "db"), sequence("documents", docs...))
				if reply := c.receive().body; reply.Lookup("n").String() != "10000" {
					t.Fatal(reply)
				}
			}, func() {
				checkRefused(t, c.run(bson.Doc("drop", "c", "$db", "db")), 0)
				runtime.GC() // of the documents of the last round
			})
			if t.Logf("%v", took); took > limit {
				t.Errorf("the insert took %v", took)
			}
		})
	}
}

// numberedDocuments returns small documents with ascending numbers, starting at from.
func numberedDocuments(from, n int) bson.A {
	docs := make(bson.A, n)
	for i := range docs {
		docs[i] = bson.Doc("_id", from+i, "name", fmt.Sprintf("user%d", from+i), "age", i%90)
	}
	return docs
}

// A read by _id costs little more than exchanging its two messages.
func TestFindByIDCostsLittleMoreThanItsMessages(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes everything slow")
	}
	d := mongotest.Start(t)
	for from := 0; from < 100_000; from += 50_000 {
		run(t, d, bson.Doc("insert", "c", "documents", numberedDocuments(from, 50_000)))
	}
	nc := connectRaw(t, d, 0).nc
	runtime.GC()
	body, err := bson.Marshal(bson.Doc("find", "c", "filter", bson.Doc("_id", 50_000), "limit", 1, "singleBatch", true, "$db", "db"))
	if err != nil {
		t.Fatal(err)
	}
	payload := opMsg(0, body)
	request := append(header(16+len(payload), 1, 2013), payload...)
	reply := make([]byte, 4096)
	n := exchange(t, nc, request, reply)
	echo := dialAnswering(t, len(request), reply[:n])
	const times, limit = 20_000, 1.4
	cost := func(nc net.Conn) float64 {
		began := processorTime()
		for range times {
			exchange(t, nc, request, reply)
		}
		return float64(processorTime() - began)
	}
	least := 100.0
	for range 30 {
		if least = min(least, cost(nc)/cost(echo)); least <= limit {
			break
		}
	}
	if t.Logf("%.2f times", least); least > limit {
		t.Errorf("a read costs %.2f times of what its messages cost", least)
	}
}

// exchange sends a request and reads its reply.
func exchange(t *testing.T, nc net.Conn, request, reply []byte) int {
	if _, err := nc.Write(request); err != nil {
		t.Fatal(err)
	}
	n, err := nc.Read(reply)
	if err != nil || n < 16 || int(binary.LittleEndian.Uint32(reply)) != n {
		t.Fatalf("%d bytes, %v", n, err)
	}
	return n
}

// dialAnswering connects to a server that answers every message of a size with the same reply.
func dialAnswering(t *testing.T, size int, reply []byte) net.Conn {
	t.Helper()
	reply = append([]byte(nil), reply...)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		nc, err := l.Accept()
		if err != nil {
			return
		}
		defer nc.Close()
		for message := make([]byte, size); ; {
			if _, err := io.ReadFull(nc, message); err != nil {
				return
			}
			if _, err := nc.Write(reply); err != nil {
				return
			}
		}
	}()
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	return nc
}
