package mongo_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// nowhere is a dialer that never reaches a server.
type nowhere struct{}

func (nowhere) DialContext(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("no such host")
}

func TestCSOTProse8ServerSelection(t *testing.T) {
	for _, tt := range []struct{ name, query string }{
		{"serverSelectionTimeoutMS honored if timeoutMS is not set", "serverSelectionTimeoutMS=10"},
		{"timeoutMS honored for server selection if it's lower than serverSelectionTimeoutMS", "timeoutMS=10&serverSelectionTimeoutMS=20"},
		{"serverSelectionTimeoutMS honored for server selection if it's lower than timeoutMS", "timeoutMS=20&serverSelectionTimeoutMS=10"},
		{"serverSelectionTimeoutMS honored for server selection if timeoutMS=0", "timeoutMS=0&serverSelectionTimeoutMS=10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, err := mongo.Connect(t.Context(), "mongodb://invalid/?"+tt.query, &options.Client{Dialer: nowhere{}})
				if err != nil {
					t.Fatal(err)
				}
				defer client.Close(context.Background())
				began := time.Now()
				err = client.Database("admin").RunCommand(t.Context(), bson.Doc("ping", 1)).Err()
				wantTimeout(t, err, began, 10*time.Millisecond)
				if _, ok := errors.AsType[mongo.ServerSelectionError](err); !ok {
					t.Errorf("got %v, want an error of server selection", err)
				}
			})
		})
	}
	for _, tt := range []struct{ name, query string }{
		{"timeoutMS honored for connection handshake commands if it's lower than serverSelectionTimeoutMS", "timeoutMS=10&serverSelectionTimeoutMS=20"},
		{"serverSelectionTimeoutMS honored for connection handshake commands if it's lower than timeoutMS", "timeoutMS=20&serverSelectionTimeoutMS=10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				s.block(once, 15*time.Millisecond, "", "saslContinue")
				client := s.connect(tt.query)
				defer client.Close(context.Background())
				began := time.Now()
				_, err := client.Database("db").Collection("coll").InsertOne(t.Context(), bson.Doc("x", 1))
				wantTimeout(t, err, began, 10*time.Millisecond)
			}, withUsers)
		})
	}
}

func TestCSOTProse9EndSession(t *testing.T) {
	const limit = 150 * time.Millisecond
	for _, tt := range []struct {
		name    string
		client  options.Client
		session options.Session
		end     bool // the limit is that of the context of EndSession
	}{
		{name: "timeoutMS of the client", client: options.Client{Timeout: new(limit)}},
		{name: "defaultTimeoutMS of the session", session: options.Session{DefaultTimeout: new(limit)}},
		{name: "timeoutMS of endSession", end: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				s.block(once, 200*time.Millisecond, "", "abortTransaction")
				r := &recorder{}
				client := s.connect("", &tt.client, &options.Client{CommandMonitor: r.monitor()})
				defer client.Close(context.Background())
				session, err := client.StartSession(&tt.session)
				if err != nil {
					t.Fatal(err)
				}
				if err := session.StartTransaction(); err != nil {
					t.Fatal(err)
				}
				ctx := mongo.NewSessionContext(t.Context(), session)
				if _, err := client.Database("db").Collection("coll").InsertOne(ctx, bson.Doc("x", 1)); err != nil {
					t.Fatal(err)
				}
				if tt.end {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, limit)
					defer cancel()
				}
				began := time.Now()
				session.EndSession(ctx) // it returns nothing; its command fails
				if took := time.Since(began); took > limit {
					t.Errorf("it took %v", took)
				}
				if n := len(r.failed); n != 1 || r.failed[0].CommandName != "abortTransaction" || !mongo.IsTimeout(r.failed[0].Failure) {
					t.Errorf("%d commands failed", n)
				}
			}, mongotest.ReplicaSet(1))
		})
	}
}

func TestCSOTProse10ConvenientTransactions(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		s.block(bson.Doc("times", 2), 200*time.Millisecond, "", "insert", "abortTransaction")
		r := &recorder{}
		client := s.connect("", &options.Client{Timeout: new(150 * time.Millisecond), CommandMonitor: r.monitor()})
		defer client.Close(context.Background())
		err := client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
			return session.WithTransaction(ctx, func(ctx context.Context) error {
				_, err := client.Database("db").Collection("coll").InsertOne(ctx, bson.Doc("_id", 1))
				return err
			})
		})
		if !mongo.IsTimeout(err) {
			t.Errorf("got %v", err)
		}
		var started, failed []string
		for _, e := range r.started {
			started = append(started, e.CommandName)
		}
		for _, e := range r.failed {
			failed = append(failed, e.CommandName)
		}
		if want := []string{"insert", "abortTransaction"}; !slices.Equal(started, want) || !slices.Equal(failed, want) {
			t.Errorf("started %q, failed %q", started, failed)
		}
	}, mongotest.ReplicaSet(1))
}

func TestCSOTProse11MultiBatchBulkWrites(t *testing.T) {
	const document, message = 16 << 20, 48_000_000
	inScene(t, func(t *testing.T, s *scene) {
		s.block(bson.Doc("times", 2), 1010*time.Millisecond, "", "bulkWrite")
		r := &recorder{}
		client := s.connect("", &options.Client{Timeout: new(2 * time.Second), CommandMonitor: r.monitor()})
		defer client.Close(context.Background())
		model := &mongo.InsertOneModel{Document: bson.Doc("a", strings.Repeat("b", document-500))}
		var models []mongo.ClientBulkWrite
		for range message/document + 1 + 1 {
			models = append(models, mongo.ClientBulkWrite{Database: "db", Collection: "coll", Model: model})
		}
		if _, err := client.BulkWrite(t.Context(), models); !mongo.IsTimeout(err) {
			t.Errorf("got %.200v", err)
		}
		if n := len(r.commands("bulkWrite")); n != 2 {
			t.Errorf("%d bulkWrite commands", n)
		}
	}, mongotest.Version("8.0"), mongotest.NoCommands())
}

// Close waits for operations in flight, until its context ends.
func TestCloseWaitsForOperationsInFlight(t *testing.T) {
	for _, tt := range []struct {
		name  string
		limit time.Duration // of Close
		took  time.Duration
		ok    bool
	}{
		{"long enough", time.Minute, time.Second, true},
		{"as long as it may", 100 * time.Millisecond, 100 * time.Millisecond, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client := s.connect("")
				c := client.Database("db").Collection("coll")
				if err := client.Ping(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				s.block(once, time.Second, "", "insert")
				inserted := make(chan error, 1)
				go func() {
					_, err := c.InsertOne(t.Context(), bson.Doc("x", 1))
					inserted <- err
				}()
				synctest.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), tt.limit)
				defer cancel()
				began := time.Now()
				closed := make(chan error, 1)
				go func() { closed <- client.Close(ctx) }()
				synctest.Wait()
				if _, err := c.InsertOne(t.Context(), bson.D{}); !errors.Is(err, mongo.ErrClientClosed) {
					t.Errorf("an operation after Close: %v", err)
				}
				<-closed
				if took := time.Since(began); took != tt.took {
					t.Errorf("Close took %v, want %v", took, tt.took)
				}
				if err := <-inserted; (err == nil) != tt.ok || err != nil && !errors.Is(err, mongo.ErrClientClosed) {
					t.Errorf("the operation in flight: %v", err)
				}
			})
		})
	}
}
