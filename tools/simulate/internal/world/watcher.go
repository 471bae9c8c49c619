package world

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// watcher follows the feed.
type watcher struct {
	*feed
	number int
	client *client
	token  bson.Raw // of the last event
	reopen bool     // a worker wants it to close its stream and go on with a new one; feed.mu guards it
	atEnd  bool     // as reopen, but after a batch that ends with a large event
	events []string
	tokens []string
}

// run watches until it has seen the last event.
func (w *watcher) run(ctx context.Context) {
	for ctx.Err() == nil {
		switch finished, err := w.watch(ctx); {
		case finished:
			return
		case err != nil && !w.client.isExpected(err, time.Now().Add(-openTime)) && ctx.Err() == nil:
			w.violate("errors", "watcher %d: %v", w.number, err)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// openTime is how long a watcher waits for a stream to open. It waits for an event for a shorter time.
const openTime = 20 * time.Second

// watch opens a stream after the last event and reads until something goes wrong.
func (w *watcher) watch(ctx context.Context) (finished bool, err error) {
	o := &options.ChangeStream{MaxAwaitTime: new(2 * time.Second), BatchSize: new(int32(3)), ResumeAfter: w.token}
	ctx = context.WithValue(ctx, streamKey{}, &stream{})
	patient, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	stream, err := database(w.client.mongo()).Collection("feed").Watch(patient, mongo.Pipeline{}, o)
	if err != nil {
		return false, markExpected(err, errcode.CursorNotFound)
	}
	defer stream.Close(patient)
	for !w.wantsReopen(stream) {
		if finished, err := w.next(ctx, stream); finished || err != nil {
			return finished, err
		}
		w.slowDown(ctx)
	}
	return false, nil
}

// slowDown delays the second watcher, so it gets batches of several events and stops in the middle of one.
func (w *watcher) slowDown(ctx context.Context) {
	if w.number == 0 || w.s.World.Shape == scenario.LoadBalanced { // there its cursor holds a connection, for which Close does not wait
		return
	}
	select {
	case <-time.After(400 * time.Millisecond):
	case <-ctx.Done():
	}
}

// largeEvent is a size that only large events exceed.
const largeEvent = 1 << 20

func (w *watcher) wantsReopen(stream *mongo.ChangeStream) bool {
	w.feed.mu.Lock()
	defer w.feed.mu.Unlock()
	if w.atEnd && len(stream.Current()) > largeEvent && stream.RemainingBatchLength() == 0 {
		w.atEnd, w.reopen = false, true
	}
	wants := w.reopen
	w.reopen = false
	return wants
}

// next waits a limited time for an event.
func (w *watcher) next(ctx context.Context, stream *mongo.ChangeStream) (finished bool, err error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	found := stream.Next(ctx)
	if took := time.Since(began); took > 5*time.Second+grace {
		w.violate("deadline", "watcher %d: Next took %v, 5s were allowed: %v", w.number, took, stream.Err())
	}
	if !found {
		if err := stream.Err(); err != nil {
			return false, markExpected(err, errcode.CursorNotFound, errcode.CursorKilled)
		}
		return false, nil
	}
	var e struct {
		ID            bson.Raw `bson:"_id"`
		OperationType string
		DocumentKey   struct {
			ID string `bson:"_id"`
		}
		UpdateDescription struct{ UpdatedFields struct{ N int64 } }
	}
	if err := stream.Decode(&e); err != nil {
		return false, err
	}
	if w.token = e.ID; w.number > 0 { // it uses the stream's own resume token
		w.token = stream.ResumeToken()
	}
	data, _ := e.ID.Lookup("_data").StringOK()
	w.tokens = append(w.tokens, data)
	name := e.OperationType + " " + e.DocumentKey.ID
	if e.OperationType == "update" {
		name += fmt.Sprintf(" %d", e.UpdateDescription.UpdatedFields.N)
	}
	w.events = append(w.events, name)
	return name == lastEvent, nil
}

// compare checks what the watcher saw. there are the inserts that happened.
func (w *watcher) compare(there map[string]bool) {
	times, first := map[string]int{}, map[string]int{}
	for i, name := range w.events {
		if times[name]++; times[name] == 2 {
			w.violate(scenario.Watch, "watcher %d saw %q twice", w.number, name)
		} else {
			first[name] = i
		}
		if _, known := w.writes[name]; !known && name != lastEvent || strings.HasPrefix(name, "insert") && !there[name] {
			w.violate(scenario.Watch, "watcher %d saw %q, which did not happen", w.number, name)
		}
		if i > 0 && w.tokens[i] <= w.tokens[i-1] {
			w.violate(scenario.Watch, "watcher %d: the token of %q is not behind that of %q", w.number, name, w.events[i-1])
		}
	}
	for name := range there {
		if times[name] == 0 {
			w.violate(scenario.Watch, "watcher %d missed %q", w.number, name)
		}
	}
	for worker, order := range w.order {
		seen := -1
		for _, name := range order {
			at, found := first[name]
			if !found || at < seen {
				w.violate(scenario.Watch, "watcher %d missed %q of worker %d, or saw it too early", w.number, name, worker)
			}
			seen = max(seen, at)
		}
	}
}
