package mongo_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// TestNoAcknowledgedWriteIsLostOrDoubledOverStepDowns increments a counter in the server while primaries come and go.
// An acknowledged increment counts exactly once, and a failed one at most once.
func TestNoAcknowledgedWriteIsLostOrDoubledOverStepDowns(t *testing.T) {
	t.Parallel()
	const workers, rounds = 8, 2
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.ElectionDelay(20*time.Millisecond))
	client := connect(t, d, &options.Client{HeartbeatFrequency: new(500 * time.Millisecond)})
	c := client.Database("shop").Collection("counters", &options.Collection{WriteConcern: &options.WriteConcern{W: "majority"}})
	ctx := t.Context()
	for w := range workers {
		if _, err := c.InsertOne(ctx, bson.Doc("_id", w, "n", 0)); err != nil {
			t.Fatal(err)
		}
	}
	var acknowledged, failed [workers]int64
	progress, stop := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for {
				if _, err := c.UpdateOne(ctx, bson.Doc("_id", w), bson.Doc("$inc", bson.Doc("n", 1))); err != nil {
					failed[w]++
				} else {
					acknowledged[w]++
				}
				select {
				case progress <- struct{}{}:
				case <-stop:
					return
				}
			}
		})
	}
	for range rounds {
		for range 200 {
			<-progress
		}
		d.StepDown()
	}
	for range 200 {
		<-progress
	}
	close(stop)
	wg.Wait()
	for w := range workers {
		var counter struct{ N int64 }
		if err := c.FindOne(ctx, bson.Doc("_id", w)).Decode(&counter); err != nil {
			t.Fatal(err)
		}
		if counter.N < acknowledged[w] || counter.N > acknowledged[w]+failed[w] {
			t.Errorf("worker %d: %d acknowledged, %d failed, %d in the server", w, acknowledged[w], failed[w], counter.N)
		}
	}
}

// TestCloseLeavesNoGoroutine opens and closes clients of each kind of deployment. Some of them are busy.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	for _, shape := range shapes {
		d := mongotest.Start(t, shape.option)
		client := connect(t, d)
		cursor, err := client.Database("shop").Collection("things").Find(t.Context(), bson.D{})
		if err != nil {
			t.Fatal(err)
		}
		cursor.Close(t.Context())
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { client.Ping(t.Context(), nil) }) // succeeds, or fails since the client is closed
		}
		if err := client.Close(context.Background()); err != nil {
			t.Errorf("%s: %v", shape.name, err)
		}
		wg.Wait()
	}
	// Goroutines end at their own pace; the deadline only keeps a leak from hanging the test.
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
		stacks := driverGoroutines()
		if len(stacks) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines of the driver are left, such as\n%s", len(stacks), stacks[0])
		}
	}
}

// driverGoroutines returns the stacks of goroutines that run code of the driver's packages.
func driverGoroutines() []string {
	buf := make([]byte, 8<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var list []string
	for stack := range strings.SplitSeq(string(buf), "\n\n") {
		for _, name := range []string{"runtime/internal/topology.", "runtime/pool.", "runtime/internal/conn.", "runtime/internal/exec."} {
			if strings.Contains(stack, "onion/"+name) {
				list = append(list, stack)
				break
			}
		}
	}
	return list
}

func TestManyShortClients(t *testing.T) {
	t.Parallel()
	const clients = 2000
	d := mongotest.Start(t)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for next.Add(1) <= clients {
				client, err := mongo.Connect(t.Context(), d.URI())
				if err == nil {
					err = errors.Join(client.Ping(t.Context(), nil), client.Close(context.Background()))
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestCloseIsBounded closes a client whose only connection belongs to an operation that does not end.
func TestCloseIsBounded(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client := connect(t, d, &options.Client{MaxPoolSize: new(1)})
	c := client.Database("shop").Collection("things")
	if _, err := c.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2)}); err != nil {
		t.Fatal(err)
	}
	cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(1))})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Ping(t.Context(), nil); err != nil { // takes a second session, so one is left to end
		t.Fatal(err)
	}
	cursor.Close(t.Context())
	received, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	d.Control("find", func(mongotest.Command) mongotest.Answer {
		close(received)
		<-release
		return mongotest.Answer{}
	})
	failed := make(chan error, 1)
	go func() {
		failed <- c.FindOne(context.Background(), bson.D{}).Err()
	}()
	<-received
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	client.Close(ctx)
	if err := <-failed; err == nil || errors.Is(err, mongo.ErrNoDocuments) {
		t.Errorf("the operation in flight ended with %v", err)
	}
}

func TestConnectFailsBeforeAnythingRuns(t *testing.T) {
	for _, uri := range []string{
		"", "http://localhost", "mongodb://", "mongodb://localhost/?loadBalanced=true&replicaSet=rs",
		"mongodb://localhost/?tls=true&tlsCAFile=/does/not/exist", "mongodb://localhost/?authMechanism=MONGODB-X509&authSource=shop",
	} {
		client, err := mongo.Connect(t.Context(), uri)
		if err == nil {
			t.Errorf("%q was accepted", uri)
			client.Close(context.Background())
		}
	}
}
