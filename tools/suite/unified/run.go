package unified

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest/kmstest"
)

// T is the part of testing.TB that a run needs.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

// recorder keeps the messages of a run that must fail.
type recorder struct {
	testing.TB
	mu    sync.Mutex
	texts []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts = append(r.texts, fmt.Sprintf(format, args...))
}

func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.texts, "\n")
}

// patience bounds a case, so one that hangs fails instead of taking the others with it.
const patience = 40 * time.Second

// Run is the running of one case on one deployment.
type Run struct {
	t          T
	ctx        context.Context
	deployment *deployment
	internal   *mongo.Client
	where      Where

	mu       sync.Mutex
	clients  []*Client
	sessions []*Session
	cursors  []*Cursor
	threads  []*Thread

	catches     catches
	encryptions []*mongo.ClientEncryption
	services    *kmstest.Server
}

// runCase runs a case. A failure ends its goroutine, which is not the goroutine of the test. That way threads of the
// case and callbacks of the driver can fail it as well.
func runCase(t T, k Kindred, w Where, body func(*Run)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := &Run{t: t, ctx: ctx, where: w}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.survive()
		if !r.start(k) {
			return
		}
		defer r.end()
		body(r)
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-done:
		return
	case <-timer.C:
		t.Errorf("the case has not ended after %v", patience)
		cancel()
	}
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		stacks := make([]byte, 1<<20)
		t.Logf("the case does not end:\n%s", stacks[:runtime.Stack(stacks, true)])
	}
}

// survive turns a panic into a failure of this case alone, even if the case must fail: a panic is never the expected failure.
func (r *Run) survive() {
	p := recover()
	if p == nil {
		return
	}
	t := r.t
	if failing, ok := t.(*recorder); ok {
		t = failing.TB
	}
	t.Errorf("panic: %v\n%s", p, debug.Stack())
}

// start makes the deployment and the internal client. Unified Test Format, "Initializing the Test Runner".
func (r *Run) start(k Kindred) bool {
	r.t.Helper()
	var err error
	if r.deployment, err = deploy(k); err != nil {
		r.t.Errorf("start the deployment: %v", err)
		return false
	}
	if r.internal, err = mongo.Connect(r.ctx, r.deployment.uri(new(false)), r.deployment.options()); err != nil {
		r.t.Errorf("connect the internal client: %v", err)
		r.deployment.close()
		return false
	}
	return true
}

// end removes what the case has left behind. Unified Test Format, "Executing a Test".
func (r *Run) end() {
	for _, t := range r.threads {
		t.stop()
	}
	r.deployment.release()
	r.deployment.disableFailPoints(r)
	for _, c := range r.cursors {
		c.close()
	}
	for _, s := range r.sessions {
		s.end()
	}
	for _, e := range r.encryptions {
		_ = e.Close(context.Background())
	}
	for _, c := range r.clients {
		_ = c.client.Close(context.Background())
	}
	if r.services != nil {
		r.services.Close()
	}
	r.deployment.reset(r)
	_ = r.internal.Close(context.Background())
	r.deployment.close()
}

// failf fails the case and ends the goroutine.
func (r *Run) failf(format string, args ...any) {
	r.t.Helper()
	if text := fmt.Sprintf(format, args...); !r.catches.keep(text, false) {
		r.t.Errorf("%s", text)
	}
	runtime.Goexit()
}

func (r *Run) must(err error, doing string) {
	if err != nil {
		r.t.Helper()
		r.failf("%s: %v", doing, err)
	}
}

// majority is the write concern of everything that the run itself writes.
var majority = &options.WriteConcern{W: "majority"}

// Data fills a collection, which is dropped before.
func (r *Run) Data(database, collection string, documents ...bson.D) {
	r.t.Helper()
	r.DataWith(database, collection, nil, documents...)
}

// DataWith fills a collection that is created with options.
func (r *Run) DataWith(database, collection string, create bson.D, documents ...bson.D) {
	r.t.Helper()
	db := r.internal.Database(database, &options.Database{WriteConcern: majority})
	for _, name := range []string{collection, "enxcol_." + collection + ".esc", "enxcol_." + collection + ".ecoc"} {
		if r.deployment.fresh && name != collection {
			continue
		}
		r.must(db.Collection(name).Drop(r.ctx), "drop "+name)
	}
	if create != nil || len(documents) == 0 {
		command := append(bson.Doc("create", collection), create...)
		command = append(command, bson.E{Key: "writeConcern", Value: bson.Doc("w", "majority")})
		r.must(db.RunCommand(r.ctx, command).Err(), "create "+collection)
	}
	if len(documents) > 0 {
		_, err := db.Collection(collection).InsertMany(r.ctx, documents)
		r.must(err, "fill "+collection)
	}
	r.warmRouters(database, collection)
}

// Holds asserts that a collection contains exactly the documents, in the order of their _id: the types of numbers count
// as well. Where ciphertext stands, the documents may hold operators. Unified Test Format, "Executing a Test".
func (r *Run) Holds(database, collection string, documents ...any) {
	r.t.Helper()
	from := r.internal.Database(database).Collection(collection, &options.Collection{
		ReadConcern:    &options.ReadConcern{Level: options.ReadConcernLocal},
		ReadPreference: &options.ReadPreference{Mode: options.Primary},
	})
	cursor, err := from.Find(r.ctx, bson.D{}, &options.Find{Sort: bson.Doc("_id", 1)})
	r.must(err, "read "+collection)
	got, err := mongo.All[bson.Raw](r.ctx, cursor)
	r.must(err, "read "+collection)
	if len(got) != len(documents) {
		r.t.Errorf("%s.%s holds %v, want %v", database, collection, got, documents)
		return
	}
	for i, want := range documents {
		if err := matchExactly(want, rawDocument(got[i])); err != nil {
			r.t.Errorf("document %d of %s.%s: %v", i, database, collection, err)
		}
	}
}

// Wait waits. Unified Test Format, "wait".
func (r *Run) Wait(d time.Duration) { time.Sleep(d) }
