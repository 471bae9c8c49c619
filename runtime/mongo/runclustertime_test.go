package mongo_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// mustMarshal is the bytes of a document.
func mustMarshal(t *testing.T, doc any) bson.Raw {
	t.Helper()
	raw, err := bson.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// clusterTimeOf is a $clusterTime of a minute from now with a field of the given size.
func clusterTimeOf(size int) bson.D {
	at := bson.Timestamp{T: uint32(time.Now().Add(time.Minute).Unix()), I: 1}
	return bson.Doc("clusterTime", at, "more", bson.Binary{Data: make([]byte, size)})
}

// A $clusterTime that does not fit into a command must not go with the commands of the client that come after it.
func TestLargeClusterTimesAreNotGossiped(t *testing.T) {
	for _, tt := range []struct {
		name string
		size int
		sent bool
	}{
		{"small", 1000, true},
		{"beyond the bound", txn.MaxClusterTimeSize, false},
		{"larger than a document may be", 17 << 20, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log strings.Builder
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			client, r := connectRecorded(t, d, &options.Client{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
			strange := mustMarshal(t, bson.Doc("ok", 1, "$clusterTime", clusterTimeOf(tt.size)))
			d.Intercept(mongotest.Named("ping"), 2, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: strange} })
			err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
				for range 3 {
					if err := client.Ping(ctx, nil); err != nil {
						return err
					}
				}
				if size := len(s.ClusterTime()); (size > tt.size) != tt.sent {
					t.Errorf("the session keeps a cluster time of %d bytes", size)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			pings := r.commands("ping")
			last, _ := pings[len(pings)-1].Command.Lookup("$clusterTime").DocumentOK()
			if (len(last) > tt.size) != tt.sent {
				t.Errorf("sent a $clusterTime of %d bytes", len(last))
			}
			if warned := strings.Count(log.String(), "$clusterTime"); (warned == 0) != tt.sent || warned > 1 {
				t.Errorf("%d warnings: %s", warned, log.String())
			}
		})
	}
}

// A program cannot put such a time into a session either.
func TestAdvanceClusterTimeHasABound(t *testing.T) {
	client, _ := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	s, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.EndSession(t.Context())
	if err := s.AdvanceClusterTime(mustMarshal(t, clusterTimeOf(txn.MaxClusterTimeSize))); err == nil || s.ClusterTime() != nil {
		t.Errorf("err = %v, %d bytes are kept", err, len(s.ClusterTime()))
	}
	if err := s.AdvanceClusterTime(mustMarshal(t, clusterTimeOf(0))); err != nil || s.ClusterTime() == nil {
		t.Errorf("a cluster time of the usual size: %v", err)
	}
}

// A recovery token that does not fit into a command must not keep its transaction from being ended. The token before it
// is out of date, so none is sent.
func TestLargeRecoveryTokensAreNotSent(t *testing.T) {
	for name, end := range map[string]func(context.Context, *mongo.Session) error{
		"commitTransaction": func(ctx context.Context, s *mongo.Session) error { return s.CommitTransaction(ctx) },
		"abortTransaction":  func(ctx context.Context, s *mongo.Session) error { return s.AbortTransaction(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			d := mongotest.Start(t, mongotest.Sharded(2))
			client, r := connectRecorded(t, d, &options.Client{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
			c := client.Database("db").Collection("c")
			strange := mustMarshal(t, bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(0), "ns", "db.c", "firstBatch", bson.A{}),
				"recoveryToken", bson.Doc("recoveryShardId", strings.Repeat("s", 17<<20))))
			err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
				if err := s.StartTransaction(); err != nil {
					return err
				}
				if _, err := c.InsertOne(ctx, bson.Doc("_id", 1)); err != nil {
					return err
				}
				d.Control("find", func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: strange} })
				if err := c.FindOne(ctx, bson.D{}).Err(); err != mongo.ErrNoDocuments {
					return err
				}
				return end(ctx, s)
			})
			if err != nil {
				t.Fatal(err)
			}
			sent := r.commands(name)
			if len(sent) != 1 || !sent[0].Command.Lookup("recoveryToken").IsZero() || len(r.failed) != 0 {
				t.Errorf("%d times %s, %d failed", len(sent), name, len(r.failed))
			}
			if warned := strings.Count(log.String(), "recoveryToken"); warned != 1 {
				t.Errorf("%d warnings: %s", warned, log.String())
			}
		})
	}
}
