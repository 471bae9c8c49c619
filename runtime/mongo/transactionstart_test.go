package mongo_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// spans records the names of spans as they begin and as they end.
type spans struct {
	mu           sync.Mutex
	began, ended []string
	from         map[string][]time.Time
}

func (s *spans) Start(_ context.Context, name string, began time.Time, _ []options.SpanAttribute) options.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from == nil {
		s.from = map[string][]time.Time{}
	}
	s.from[name] = append(s.from[name], began)
	s.began = append(s.began, name)
	return &namedSpan{s, name}
}

func (s *spans) list(ended bool) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ended {
		return slices.Clone(s.ended)
	}
	return slices.Clone(s.began)
}

type namedSpan struct {
	all  *spans
	name string
}

func (s *namedSpan) Context(ctx context.Context) context.Context { return ctx }
func (s *namedSpan) Traceparent() string                         { return "" }
func (s *namedSpan) SetAttributes([]options.SpanAttribute)       {}

func (s *namedSpan) End(err error) {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	if err != nil {
		s.name += " failed"
	}
	s.all.ended = append(s.all.ended, s.name)
}

// OpenTelemetry, "Transactions".
func TestSpanOfATransactionBeginsBeforeItsFirstOperation(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		var all spans
		client := s.connect("", &options.Client{Tracing: &options.Tracing{Tracer: &all}})
		defer client.Close(context.Background())
		err := client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
			return session.WithTransaction(ctx, func(context.Context) error {
				if got := all.list(false); !slices.Equal(got, []string{"transaction"}) {
					t.Errorf("spans %q before the first operation", got)
				}
				return nil
			})
		})
		if got := all.list(true); err != nil || !slices.Contains(got, "transaction") {
			t.Errorf("spans %q have ended, error %v", got, err)
		}
	}, mongotest.ReplicaSet(1))
}

// The program's StartTransaction has no context, so the span is made later, from the time of that call. A transaction
// without an operation has one, too.
//
// OpenTelemetry, "Transactions".
func TestSpanOfATransactionBeginsWithStartTransaction(t *testing.T) {
	end := map[string]func(*mongo.Session, context.Context, ...*options.EndTransaction) error{
		"commit": (*mongo.Session).CommitTransaction, "abort": (*mongo.Session).AbortTransaction,
		"end of the session": func(s *mongo.Session, ctx context.Context, _ ...*options.EndTransaction) error {
			s.EndSession(ctx)
			return nil
		},
	}
	for how, end := range end {
		for _, empty := range []bool{false, true} {
			t.Run(fmt.Sprint(how, ", empty: ", empty), func(t *testing.T) {
				inScene(t, func(t *testing.T, s *scene) {
					var all spans
					client := s.connect("", &options.Client{Tracing: &options.Tracing{Tracer: &all}})
					defer client.Close(context.Background())
					if err := client.Ping(t.Context(), nil); err != nil {
						t.Fatal(err)
					}
					err := client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
						began := time.Now()
						if err := session.StartTransaction(); err != nil {
							return err
						}
						time.Sleep(time.Minute)
						if !empty {
							if _, err := client.Database("shop").Collection("users").InsertOne(ctx, bson.D{}); err != nil {
								return err
							}
						}
						if err := end(session, ctx); err != nil {
							return err
						}
						if got := all.from["transaction"]; !slices.Equal(got, []time.Time{began}) {
							t.Errorf("the spans of transactions began at %v, want only %v", got, began)
						}
						return nil
					})
					if got := all.list(true); err != nil || !slices.Contains(got, "transaction") {
						t.Errorf("spans %q have ended, error %v", got, err)
					}
				}, mongotest.ReplicaSet(1))
			})
		}
	}
}

// Transactions, "startTransaction".
func TestStartTransactionFailsWithoutSessions(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		old := mongotest.Answer{Reply: encodeReply(t, "ok", 1, "isWritablePrimary", true, "setName", "rs0",
			"hosts", bson.A{s.d.Hosts()[0]}, "minWireVersion", 0, "maxWireVersion", 25)}
		s.d.Intercept(isApplicationHello, 0, func(mongotest.Command) mongotest.Answer { return old })
		client := s.connect("appName=test&serverMonitoringMode=poll")
		defer client.Close(context.Background())
		session, err := client.StartSession()
		if err != nil {
			t.Fatal(err)
		}
		defer session.EndSession(context.Background())
		if err := client.Ping(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		err = session.StartTransaction()
		if err == nil || !strings.Contains(err.Error(), "does not support transactions") {
			t.Errorf("got %v", err)
		}
	}, mongotest.ReplicaSet(1))
}

// Convenient API, "Callback Semantics": the context of the function has the session, whatever the caller's context has.
func TestTheFunctionOfATransactionHasItsSession(t *testing.T) {
	client, events := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	c := client.Database("shop").Collection("things")
	s, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.EndSession(t.Context())
	err = s.WithTransaction(t.Context(), func(ctx context.Context) error {
		if got := mongo.SessionFromContext(ctx); got != s {
			t.Errorf("the context has the session %v", got)
		}
		_, err := c.InsertOne(ctx, bson.Doc("_id", 1))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sent := events.commands("insert")[0].Command
	if lsid, _ := sent.Lookup("lsid").DocumentOK(); sent.Lookup("startTransaction").IsZero() || lsid.String() != s.ID().String() {
		t.Errorf("sent %v", sent)
	}
}

// Transactions, "readConcern", "writeConcern" and "readPreference": what a transaction is not told it takes from
// its client.
func TestTransactionsInheritFromTheClient(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)), &options.Client{
		ReadConcern: &options.ReadConcern{Level: "majority"}, WriteConcern: &options.WriteConcern{W: 1},
	})
	c := client.Database("shop").Collection("things")
	if err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
		return s.WithTransaction(ctx, func(ctx context.Context) error {
			_, err := c.InsertOne(ctx, bson.D{})
			return err
		})
	}); err != nil {
		t.Fatal(err)
	}
	if level, _ := r.commands("insert")[0].Command.Lookup("readConcern", "level").StringOK(); level != "majority" {
		t.Errorf("the read concern is %q", level)
	}
	if w, ok := r.commands("commitTransaction")[0].Command.Lookup("writeConcern", "w").AsInt64OK(); w != 1 || !ok {
		t.Errorf("w is %d", w)
	}
	reader := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1)), &options.Client{
		ReadPreference: &options.ReadPreference{Mode: options.Secondary},
	})
	err := reader.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
		return s.WithTransaction(ctx, func(ctx context.Context) error {
			return reader.Database("shop").Collection("things").FindOne(ctx, bson.D{}).Err()
		})
	})
	if err == nil || !strings.Contains(err.Error(), "read preference in a transaction must be primary") {
		t.Errorf("reading from a secondary: %v", err)
	}
}
