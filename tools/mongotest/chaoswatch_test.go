package mongotest_test

import (
	"context"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// lastDocument tells a watcher to stop.
const lastDocument = "the last one"

// watcher counts how often a change stream showed each document.
type watcher struct {
	stream *mongo.ChangeStream
	seen   map[string]int
	opened int // how often the stream was opened
}

// newWatcher opens a change stream over what the writers insert.
func newWatcher(t *testing.T, db *mongo.Database) *watcher {
	t.Helper()
	w := &watcher{seen: map[string]int{}}
	if err := w.open(t.Context(), db, nil); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *watcher) open(ctx context.Context, db *mongo.Database, after bson.Raw) (err error) {
	inserts := mongo.Pipeline{bson.Doc("$match", bson.Doc("operationType", "insert"))}
	o := options.ChangeStream{MaxAwaitTime: new(50 * time.Millisecond)}
	if after != nil {
		o.ResumeAfter = after
	}
	w.stream, err = db.Collection("documents").Watch(ctx, inserts, &o)
	w.opened++
	return err
}

// follow reads the stream until it shows the last document. When the driver gives up a stream, follow opens another one
// after the last token, as an application would.
func (w *watcher) follow(t *testing.T, db *mongo.Database) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	token := w.stream.ResumeToken()
	for ctx.Err() == nil {
		for w.stream.TryNext(ctx) {
			var event struct {
				DocumentKey struct {
					ID string `bson:"_id"`
				}
			}
			if err := w.stream.Decode(&event); err != nil {
				t.Error(err)
				return
			}
			token = w.stream.ResumeToken()
			if event.DocumentKey.ID == lastDocument {
				w.stream.Close(ctx)
				return
			}
			w.seen[event.DocumentKey.ID]++
		}
		if w.stream.Err() == nil {
			continue
		}
		w.stream.Close(ctx)
		for ctx.Err() == nil && w.open(ctx, db, token) != nil {
		}
	}
	t.Error("the watcher did not see the last document")
}

// check compares what the watcher saw with a writer's ledger: each acknowledged document once, and no other one twice.
func (w *watcher) check(t *testing.T, writer int, l *ledger, name func(writer, number int) string) {
	t.Helper()
	for _, i := range l.acknowledged {
		if n := w.seen[name(writer, i)]; n != 1 {
			t.Errorf("writer %d: the watcher saw the acknowledged document %d %d times", writer, i, n)
		}
	}
	for _, i := range l.unknown {
		if n := w.seen[name(writer, i)]; n > 1 {
			t.Errorf("writer %d: the watcher saw the document %d, which was not acknowledged, %d times", writer, i, n)
		}
	}
}
