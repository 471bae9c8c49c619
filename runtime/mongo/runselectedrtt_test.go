package mongo_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest"
)

// maxTimeMS leaves out the smallest round trip time of the description that selected the server: a later one may belong
// to another state of the server, or have no samples.
//
// Client Side Operations Timeout, "Command Execution".
func TestMaxTimeMSLeavesOutTheRoundTripOfTheSelection(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		const timeout, latency = 20 * time.Minute, 40 * time.Millisecond
		var sentAt time.Time
		client := s.connectForTest(&options.Client{
			MaxPoolSize: new(1), ServerSelectionTimeout: new(time.Hour),
			CommandMonitor: &event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStarted) {
				if e.CommandName == "count" {
					sentAt = time.Now()
				}
			}},
		})
		c := client.Database("db").Collection("c")
		minRTT := func() time.Duration { return client.TopologyDescription().Servers[0].MinRTT }
		s.d.Latency(0, latency)
		time.Sleep(5 * time.Minute) // enough samples
		s.block(once, 5*time.Minute, "", "find")
		holding := make(chan error)
		go func() { holding <- ignoreNoDocuments(c.FindOne(t.Context(), bson.D{}).Err()) }()
		synctest.Wait()
		time.Sleep(time.Second)
		selected, began := minRTT(), time.Now()
		counted := make(chan error)
		go func() {
			_, err := c.EstimatedDocumentCount(t.Context(), &options.EstimatedDocumentCount{Timeout: new(timeout)})
			counted <- err
		}()
		time.Sleep(time.Second) // it waits for the connection
		s.d.Latency(0, 0)
		for _, done := range []chan error{holding, counted} {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		if now := minRTT(); selected < latency || now >= selected {
			t.Fatalf("the round trip times are %v and later %v", selected, now)
		}
		sent := s.d.Commands(mongotest.Named("count"))
		ms, _ := sent[len(sent)-1].Body.Lookup("maxTimeMS").AsInt64OK()
		if want := timeout - sentAt.Sub(began) - selected; (time.Duration(ms)*time.Millisecond - want).Abs() > time.Millisecond {
			t.Errorf("maxTimeMS is %d, want %v", ms, want)
		}
	}, mongotest.ReplicaSet(1))
}
