package world

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// feed is a collection that workers write and two watchers follow through every fault: each sees every event once, in the
// same order, and the writes of one worker in the order in which they were acknowledged.
type feed struct {
	*world
	mu       sync.Mutex
	writes   map[string]certainty // by the name of the event
	order    [][]string           // acknowledged events by worker
	watchers []*watcher
	stop     context.CancelFunc
	watching sync.WaitGroup
	begin    bson.Raw // the token before the first event
}

// lastEvent is the event that ends the watching.
const lastEvent = "insert the last"

func newFeed(w *world) *feed {
	return &feed{world: w, writes: map[string]certainty{}, order: make([][]string, len(w.s.Workers))}
}

func (f *feed) prepare(ctx context.Context, k *cleanClient) error {
	if err := k.db.CreateCollection(ctx, "feed"); err != nil {
		return err
	}
	stream, err := k.db.Collection("feed").Watch(ctx, mongo.Pipeline{})
	if err != nil {
		return err
	}
	f.begin = stream.ResumeToken()
	return stream.Close(ctx)
}

// start starts the watchers with the first worker, when the clients are there.
func (f *feed) start(k *worker) actor {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watchers == nil {
		ctx, stop := context.WithCancel(context.Background())
		f.stop = stop
		for i := range 2 {
			w := &watcher{feed: f, client: f.clients[(k.plan.Client+i)%len(f.clients)], number: i, token: f.begin}
			f.watchers = append(f.watchers, w)
			f.watching.Go(func() { w.run(ctx) })
		}
	}
	return &feeder{feed: f, k: k}
}

type feeder struct {
	*feed
	k    *worker
	next int
}

func (a *feeder) close(context.Context) {}

func (a *feeder) do(ctx context.Context, op scenario.Op) (string, error) {
	c := a.k.db().Collection("feed")
	if op.Kind == "pause" {
		a.feed.mu.Lock()
		defer a.feed.mu.Unlock()
		a.feed.watchers[op.Key%2].reopen = true
		return "has a watcher resume by itself", nil
	}
	switch op.Kind {
	case "burst":
		return a.insertBurst(ctx, c)
	case "large":
		return a.insertLarge(ctx, c)
	}
	var err error
	id := fmt.Sprintf("%d-%d", a.k.plan.Number, a.next)
	if op.Kind == "insert" || a.next == 0 {
		a.next++
		id = fmt.Sprintf("%d-%d", a.k.plan.Number, a.next)
		_, err = c.InsertOne(ctx, bson.Doc("_id", id, "n", 0))
		return a.note("insert "+id, err), err
	}
	var r *mongo.UpdateResult
	stamp := op.At.Microseconds()
	if r, err = c.UpdateOne(ctx, byID(id), bson.Doc("$set", bson.Doc("n", stamp))); err == nil && r.ModifiedCount == 0 {
		return "updates nothing", nil // the insert has failed
	}
	return a.note(fmt.Sprintf("update %s %d", id, stamp), err), err
}

// insertBurst inserts several documents at once and has the second watcher stop in their middle.
func (a *feeder) insertBurst(ctx context.Context, c *mongo.Collection) (string, error) {
	text, err := a.insertMany(ctx, c, 6, "")
	a.feed.mu.Lock()
	defer a.feed.mu.Unlock()
	a.feed.watchers[1].reopen = true
	return text, err
}

// insertLarge inserts three documents. Only two fit into a batch, so the server holds one event back, and the second
// watcher stops where the batch ends.
func (a *feeder) insertLarge(ctx context.Context, c *mongo.Collection) (string, error) {
	a.feed.mu.Lock()
	a.feed.watchers[1].atEnd = true
	a.feed.mu.Unlock()
	return a.insertMany(ctx, c, 3, strings.Repeat(" ", 6<<20))
}

func (a *feeder) insertMany(ctx context.Context, c *mongo.Collection, count int, pad string) (string, error) {
	var docs []bson.D
	for range count {
		a.next++
		docs = append(docs, bson.Doc("_id", fmt.Sprintf("%d-%d", a.k.plan.Number, a.next), "n", 0, "pad", pad))
	}
	_, err := c.InsertMany(ctx, docs)
	for _, doc := range docs {
		a.note("insert "+doc[0].Value.(string), err)
	}
	return fmt.Sprint("inserts ", len(docs)), err
}

func (a *feeder) note(name string, err error) string {
	a.feed.mu.Lock()
	defer a.feed.mu.Unlock()
	a.writes[name] = certaintyOf(err)
	if err == nil {
		a.order[a.k.plan.Number] = append(a.order[a.k.plan.Number], name)
	}
	return name
}

// check writes the last event, waits for the watchers to see it and compares what they saw.
func (f *feed) check(ctx context.Context, k *cleanClient) error {
	if _, err := k.db.Collection("feed").InsertOne(ctx, byID("the last")); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() { f.watching.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(2 * time.Minute):
		f.violate(scenario.Watch, "two minutes after peace came a watcher has not seen the last event")
	}
	f.stop()
	<-ended
	cursor, err := k.db.Collection("feed").Find(ctx, bson.D{}, &options.Find{Projection: bson.Doc("_id", 1)})
	if err != nil {
		return err
	}
	docs, err := mongo.All[struct {
		ID string `bson:"_id"`
	}](ctx, cursor)
	there := map[string]bool{}
	for _, d := range docs {
		there["insert "+d.ID] = true
	}
	for _, w := range f.watchers {
		w.compare(there)
	}
	f.checkSameOrder(f.watchers[0].events, f.watchers[1].events)
	return err
}

// checkSameOrder compares the two watchers.
func (f *feed) checkSameOrder(a, b []string) {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			f.violate(scenario.Watch, "event %d is %q for one watcher and %q for the other", i, a[i], b[i])
			return
		}
	}
	if len(a) != len(b) {
		f.violate(scenario.Watch, "one watcher saw %d events, the other %d", len(a), len(b))
	}
}
