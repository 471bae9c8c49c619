package mongo_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// notingTracer notes the spans that begin, and the errors with which they end.
type notingTracer struct {
	mu   sync.Mutex
	open []string
	done []notedSpan
}

type notedSpan struct {
	name, exception string
	err             error
}

func (t *notingTracer) Start(_ context.Context, name string, _ time.Time, _ []options.SpanAttribute) options.Span {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = append(t.open, name)
	return &openSpan{of: t, notedSpan: notedSpan{name: name}}
}

// names are those of the spans that are open.
func (t *notingTracer) names() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.open)
}

func (t *notingTracer) take() []notedSpan {
	t.mu.Lock()
	defer t.mu.Unlock()
	done := t.done
	t.done = nil
	return done
}

type openSpan struct {
	of *notingTracer
	notedSpan
}

func (s *openSpan) Context(ctx context.Context) context.Context { return ctx }
func (s *openSpan) Traceparent() string                         { return "" }

func (s *openSpan) SetAttributes(attributes []options.SpanAttribute) {
	for _, a := range attributes {
		if a.Key == "exception.message" {
			s.exception = a.Text
		}
	}
}

func (s *openSpan) End(err error) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.err = err
	at := slices.Index(s.of.open, s.name)
	s.of.open = slices.Delete(s.of.open, at, at+1)
	s.of.done = append(s.of.done, s.notedSpan)
}

func newTracedClient(t *testing.T, d *mongotest.Deployment) (*mongo.Client, *notingTracer) {
	t.Helper()
	tracer := &notingTracer{}
	client := connect(t, d, &options.Client{Tracing: &options.Tracing{Tracer: tracer}})
	return client, tracer
}

// The span of an operation begins before its arguments are encoded. An operation that fails there has a span, too, and
// the span has the error that the program gets.
//
// OpenTelemetry, "Instrumenting Driver Operations", "Exceptions".
func TestASpanBeginsBeforeTheArgumentsAreEncoded(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, tracer := newTracedClient(t, d)
	db := client.Database("shop")
	c := db.Collection("users")
	noCursor := func(_ *mongo.Cursor, err error) error { return err }
	noUpdate := func(_ *mongo.UpdateResult, err error) error { return err }
	noDelete := func(_ *mongo.DeleteResult, err error) error { return err }
	noStream := func(_ *mongo.ChangeStream, err error) error { return err }
	noNames := func(_ []string, err error) error { return err }
	noCount := func(_ int64, err error) error { return err }
	stages := func(v any) any { return []any{v} }
	set := bson.Doc("$set", bson.Doc("x", 1))
	for _, test := range []struct {
		span string
		call func(ctx context.Context, v any) error
	}{
		{"find shop.users", func(ctx context.Context, v any) error { return noCursor(c.Find(ctx, v)) }},
		{"find shop.users", func(ctx context.Context, v any) error { return c.FindOne(ctx, v).Err() }},
		{"aggregate shop.users", func(ctx context.Context, v any) error { return noCursor(c.Aggregate(ctx, stages(v))) }},
		{"aggregate shop", func(ctx context.Context, v any) error { return noCursor(db.Aggregate(ctx, stages(v))) }},
		{"aggregate shop.users", func(ctx context.Context, v any) error { return noStream(c.Watch(ctx, stages(v))) }},
		{"aggregate shop", func(ctx context.Context, v any) error { return noStream(db.Watch(ctx, stages(v))) }},
		{"aggregate admin", func(ctx context.Context, v any) error { return noStream(client.Watch(ctx, stages(v))) }},
		{"aggregate shop.users", func(ctx context.Context, v any) error {
			return noStream(c.Watch(ctx, mongo.Pipeline{}, &options.ChangeStream{ResumeAfter: v}))
		}},
		{"insert shop.users", func(ctx context.Context, v any) error { _, err := c.InsertOne(ctx, v); return err }},
		{"insert shop.users", func(ctx context.Context, v any) error { _, err := c.InsertMany(ctx, []any{v}); return err }},
		{"update shop.users", func(ctx context.Context, v any) error { return noUpdate(c.UpdateOne(ctx, v, set)) }},
		{"update shop.users", func(ctx context.Context, v any) error { return noUpdate(c.UpdateOne(ctx, bson.D{}, v)) }},
		{"update shop.users", func(ctx context.Context, v any) error { return noUpdate(c.UpdateByID(ctx, v, set)) }},
		{"update shop.users", func(ctx context.Context, v any) error { return noUpdate(c.UpdateMany(ctx, v, set)) }},
		{"update shop.users", func(ctx context.Context, v any) error { return noUpdate(c.ReplaceOne(ctx, bson.D{}, v)) }},
		{"delete shop.users", func(ctx context.Context, v any) error { return noDelete(c.DeleteOne(ctx, v)) }},
		{"delete shop.users", func(ctx context.Context, v any) error { return noDelete(c.DeleteMany(ctx, v)) }},
		{"findAndModify shop.users", func(ctx context.Context, v any) error { return c.FindOneAndUpdate(ctx, v, set).Err() }},
		{"findAndModify shop.users", func(ctx context.Context, v any) error { return c.FindOneAndReplace(ctx, bson.D{}, v).Err() }},
		{"findAndModify shop.users", func(ctx context.Context, v any) error { return c.FindOneAndDelete(ctx, v).Err() }},
		{"distinct shop.users", func(ctx context.Context, v any) error { return c.Distinct(ctx, "x", v).Err() }},
		{"aggregate shop.users", func(ctx context.Context, v any) error { return noCount(c.CountDocuments(ctx, v)) }},
		{"count shop.users", func(ctx context.Context, v any) error { return noCount(c.Count(ctx, v)) }},
		{"bulkWrite shop.users", func(ctx context.Context, v any) error {
			_, err := c.BulkWrite(ctx, []mongo.WriteModel{&mongo.InsertOneModel{Document: v}})
			return err
		}},
		{"bulkWrite admin", func(ctx context.Context, v any) error {
			one := mongo.ClientBulkWrite{Database: "shop", Collection: "users", Model: &mongo.ClientInsertOneModel{Document: v}}
			_, err := client.BulkWrite(ctx, []mongo.ClientBulkWrite{one})
			return err
		}},
		{"createIndexes shop.users", func(ctx context.Context, v any) error {
			_, err := c.CreateIndex(ctx, mongo.IndexModel{Keys: v})
			return err
		}},
		{"dropIndexes shop.users", func(ctx context.Context, v any) error { return c.DropIndexWithKey(ctx, v) }},
		{"createSearchIndexes shop.users", func(ctx context.Context, v any) error {
			_, err := c.SearchIndexes().CreateOne(ctx, mongo.SearchIndexModel{Definition: v})
			return err
		}},
		{"updateSearchIndex shop.users", func(ctx context.Context, v any) error { return c.SearchIndexes().UpdateOne(ctx, "s", v) }},
		{"createCollection shop.new", func(ctx context.Context, v any) error { return db.CreateView(ctx, "new", "users", stages(v)) }},
		{"createCollection shop.new", func(ctx context.Context, v any) error {
			return db.CreateCollection(ctx, "new", &options.CreateCollection{EncryptedFields: v})
		}},
		{"dropCollection shop.users", func(ctx context.Context, v any) error {
			return c.Drop(ctx, &options.DropCollection{EncryptedFields: v})
		}},
		{"listCollections shop", func(ctx context.Context, v any) error { return noNames(db.ListCollectionNames(ctx, v)) }},
		{"listDatabases admin", func(ctx context.Context, v any) error { return noNames(client.ListDatabaseNames(ctx, v)) }},
		{"runCommand shop", func(ctx context.Context, v any) error { return db.RunCommand(ctx, v).Err() }},
		{"runCommand shop", func(ctx context.Context, v any) error { return noCursor(db.RunCursorCommand(ctx, v)) }},
		{"explain shop", func(ctx context.Context, v any) error { return c.Explain(ctx, mongo.ExplainFind(v), "").Err() }},
		{"mapReduce shop.users", func(ctx context.Context, v any) error {
			return noCursor(c.MapReduce(ctx, "function() {}", "function() {}", v))
		}},
	} {
		t.Run(test.span, func(t *testing.T) {
			var during []string
			v := panickingDocument(func() { during = tracer.names() })
			err := test.call(t.Context(), v)
			if err == nil {
				t.Fatal("no error")
			}
			if !slices.Equal(during, []string{test.span}) {
				t.Errorf("while the argument is encoded, the spans %q are open", during)
			}
			done := tracer.take()
			if len(done) != 1 || done[0].name != test.span || done[0].err == nil || done[0].exception != err.Error() {
				t.Errorf("the spans are %v; the error is %v", done, err)
			}
		})
	}
}

