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

// Both drivers get more operations than the server can finish before most of their deadlines.
const (
	goodputOperations = 2000
	goodputPool       = 10
	goodputLatency    = 5 * time.Millisecond
	goodputRounds     = 5

	// connectionGoal is how many connections a driver may open for each place of its pool.
	connectionGoal = 1.2
)

// goodputDeadline returns the time limit of operation i: 50 to 1,000 ms.
func goodputDeadline(i int) time.Duration {
	return 50*time.Millisecond + time.Duration(i*7919%951)*time.Millisecond
}

// goodput is what one client achieves under overload.
type goodput struct {
	Succeeded   int           `json:"succeeded"`
	Connections int           `json:"connections"` // opened by the pool
	Took        time.Duration `json:"took"`
}

// goodputReport has the rounds of both drivers.
type goodputReport struct {
	Official []goodput `json:"official"`
	Onion    []goodput `json:"onion"`
}

// measureGoodput measures both drivers in turn.
func measureGoodput() (*goodputReport, error) {
	server, err := startServer("slow")
	if err != nil {
		return nil, err
	}
	defer server.input.Close()
	r := &goodputReport{}
	for range goodputRounds {
		o, err := officialGoodput(server.address)
		if err != nil {
			return nil, err
		}
		n, err := onionGoodput(server.address)
		if err != nil {
			return nil, err
		}
		r.Official, r.Onion = append(r.Official, o), append(r.Onion, n)
	}
	return r, nil
}

// print prints what each driver achieved.
func (r *goodputReport) print(w io.Writer) error {
	if r == nil {
		return nil
	}
	fmt.Fprintf(w, "%d operations, deadlines of 50 to 1,000 ms, a pool of %d, a server that needs %v for each\n",
		goodputOperations, goodputPool, goodputLatency)
	const row = "%-10v %10v %12v %10v\n"
	fmt.Fprintf(w, row, "driver", "succeeded", "connections", "took")
	for i := range r.Official {
		o, n := r.Official[i], r.Onion[i]
		fmt.Fprintf(w, row, "official", o.Succeeded, o.Connections, o.Took.Round(time.Millisecond))
		fmt.Fprintf(w, row, "onion", n.Succeeded, n.Connections, n.Took.Round(time.Millisecond))
	}
	return nil
}

// check fails when this driver finishes fewer operations than the official one, by the median, or opens more
// connections than the goal allows.
func (r *goodputReport) check() error {
	if r == nil {
		return nil
	}
	most := slices.MaxFunc(r.Onion, func(a, b goodput) int { return a.Connections - b.Connections }).Connections
	if float64(most) > connectionGoal*goodputPool {
		return fmt.Errorf("%d connections for %d places", most, goodputPool)
	}
	if got, want := medianGoodput(r.Onion), medianGoodput(r.Official); got < want {
		return fmt.Errorf("%d operations succeed, %d with the official driver", got, want)
	}
	return nil
}

func medianGoodput(list []goodput) int {
	sorted := slices.SortedFunc(slices.Values(list), func(a, b goodput) int { return a.Succeeded - b.Succeeded })
	return sorted[len(sorted)/2].Succeeded
}

// overload starts all operations at once and counts the ones that succeed.
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

func onionGoodput(address string) (goodput, error) {
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
