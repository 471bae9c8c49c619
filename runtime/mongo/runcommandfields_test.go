package mongo_test

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// answerEach makes a deployment answer every command of a name with {ok: 1}.
func answerEach(d *mongotest.Deployment, name string, reply bson.Raw) {
	d.Intercept(mongotest.Named(name), 0, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: reply} })
}

// The driver looks into no command of a program's own: what it has goes out as it is, and what the driver adds stands
// behind it.
//
// Run Command, "Driver Sessions", "ReadConcern and WriteConcern", "Client Side Operations Timeout", "Stable API".
func TestRunCommandLooksForNoFields(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	answerEach(d, "ping", mustMarshal(t, bson.Doc("ok", 1)))
	client, r := connectRecorded(t, d)
	own := []bson.E{
		{Key: "lsid", Value: bson.Doc("id", "mine")}, {Key: "readConcern", Value: bson.Doc("level", "mine")},
		{Key: "writeConcern", Value: bson.Doc("w", "mine")}, {Key: "maxTimeMS", Value: int32(5)},
		{Key: "$readPreference", Value: bson.Doc("mode", "mine")}, {Key: "collation", Value: bson.Doc("locale", "mine", "new", 1)},
		{Key: "txnNumber", Value: "mine"}, {Key: "startTransaction", Value: "mine"}, {Key: "apiVersion", Value: "mine"},
	}
	for _, timeout := range []*time.Duration{nil, new(time.Minute)} {
		for _, field := range own {
			command := append(bson.Doc("ping", int32(1)), field)
			raw := mustMarshal(t, command)
			spare := slices.Grow(bytes.Clone(raw), 64)
			given := bson.Raw(spare[:len(raw)])
			before := len(r.commands("ping"))
			for _, c := range []any{command, given} {
				if err := client.Database("db").RunCommand(t.Context(), c, &options.RunCommand{Timeout: timeout}).Err(); err != nil {
					t.Fatalf("%s: %v", field.Key, err)
				}
			}
			if !bytes.Equal(given, raw) || !bytes.Equal(spare[len(raw):cap(spare)], make([]byte, cap(spare)-len(raw))) ||
				!bytes.Equal(mustMarshal(t, command), raw) {
				t.Errorf("%s: the program's document was changed", field.Key)
			}
			for _, e := range r.commands("ping")[before:] {
				if sent := e.Command[4 : len(raw)-1]; !bytes.Equal(sent, raw[4:len(raw)-1]) {
					t.Errorf("%s: sent %v", field.Key, e.Command)
				}
				count := 0
				for key := range e.Command.All() {
					if key == "maxTimeMS" {
						count++
					}
				}
				if want := map[bool]int{true: 1}[timeout != nil] + map[bool]int{true: 1}[field.Key == "maxTimeMS"]; count != want {
					t.Errorf("timeout %v: %d maxTimeMS in %v", timeout != nil, count, e.Command)
				}
			}
		}
	}
}

// Run Command, "Transactions": the first command of a transaction takes the concern and the preference of the
// transaction.
func TestRunCommandInATransaction(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)),
		&options.Client{ReadConcern: &options.ReadConcern{Level: "local"}, ReadPreference: mongo.Secondary()})
	db := client.Database("db")
	if err := db.CreateCollection(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	for _, causal := range []bool{true, false} {
		testRunCommandInATransaction(t, client, r, &options.Session{CausalConsistency: &causal})
	}
}

func testRunCommandInATransaction(t *testing.T, client *mongo.Client, r *recorder, o *options.Session) {
	before := len(r.commands("find"))
	db := client.Database("db")
	err := client.UseSessionWithOptions(t.Context(), o, func(ctx context.Context, s *mongo.Session) error {
		start := &options.Transaction{ReadConcern: &options.ReadConcern{Level: "snapshot"}, ReadPreference: mongo.Primary()}
		if err := s.StartTransaction(start); err != nil {
			return err
		}
		for range 2 {
			if err := db.RunCommand(ctx, bson.Doc("find", "c")).Err(); err != nil {
				return err
			}
		}
		return s.CommitTransaction(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range r.commands("find")[before:] {
		level, _ := e.Command.Lookup("readConcern", "level").StringOK()
		if (level == "snapshot") != (i == 0) || level == "local" || !e.Command.Lookup("$readPreference").IsZero() {
			t.Errorf("find %d: %v", i, e.Command)
		}
	}
}

// Run Command, "RunCursorCommand": the read preference selects the server, to which later batches go too.
func TestRunCursorCommandStaysOnItsServer(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(5))
	client, r := connectRecorded(t, d)
	c := client.Database("db").Collection("c")
	if _, err := c.InsertMany(t.Context(), emptyDocuments(6), &options.InsertMany{}); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		cursor, err := client.Database("db").RunCursorCommand(t.Context(), bson.Doc("find", "c", "batchSize", 1),
			&options.RunCursorCommand{ReadPreference: mongo.Secondary(), BatchSize: new(int32(1))})
		if err := drainFunc(t.Context())(cursor, err); err != nil {
			t.Fatal(err)
		}
	}
	server := ""
	for _, e := range r.started {
		switch at := host(e.ConnectionID); e.CommandName {
		case "find":
			if server = at; server == d.Hosts()[d.Primary()] {
				t.Error("a find went to the primary")
			}
		case "getMore":
			if at != server {
				t.Errorf("a getMore went to %s, its find to %s", at, server)
			}
		}
	}
	if n := len(r.commands("getMore")); n < 20 {
		t.Errorf("%d getMores", n)
	}
}
