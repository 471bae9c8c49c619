package mongotest_test

import (
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The memory of documents is freed after a drop, and after a deletion. A replica set keeps the last writes in its oplog, which a real
// server has on its disk.
func TestMemoryGoesBackAfterADrop(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("it takes seconds, and the race detector needs memory of its own")
	}
	const each, batch = 70_000, 10_000 // together more than the oplog holds; each more than may go before its memory does
	padding := strings.Repeat(".", 100)
	for _, shape := range []struct {
		name   string
		option mongotest.Option
		each   int64 // the percentage that each command gives back at least
		all    int64 // and all of them together
	}{
		{"standalone", mongotest.Standalone(), 30, 90},
		{"replica set", mongotest.ReplicaSet(3), 10, 50},
		{"cluster", mongotest.Sharded(1), 10, 50},
	} {
		t.Run(shape.name, func(t *testing.T) {
			d := mongotest.Start(t, shape.option, mongotest.NoCommands())
			c := connectRaw(t, d, 0)
			before := heapBytes()
			for _, db := range []string{"dropped", "gone", "emptied"} {
				for from := 0; from < each; from += batch {
					documents := make(bson.A, batch)
					for i := range documents {
						documents[i] = bson.Doc("_id", from+i, "name", padding)
					}
					checkRefused(t, c.run(bson.Doc("insert", "c", "documents", documents, "$db", db)), 0)
				}
			}
			all := heapBytes() - before
			if all < 30<<20 {
				t.Fatalf("%d MB with the documents", all>>20)
			}
			last := all
			for _, command := range []bson.D{
				bson.Doc("drop", "c", "$db", "dropped"),
				bson.Doc("dropDatabase", 1, "$db", "gone"),
				bson.Doc("delete", "c", "deletes", bson.A{bson.Doc("q", bson.D{}, "limit", 0)}, "$db", "emptied"),
			} {
				checkRefused(t, c.run(command), 0)
				checkRefused(t, c.run(bson.Doc("insert", "other", "documents", bson.A{bson.D{}}, "$db", "db")), 0)
				now := heapBytes() - before
				t.Logf("%s: %d KB become %d KB", command[0].Key, last>>10, now>>10)
				if last-now < all*shape.each/100 {
					t.Errorf("%s gives back %d KB of %d KB", command[0].Key, (last-now)>>10, all>>10)
				}
				last = now
			}
			if last > all-all*shape.all/100 {
				t.Errorf("%d KB with the documents, %d KB without them", all>>10, last>>10)
			}
		})
	}
}

// heapBytes returns how much memory is in use, in bytes.
func heapBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // pools let go of what they hold at the second collection
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Readers do not wait for one another: while two read without stopping, a third gets its answers.
func TestReadersDoNotWaitForReaders(t *testing.T) {
	d := mongotest.Start(t)
	first, second, third := connectRaw(t, d, 0), connectRaw(t, d, 0), connectRaw(t, d, 0)
	insertHeavy(t, third)
	for _, c := range []*rawConn{first, second} {
		c.send(0, append(endlessCommands()["find"], bson.E{Key: "comment", Value: "busy"}, bson.E{Key: "$db", Value: "db"}))
	}
	busy := func() int {
		list, _ := third.runAdmin("currentOp", 1, "command.comment", "busy").Lookup("inprog").ArrayOK()
		return list.Len()
	}
	for busy() < 2 {
		runtime.Gosched()
	}
	for i := range 40 {
		if reply := third.run(bson.Doc("find", "heavy", "filter", bson.Doc("_id", i), "$db", "db")); reply.Lookup("cursor", "firstBatch", "0").IsZero() {
			t.Fatal(reply)
		}
	}
	if n := busy(); n != 2 {
		t.Errorf("%d readers are left of 2", n)
	}
}

// Two readers can keep two cores busy: the time in which one waits for a lock is a small part of the time in which they work.
// How many cores the machine has to spare does not matter.
func TestReadersHardlyWaitForLocks(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes everything slow")
	}
	d := mongotest.Start(t, mongotest.NoCommands())
	docs := bson.A{}
	for i := range 20_000 {
		docs = append(docs, bson.Doc("_id", i, "a", i%7))
	}
	run(t, d, bson.Doc("insert", "c", "documents", docs))
	clients := []*rawConn{connectRaw(t, d, 0), connectRaw(t, d, 0)}
	least := 1.0
	for range 10 {
		waited, worked := lockTime(), processorTime()
		var readers sync.WaitGroup
		for _, c := range clients {
			readers.Go(func() {
				for range 20 {
					c.run(groups())
				}
			})
		}
		readers.Wait()
		if least = min(least, (lockTime()-waited).Seconds()/(processorTime()-worked).Seconds()); least < 0.05 {
			break
		}
	}
	if t.Logf("%.4f", least); least >= 0.05 {
		t.Errorf("readers wait %.0f%% of the time in which they work", 100*least)
	}
}

// lockTime returns how long goroutines have waited for locks, all together.
func lockTime() time.Duration {
	sample := []metrics.Sample{{Name: "/sync/mutex/wait/total:seconds"}}
	metrics.Read(sample)
	return time.Duration(sample[0].Value.Float64() * float64(time.Second))
}

// groups returns an aggregation that reads every document of a collection.
func groups() bson.D {
	return bson.Doc("aggregate", "c", "cursor", bson.D{}, "pipeline", bson.A{
		bson.Doc("$group", bson.Doc("_id", "$a", "n", bson.Doc("$sum", 1))), bson.Doc("$count", "n")}, "$db", "db")
}

// BenchmarkReaders measures a read while as many clients read as there are cores. Run it with -cpu 1,2: the second core should
// halve the time.
func BenchmarkReaders(b *testing.B) {
	d, err := mongotest.New(mongotest.NoCommands())
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	seed := connectRaw(b, d, 0)
	docs := bson.A{}
	for i := range 1000 {
		docs = append(docs, bson.Doc("_id", i, "a", i%7))
	}
	seed.run(bson.Doc("insert", "c", "documents", docs, "$db", "db"))
	count := groups()
	var once sync.Mutex
	b.RunParallel(func(pb *testing.PB) {
		once.Lock()
		c := connectRaw(b, d, 0)
		once.Unlock()
		for pb.Next() {
			c.run(count)
		}
	})
}