func TestASpanHasTheErrorThatTheProgramGets(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, tracer := newTracedClient(t, d)
	db := client.Database("shop")
	c := db.Collection("users")
	if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
		t.Fatal(err)
	}
	tracer.take()
	for _, test := range []struct {
		name   string
		call   func(ctx context.Context) error
		failed bool
	}{
		{"an invalid name", func(ctx context.Context) error { return db.Collection("a\x00b").FindOne(ctx, bson.D{}).Err() }, true},
		{"an invalid name of an aggregation", func(ctx context.Context) error {
			_, err := db.Collection("a\x00b").Aggregate(ctx, mongo.Pipeline{})
			return err
		}, true},
		{"a nil document", func(ctx context.Context) error { _, err := c.InsertOne(ctx, nil); return err }, true},
		{"no models", func(ctx context.Context) error { _, err := c.BulkWrite(ctx, nil); return err }, true},
		{"a duplicate key", func(ctx context.Context) error { _, err := c.InsertOne(ctx, bson.Doc("_id", 1)); return err }, true},
		{"nothing matches", func(ctx context.Context) error {
			if err := c.FindOne(ctx, bson.Doc("_id", 2)).Err(); !errors.Is(err, mongo.ErrNoDocuments) {
				return err
			}
			return nil
		}, false},
		{"no collection to drop", func(ctx context.Context) error { return db.Collection("none").Drop(ctx) }, false},
		{"a document that panics", func(ctx context.Context) error {
			return recoverPanic(func() error { return c.FindOne(ctx, panickingDocument(func() { panic("on purpose") })).Err() })
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.call(t.Context()); (err != nil) != test.failed {
				t.Fatalf("err = %v", err)
			}
			done := tracer.take()
			if len(done) == 0 {
				t.Fatal("there is no span")
			}
			if last := done[len(done)-1]; (last.err != nil) != test.failed || (last.exception != "") != test.failed {
				t.Errorf("the span %s ended with %v, exception %q", last.name, last.err, last.exception)
			}
			if open := tracer.names(); len(open) != 0 {
				t.Errorf("still open: %q", open)
			}
		})
	}
}
