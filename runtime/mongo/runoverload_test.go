package mongo_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A server gets twice as many requests as it can finish before their deadlines. It still works on the operations that
// can succeed, because the driver does not close their connections when other replies came too late. tools/peerbench
// -part goodput compares with the official driver.
func TestGoodputUnderOverload(t *testing.T) {
	const operations, places, latency = 2000, 10, 5 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		d := mongotest.Start(t, mongotest.InMemory())
		var connections, succeeded atomic.Int64
		client, err := mongo.Connect(t.Context(), d.URI(), &options.Client{
			Dialer: d.Dialer(), MaxPoolSize: new(places),
			PoolMonitor: &event.PoolMonitor{ConnectionCreated: func(*event.ConnectionCreated) { connections.Add(1) }},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close(context.Background())
		if err := client.Ping(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		d.Latency(0, latency)
		c := client.Database("shop").Collection("things")
		possible := 0 // of an ideal driver, which serves the operations in their order
		var wg sync.WaitGroup
		for i := range operations {
			deadline := 50*time.Millisecond + time.Duration(i*7919%951)*time.Millisecond
			if begins := time.Duration(possible/places) * latency; begins+latency <= deadline {
				possible++
			}
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), deadline)
				defer cancel()
				if c.FindOne(ctx, bson.D{}).Err() == mongo.ErrNoDocuments {
					succeeded.Add(1)
				}
			})
		}
		wg.Wait()
		t.Logf("%d of %d possible, %d connections", succeeded.Load(), possible, connections.Load())
		if succeeded.Load() < int64(possible)*9/10 || connections.Load() > places*12/10 {
			t.Errorf("%d of %d possible operations succeed with %d connections", succeeded.Load(), possible, connections.Load())
		}
	})
}

// Client Side Operations Timeout, "Command Execution": the driver does not send a command that cannot be answered in
// time. The connection stays good for the next operation. The same holds for the deadline of a context.
func TestNothingIsSentWithLessTimeThanARoundTripTakes(t *testing.T) {
	const latency = 100 * time.Millisecond
	for _, timeoutMS := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.InMemory())
			d.Latency(0, latency)
			var connections atomic.Int64
			r := &recorder{}
			client, err := mongo.Connect(t.Context(), d.URI(), &options.Client{
				Dialer: d.Dialer(), CommandMonitor: r.monitor(),
				PoolMonitor: &event.PoolMonitor{ConnectionCreated: func(*event.ConnectionCreated) { connections.Add(1) }},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close(context.Background())
			if err := client.Ping(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute) // the driver measures the round trip meanwhile
			c := client.Database("shop").Collection("things")
			find := func(limit time.Duration) (time.Duration, error) {
				ctx, began := t.Context(), time.Now()
				o := &options.FindOne{Timeout: &limit}
				if !timeoutMS {
					short, cancel := context.WithTimeout(ctx, limit)
					defer cancel()
					ctx, o = short, nil
				}
				err := c.FindOne(ctx, bson.D{}, o).Err()
				return time.Since(began), err
			}
			if took, err := find(latency - time.Millisecond); !mongo.IsTimeout(err) || took > 0 {
				t.Errorf("got %v after %v", err, took)
			}
			if n := len(r.commands("find")); n != 0 {
				t.Errorf("%d commands were sent", n)
			}
			if _, err := find(10 * latency); err != mongo.ErrNoDocuments {
				t.Errorf("with enough time: %v", err)
			}
			if connections.Load() != 1 {
				t.Errorf("%d connections", connections.Load())
			}
		})
	}
}
