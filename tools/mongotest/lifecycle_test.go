package mongotest_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/suite/wireconn"
)

// shapes are the four kinds of deployments.
var shapes = []struct {
	name   string
	option mongotest.Option
}{
	{"standalone", mongotest.Standalone()},
	{"replica set", mongotest.ReplicaSet(3)},
	{"sharded", mongotest.Sharded(2)},
	{"load balanced", mongotest.LoadBalanced(2)},
}

// runWithin runs f, at most a hundred times, until a run takes no longer than the limit, and returns the shortest time. It
// repeats because other work on a busy machine can only make a run longer.
func runWithin(limit time.Duration, f func()) time.Duration {
	began := time.Now()
	return runWithinBy(func() time.Duration { return time.Since(began) }, limit, f, func() {})
}

// runWithinBy works like runWithin with another clock, and runs after once after each run of f.
func runWithinBy(clock func() time.Duration, limit time.Duration, f, after func()) time.Duration {
	shortest := time.Duration(math.MaxInt64)
	for range 100 {
		began := clock()
		f()
		shortest = min(shortest, clock()-began)
		if after(); shortest <= limit {
			break
		}
	}
	return shortest
}

func TestStartsWithinFiftyMilliseconds(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			took := runWithin(50*time.Millisecond, func() {
				d, err := mongotest.New(shape.option)
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				if reply := run(t, d, bson.Doc("hello", 1)); reply.Lookup("ok").IsZero() {
					t.Fatalf("%v", reply)
				}
			})
			if t.Logf("%v", took); took > 50*time.Millisecond {
				t.Errorf("a start, with the first hello and the end, took %v", took)
			}
		})
	}
}

func TestElectsWithinATenthOfASecond(t *testing.T) {
	for _, test := range []struct {
		name string
		lose func(d *mongotest.Deployment, primary int)
	}{
		{"stepped down", func(d *mongotest.Deployment, _ int) { d.StepDown() }},
		{"cut off", func(d *mongotest.Deployment, primary int) {
			d.Partition(primary, time.Hour)
			awaitOtherPrimary(t, d, primary)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(3))
			took := runWithin(100*time.Millisecond, func() {
				before := d.Primary()
				test.lose(d, before)
				if d.Primary() == before || d.Primary() < 0 {
					t.Errorf("the primary is %d, and was %d", d.Primary(), before)
				}
				d.Partition(before, 0)
			})
			if t.Logf("%v", took); took > 100*time.Millisecond {
				t.Errorf("an election took %v", took)
			}
		})
	}
}

// The limit counts processor time, which other processes do not affect. An insertion waits for nothing.
func TestInsertsTenThousandDocumentsWithinTwentyMilliseconds(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes everything slow")
	}
	d := mongotest.Start(t)
	nc := dial(t, d)
	all, err := bson.Marshal(bson.Doc("d", smallDocuments(10_000)))
	if err != nil {
		t.Fatal(err)
	}
	took := runWithinBy(processorTime, 20*time.Millisecond, func() {
		if reply := runOn(t, nc, bson.Doc("insert", "c", "documents", bson.Raw(all).Lookup("d"))); reply.Lookup("n").IsZero() {
			t.Fatalf("%v", reply)
		}
	}, func() { // each try finds what the first one found
		runOn(t, nc, bson.Doc("drop", "c"))
		runtime.GC()
	})
	if t.Logf("%v", took); took > 20*time.Millisecond {
		t.Errorf("the insertion took %v", took)
	}
}

func smallDocuments(n int) bson.A {
	docs := make(bson.A, n)
	for i := range docs {
		docs[i] = bson.Doc("name", fmt.Sprint("user", i), "age", i%90)
	}
	return docs
}

// dial opens a private connection to the deployment's first address.
func dial(t testing.TB, d *mongotest.Deployment) *wireconn.Conn {
	t.Helper()
	nc, err := wireconn.Dial(t.Context(), d.Hosts()[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	return nc
}

func run(t testing.TB, d *mongotest.Deployment, command bson.D) bson.Raw {
	t.Helper()
	nc := dial(t, d)
	defer nc.Close()
	return runOn(t, nc, command)
}

func runOn(t testing.TB, nc *wireconn.Conn, command bson.D) bson.Raw {
	t.Helper()
	reply, err := nc.Run(t.Context(), "db", command)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// chooseSize returns how much a test does: little in make test, all of it in make full, which runs every night.
func chooseSize(little, all int) int {
	if os.Getenv("ONION_SIZES") == "full" {
		return all
	}
	return little
}

// TestManyDeploymentsLeaveNothingBehind starts and uses hundreds of deployments of all kinds, 64 at a time; make full starts
// two thousand.
func TestManyDeploymentsLeaveNothingBehind(t *testing.T) {
	runMany(t, 64) // creates first whatever is made once and kept
	before := measure(t)
	runMany(t, chooseSize(400, 2000))
	deadline := time.Now().Add(time.Minute) // only keeps a leak from hanging the test
	for {
		after := measure(t)
		if after.goroutines <= before.goroutines && after.files <= before.files && after.heap < before.heap+4<<20 {
			t.Logf("before: %+v, after: %+v", before, after)
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("before: %+v, after: %+v", before, after)
		}
		runtime.Gosched()
	}
}

// runMany runs deployments, 64 at once.
func runMany(t *testing.T, deployments int) {
	t.Helper()
	var wg sync.WaitGroup
	limit := make(chan struct{}, 64)
	for i := range deployments {
		limit <- struct{}{}
		wg.Go(func() {
			defer func() { <-limit }()
			use := useConnection
			if i%16 == 15 {
				use = useDriver
			}
			if err := use(t.Context(), shapes[i%len(shapes)].option); err != nil {
				t.Errorf("deployment %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

// useConnection inserts and finds a document over a connection without a driver.
func useConnection(ctx context.Context, shape mongotest.Option) error {
	d, err := mongotest.New(shape)
	if err != nil {
		return err
	}
	defer d.Close()
	nc, err := wireconn.Dial(ctx, d.Hosts()[0])
	if err != nil {
		return err
	}
	defer nc.Close()
	for _, command := range []bson.D{
		bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1, "text", "here")}),
		bson.Doc("find", "c", "filter", bson.Doc("text", "here")),
	} {
		reply, err := nc.Run(ctx, "db", command)
		if err != nil {
			return err
		}
		if n, _ := reply.Lookup("n").Int32OK(); n != 1 && reply.Lookup("cursor", "firstBatch", "0", "text").IsZero() {
			return fmt.Errorf("%v: %v", command, reply)
		}
	}
	return nil
}

// useDriver does the same with the driver, and has a replica set elect another primary in between.
func useDriver(ctx context.Context, shape mongotest.Option) (err error) {
	d, err := mongotest.New(shape)
	if err != nil {
		return err
	}
	defer d.Close()
	client, err := mongo.Connect(ctx, d.URI())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close(ctx)) }()
	c := client.Database("db").Collection("c")
	if _, err := c.InsertOne(ctx, bson.Doc("_id", 1, "text", "here")); err != nil {
		return err
	}
	d.StepDown()
	return c.FindOne(ctx, bson.Doc("text", "here")).Err()
}

// usage holds the counts that a leak would increase.
type usage struct {
	goroutines, files int
	heap              uint64
}

func measure(t *testing.T) usage {
	t.Helper()
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := usage{goroutines: runtime.NumGoroutine(), heap: m.HeapAlloc}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil { // only Linux has this directory
		u.files = len(files)
	}
	return u
}
