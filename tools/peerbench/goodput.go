package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	officialevent "go.mongodb.org/mongo-driver/v2/event"
	official "go.mongodb.org/mongo-driver/v2/mongo"
	officialoptions "go.mongodb.org/mongo-driver/v2/mongo/options"

	ownbson "github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// What is asked of both drivers: more operations than the server gets done before most of their deadlines.
const (
	goodputOperations = 2000
	goodputPool       = 10
	goodputLatency    = 5 * time.Millisecond
	goodputRounds     = 5

	// connectionGoal is how many connections a driver may open for each place of its pool.
	connectionGoal = 1.2
)

// goodputDeadline is the time that operation i has: 50 to 1,000 ms.
func goodputDeadline(i int) time.Duration {
	return 50*time.Millisecond + time.Duration(i*7919%951)*time.Millisecond
}

// goodput is what one client achieves under overload.
type goodput struct {
	succeeded   int
	connections int // opened by the pool
	took        time.Duration
}

// measureGoodput lets both drivers take turns and prints what each achieved. It fails when this driver gets less done than
// the official one, by the median, or opens more connections than the goal allows.
func measureGoodput(w io.Writer) error {
	server, err := startServer("slow")
	if err != nil {
		return err
	}
	defer server.input.Close()
	var theirs, ours []goodput
	for range goodputRounds {
		o, err := officialGoodput(server.address)
		if err != nil {
			return err
		}
		n, err := ownGoodput(server.address)
		if err != nil {
			return err
		}
		theirs, ours = append(theirs, o), append(ours, n)
	}
	fmt.Fprintf(w, "%d operations, deadlines of 50 to 1,000 ms, a pool of %d, a server that needs %v for each\n",
		goodputOperations, goodputPool, goodputLatency)
	const row = "%-10s %10v %12v %10v\n"
	fmt.Fprintf(w, row, "driver", "succeeded", "connections", "took")
	for i := range goodputRounds {
		fmt.Fprintf(w, row, "official", theirs[i].succeeded, theirs[i].connections, theirs[i].took.Round(time.Millisecond))
		fmt.Fprintf(w, row, "onion", ours[i].succeeded, ours[i].connections, ours[i].took.Round(time.Millisecond))
	}
	most := slices.MaxFunc(ours, func(a, b goodput) int { return a.connections - b.connections }).connections
	if float64(most) > connectionGoal*goodputPool {
		return fmt.Errorf("%d connections for %d places", most, goodputPool)
	}
	if got, want := medianGoodput(ours), medianGoodput(theirs); got < want {
		return fmt.Errorf("%d operations succeed, %d with the official driver", got, want)
	}
	return nil
}

func medianGoodput(list []goodput) int {
	sorted := slices.SortedFunc(slices.Values(list), func(a, b goodput) int { return a.succeeded - b.succeeded })
	return sorted[len(sorted)/2].succeeded
}

// overload begins all operations at once and counts those that succeed.
func overload(find func(ctx context.Context) error) (succeeded int, took time.Duration) {
	var n atomic.Int64
	var wg sync.WaitGroup
	began := time.Now()
	for i := range goodputOperations {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), goodputDeadline(i))
			defer cancel()
			if find(ctx) == nil {
				n.Add(1)
			}
		})
	}
	wg.Wait()
	return int(n.Load()), time.Since(began)
}

func officialGoodput(address string) (goodput, error) {
	var created atomic.Int64
	client, err := official.Connect(officialoptions.Client().ApplyURI("mongodb://" + address + "/?directConnection=true").
		SetMaxPoolSize(goodputPool).
		SetPoolMonitor(&officialevent.PoolMonitor{Event: func(e *officialevent.PoolEvent) {
			if e.Type == officialevent.ConnectionCreated {
				created.Add(1)
			}
		}}))
	if err != nil {
		return goodput{}, err
	}
	defer client.Disconnect(context.Background())
	if err := client.Ping(context.Background(), nil); err != nil {
		return goodput{}, err
	}
	c := client.Database("db").Collection("one")
	succeeded, took := overload(func(ctx context.Context) error { return c.FindOne(ctx, bson.D{}).Err() })
	return goodput{succeeded, int(created.Load()), took}, nil
}

func ownGoodput(address string) (goodput, error) {
	var created atomic.Int64
	client, err := mongo.Connect(context.Background(), "mongodb://"+address+"/?directConnection=true", &options.Client{
		MaxPoolSize: new(goodputPool),
		PoolMonitor: &event.PoolMonitor{ConnectionCreated: func(*event.ConnectionCreated) { created.Add(1) }},
	})
	if err != nil {
		return goodput{}, err
	}
	defer client.Close(context.Background())
	if err := client.Ping(context.Background(), nil); err != nil {
		return goodput{}, err
	}
	c := client.Database("db").Collection("one")
	succeeded, took := overload(func(ctx context.Context) error { return c.FindOne(ctx, ownbson.D{}).Err() })
	return goodput{succeeded, int(created.Load()), took}, nil
}
