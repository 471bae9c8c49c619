package mongo_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The test plans of OP_COMPRESSED, of OP_MSG and of Read and Write Concern.

func TestCompressionProse(t *testing.T) {
	for _, tt := range []struct {
		query   string
		offered bson.A
		warning string
	}{
		{"compressors=snappy", bson.A{"snappy"}, ""},
		{"compressors=snoopy", nil, "compressors"},
		{"compressors=snappy,zlib", bson.A{"snappy", "zlib"}, ""},
	} {
		t.Run(tt.query, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.Standalone(), mongotest.Heartbeat(0))
			var log bytes.Buffer
			client, err := mongo.Connect(t.Context(), d.URI()+"?"+tt.query, &options.Client{
				Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := client.Ping(t.Context(), nil); err != nil {
				t.Error(err)
			}
			client.Close(context.Background())
			// No log shows a value of the connection string: it could be a misplaced secret.
			if warned := log.String(); !strings.Contains(warned, tt.warning) || (warned != "") != (tt.warning != "") {
				t.Errorf("the warnings are %q, want one of %q", warned, tt.warning)
			}
			hellos := 0
			for _, c := range d.Commands() {
				if c.Body.Lookup("client").IsZero() {
					continue // it is not the first message of a connection
				}
				hellos++
				offered, _ := c.Body.Lookup("compression").ArrayOK()
				var names []any
				for _, name := range offered.All() {
					text, _ := name.StringOK()
					names = append(names, text)
				}
				if !slices.Equal(names, []any(tt.offered)) {
					t.Errorf("the client offers %v, want %v", names, tt.offered)
				}
			}
			if hellos == 0 {
				t.Error("there is no hello")
			}
		})
	}
}

// One small document and one of 16 MB go in one round trip.
func TestOPMSGProseDocumentSequences(t *testing.T) {
	client, events := connectRecorded(t, mongotest.Start(t, mongotest.Standalone()))
	ctx, c := t.Context(), client.Database("shop").Collection("things")
	large := strings.Repeat("x", 16<<20-100)
	documents := []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2, "a", large)}
	for _, step := range []struct {
		command string
		run     func() error
	}{
		{"insert", func() error { _, err := c.InsertOne(ctx, bson.Doc("_id", 0)); return err }},
		{"insert", func() error { _, err := c.InsertMany(ctx, documents); return err }},
		{"update", func() error {
			_, err := c.BulkWrite(ctx, []mongo.WriteModel{
				&mongo.ReplaceOneModel{Filter: bson.Doc("_id", 1), Replacement: bson.Doc("a", 1)},
				&mongo.ReplaceOneModel{Filter: bson.Doc("_id", 2), Replacement: bson.Doc("b", large)},
			})
			return err
		}},
		{"delete", func() error {
			_, err := c.BulkWrite(ctx, []mongo.WriteModel{
				&mongo.DeleteOneModel{Filter: bson.Doc("_id", 1)}, &mongo.DeleteOneModel{Filter: bson.Doc("_id", 2)},
			})
			return err
		}},
	} {
		before := len(events.started)
		if err := step.run(); err != nil {
			t.Fatalf("%s: %v", step.command, err)
		}
		if sent := events.started[before:]; len(sent) != 1 || sent[0].CommandName != step.command {
			t.Errorf("%s took %d round trips", step.command, len(sent))
		}
	}
	if n, err := c.CountDocuments(ctx, bson.D{}); err != nil || n != 1 {
		t.Errorf("%d documents are left, %v", n, err)
	}
}

func TestConcernsProse(t *testing.T) {
	client, events := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	for _, tt := range []struct {
		name        string
		options     *options.Collection
		level, w    string
		read, write bool // something is sent
	}{
		{"the defaults", nil, "", "", false, false},
		{"the defaults, said", &options.Collection{ReadConcern: &options.ReadConcern{}, WriteConcern: &options.WriteConcern{}}, "", "", false, false},
		{"others", &options.Collection{ReadConcern: mongo.ReadMajority(), WriteConcern: mongo.Majority()}, "majority", "majority", true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := client.Database("shop").Collection("things", tt.options)
			for _, op := range operations {
				if op.command == "ping" || op.name == "runCommand" {
					continue // the program's own command is sent as it is
				}
				before := len(events.commands(op.command))
				if err := op.run(t.Context(), c); err != nil {
					t.Fatalf("%s: %v", op.name, err)
				}
				sent := events.commands(op.command)[before].Command
				rc, wc := sent.Lookup("readConcern"), sent.Lookup("writeConcern")
				reads := isRead(op.command)
				writes := !reads && op.command != "listIndexes" && op.command != "listCollections" && op.command != "listDatabases"
				if op.name == "aggregate $out" {
					writes = true
				}
				if rc.IsZero() == (reads && tt.read) || wc.IsZero() == (writes && tt.write) {
					t.Errorf("%s has the read concern %v and the write concern %v", op.name, rc, wc)
				}
				level, _ := sent.Lookup("readConcern", "level").StringOK()
				w, _ := sent.Lookup("writeConcern", "w").StringOK()
				if !rc.IsZero() && level != tt.level || !wc.IsZero() && w != tt.w {
					t.Errorf("%s has the read concern %v and the write concern %v", op.name, rc, wc)
				}
			}
		})
	}
}
