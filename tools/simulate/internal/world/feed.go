package world

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
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

// last is the event that ends the watching.
const last = "insert the last"

func newFeed(w *world) *feed {
	return &feed{world: w, writes: map[string]certainty{}, order: make([][]string, len(w.s.Workers))}
}

func (f *feed) prepare(ctx context.Context, k *clean) error {
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
	if op.Kind == "burst" {
		return a.burst(ctx, c)
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

// burst inserts several documents at once and has the second watcher stop in their middle.
func (a *feeder) burst(ctx context.Context, c *mongo.Collection) (string, error) {
	var docs []bson.D
	for range 6 {
		a.next++
		docs = append(docs, bson.Doc("_id", fmt.Sprintf("%d-%d", a.k.plan.Number, a.next), "n", 0))
	}
	_, err := c.InsertMany(ctx, docs)
	for _, doc := range docs {
		a.note("insert "+doc[0].Value.(string), err)
	}
	a.feed.mu.Lock()
	defer a.feed.mu.Unlock()
	a.feed.watchers[1].reopen = true
	return fmt.Sprint("inserts ", len(docs)), err
}

func (a *feeder) note(name string, err error) string {
	a.feed.mu.Lock()
	defer a.feed.mu.Unlock()
	a.writes[name] = sure(err)
	if err == nil {
		a.order[a.k.plan.Number] = append(a.order[a.k.plan.Number], name)
	}
	return name
}

// check writes the last event, waits for the watchers to see it and compares what they saw.
func (f *feed) check(ctx context.Context, k *clean) error {
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
	docs, err := each[struct {
		ID string `bson:"_id"`
	}](ctx, k.db.Collection("feed"), bson.D{})
	there := map[string]bool{}
	for _, d := range docs {
		there["insert "+d.ID] = true
	}
	for _, w := range f.watchers {
		w.compare(there)
	}
	f.sameOrder(f.watchers[0].events, f.watchers[1].events)
	return err
}

// sameOrder compares the two watchers.
func (f *feed) sameOrder(a, b []string) {
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

// watcher follows the feed.
type watcher struct {
	*feed
	number int
	client *client
	token  bson.Raw // of the last event
	reopen bool     // a worker wants it to close its stream and go on with another one; feed.mu guards it
	events []string
	tokens []string
}

// run watches until it has seen the last event.
func (w *watcher) run(ctx context.Context) {
	for ctx.Err() == nil {
		switch finished, err := w.watch(ctx); {
		case finished:
			return
		case err != nil && !expected(err) && ctx.Err() == nil:
			w.violate("errors", "watcher %d: %v", w.number, err)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// watch opens a stream behind the last event and reads until something goes wrong.
func (w *watcher) watch(ctx context.Context) (finished bool, err error) {
	o := &options.ChangeStream{MaxAwaitTime: new(2 * time.Second), BatchSize: new(int32(3)), ResumeAfter: w.token}
	opening, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	stream, err := database(w.client.mongo()).Collection("feed").Watch(opening, mongo.Pipeline{}, o)
	if err != nil {
		return false, expectedWith(err, errcode.CursorNotFound)
	}
	defer stream.Close(opening)
	for !w.wantsReopen() {
		if finished, err := w.next(ctx, stream); finished || err != nil {
			return finished, err
		}
		w.digest(ctx)
	}
	return false, nil
}

// digest has the second watcher think about each event, so that batches of several events come and it stops in their middle.
func (w *watcher) digest(ctx context.Context) {
	if w.number == 0 || w.s.World.Shape == scenario.LoadBalanced { // there its cursor holds a connection, and Close waits for none
		return
	}
	select {
	case <-time.After(400 * time.Millisecond):
	case <-ctx.Done():
	}
}

func (w *watcher) wantsReopen() bool {
	w.feed.mu.Lock()
	defer w.feed.mu.Unlock()
	wants := w.reopen
	w.reopen = false
	return wants
}

// next waits for an event, for some time.
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
			return false, expectedWith(err, errcode.CursorNotFound, errcode.CursorKilled)
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
	if w.token = e.ID; w.number > 0 { // it relies on what the stream says
		w.token = stream.ResumeToken()
	}
	data, _ := e.ID.Lookup("_data").StringOK()
	w.tokens = append(w.tokens, data)
	name := e.OperationType + " " + e.DocumentKey.ID
	if e.OperationType == "update" {
		name += fmt.Sprintf(" %d", e.UpdateDescription.UpdatedFields.N)
	}
	w.events = append(w.events, name)
	return name == last, nil
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
		if _, known := w.writes[name]; !known && name != last || strings.HasPrefix(name, "insert") && !there[name] {
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
