package mongo_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Client Side Operations Timeout, "Background and Motivation": which level inherits a timeout, and the effect of a
// context's deadline alone.
func TestWhichTimeoutCounts(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	hour, week, none := new(time.Hour), new(7*24*time.Hour), new(time.Duration(0))
	tests := []struct {
		name                   string
		client, db, collection *time.Duration
		find                   options.FindOne
		context                time.Duration // 0 = no deadline
		want                   time.Duration // of maxTimeMS; 0 = none
	}{
		{name: "nothing is set"},
		{name: "client", client: hour, want: time.Hour},
		{name: "database over client", client: week, db: hour, want: time.Hour},
		{name: "collection over database, although it is longer", client: hour, db: hour, collection: week, want: 7 * 24 * time.Hour},
		{name: "operation over collection", collection: week, find: options.FindOne{Timeout: hour}, want: time.Hour},
		{name: "0 is no limit", client: hour, collection: none},
		{name: "0 for the operation", client: hour, find: options.FindOne{Timeout: none}},
		{name: "timeout turns MaxTime off", client: hour, find: options.FindOne{MaxTime: new(time.Minute)}, want: time.Hour},
		{name: "0 turns MaxTime off", client: none, find: options.FindOne{MaxTime: new(time.Minute)}},
		{name: "MaxTime alone", find: options.FindOne{MaxTime: new(time.Minute)}, want: time.Minute},
		{name: "context alone", context: time.Hour, want: time.Hour},
		{name: "context leaves MaxTime alone", context: time.Hour, find: options.FindOne{MaxTime: new(time.Minute)}, want: time.Minute},
		{name: "context is earlier", client: week, context: time.Hour, want: time.Hour},
		{name: "context is later", client: hour, context: 7 * 24 * time.Hour, want: time.Hour},
		{name: "context with 0", client: none, context: time.Hour, want: time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client, events := connectRecorded(t, d, &options.Client{Timeout: tt.client})
			c := client.Database("shop", &options.Database{Timeout: tt.db}).
				Collection("things", &options.Collection{Timeout: tt.collection})
			ctx := t.Context()
			if tt.context > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, tt.context)
				defer cancel()
			}
			if err := c.FindOne(ctx, bson.D{}, &tt.find).Err(); err != mongo.ErrNoDocuments {
				t.Fatal(err)
			}
			ms, _ := events.commands("find")[0].Command.Lookup("maxTimeMS").AsInt64OK()
			got := time.Duration(ms) * time.Millisecond
			if got > tt.want || got < tt.want-time.Minute/2 || tt.want == 0 && got != 0 {
				t.Errorf("maxTimeMS %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTimeoutReplacesWTimeout(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, events := connectRecorded(t, d, &options.Client{
		Timeout: new(time.Hour), WriteConcern: &options.WriteConcern{W: 1, WTimeout: new(time.Second)},
	})
	if _, err := client.Database("shop").Collection("things").InsertOne(t.Context(), bson.Doc("x", 1)); err != nil {
		t.Fatal(err)
	}
	if wc, _ := events.commands("insert")[0].Command.Lookup("writeConcern").DocumentOK(); !wc.Lookup("wtimeout").IsZero() {
		t.Errorf("write concern %v", wc)
	}
}

// Client Side Operations Timeout, "Retryability".
func TestOnlyTimeoutMSChangesHowOftenIsRetried(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	const failures = 5
	for _, tt := range []struct {
		name    string
		options *options.FindOne
		context bool
		tries   int
		ok      bool
	}{
		{"without a timeout", nil, false, 2, false},
		{"deadline of the context alone", nil, true, 2, false},
		{"timeoutMS", &options.FindOne{Timeout: new(time.Hour)}, false, failures + 1, true},
		{"timeoutMS without a limit", &options.FindOne{Timeout: new(time.Duration(0))}, false, failures + 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client, events := connectRecorded(t, d)
			ctx := t.Context()
			if tt.context {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Hour)
				defer cancel()
			}
			fail(t, d, bson.Doc("times", failures), bson.Doc("failCommands", bson.A{"find"}, "errorCode", 6))
			defer fail(t, d, "off", bson.D{})
			err := client.Database("shop").Collection("things").FindOne(ctx, bson.D{}, tt.options).Err()
			if n := len(events.commands("find")); n != tt.tries || (err == mongo.ErrNoDocuments) != tt.ok {
				t.Errorf("%d tries, %v", n, err)
			}
		})
	}
}

// Client Side Operations Timeout, "Errors".
func TestTimeoutIsReported(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, _ := connectRecorded(t, d)
	release := make(chan struct{})
	defer close(release)
	d.Control("find", func(mongotest.Command) mongotest.Answer { <-release; return mongotest.Answer{} })
	err := client.Database("shop").Collection("things").FindOne(t.Context(), bson.D{}, &options.FindOne{Timeout: new(50 * time.Millisecond)}).Err()
	if _, ok := errors.AsType[mongo.TimeoutError](err); !ok || !mongo.IsTimeout(err) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// Client Side Operations Timeout, "Cursors".
func TestTimeoutBoundsTheCommandsOfACursor(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, events := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	if _, err := c.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2), bson.Doc("_id", 3)}); err != nil {
		t.Fatal(err)
	}
	hour, iteration, one := new(time.Hour), new(options.Iteration), new(int32(1))
	maxTime := func(e []*event.CommandStarted) bool { return !e[len(e)-1].Command.Lookup("maxTimeMS").IsZero() }
	for _, tt := range []struct {
		name           string
		options        options.Find
		first, getMore bool
		kill           bool
	}{
		{"no timeout", options.Find{}, false, false, false},
		{"lifetime", options.Find{Timeout: hour}, true, false, true},
		{"iteration", options.Find{Timeout: hour, TimeoutMode: iteration}, false, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.options.BatchSize = one
			cursor, err := c.Find(t.Context(), bson.D{}, &tt.options)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if !cursor.Next(t.Context()) {
					t.Fatal(cursor.Err())
				}
			}
			cursor.Close(t.Context())
			if got := maxTime(events.commands("find")); got != tt.first {
				t.Errorf("find has maxTimeMS: %t", got)
			}
			if got := maxTime(events.commands("getMore")); got != tt.getMore {
				t.Errorf("getMore has maxTimeMS: %t", got)
			}
			if got := maxTime(events.commands("killCursors")); got != tt.kill {
				t.Errorf("killCursors has maxTimeMS: %t", got)
			}
		})
	}
	for name, o := range map[string]options.Find{
		"mode without a timeout":        {TimeoutMode: iteration},
		"lifetime of a tailable cursor": {Timeout: hour, TimeoutMode: new(options.CursorLifetime), CursorType: new(options.Tailable)},
		"await as long as the timeout":  {Timeout: hour, CursorType: new(options.TailableAwait), MaxAwaitTime: hour},
		"a timeout below 0":             {Timeout: new(-time.Second)},
	} {
		if _, err := c.Find(t.Context(), bson.D{}, &o); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// Run Command, "Client Side Operations Timeout" of runCursorCommand: its timeout and its mode are those of any cursor.
func TestTimeoutBoundsTheCommandsOfRunCursorCommand(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, events := connectRecorded(t, d)
	db := client.Database("shop")
	if _, err := db.Collection("things").InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2)}); err != nil {
		t.Fatal(err)
	}
	hour, one := new(time.Hour), new(int32(1))
	for name, tt := range map[string]struct {
		options options.RunCursorCommand
		first   bool // the command carries what is left of the time
	}{
		"no timeout": {options.RunCursorCommand{}, false},
		"lifetime":   {options.RunCursorCommand{Timeout: hour}, true},
		"iteration":  {options.RunCursorCommand{Timeout: hour, TimeoutMode: new(options.Iteration)}, false},
	} {
		tt.options.BatchSize = one
		cursor, err := db.RunCursorCommand(t.Context(), bson.Doc("find", "things", "batchSize", one), &tt.options)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if !cursor.Next(t.Context()) {
				t.Fatal(cursor.Err())
			}
		}
		cursor.Close(t.Context())
		for command, want := range map[string]bool{"find": tt.first, "getMore": false} {
			sent := events.commands(command)
			if got := !sent[len(sent)-1].Command.Lookup("maxTimeMS").IsZero(); got != want {
				t.Errorf("%s: %s has maxTimeMS: %t", name, command, got)
			}
		}
	}
	o := &options.RunCursorCommand{TimeoutMode: new(options.Iteration)}
	if _, err := db.RunCursorCommand(t.Context(), bson.Doc("find", "things"), o); err == nil {
		t.Error("a mode without a timeout is accepted")
	}
}

// Run Command, "Client Side Operations Timeout" of runCursorCommand: only a cursor that awaits data has a use for both.
func TestRunCursorCommandRefusesATimeoutBesideMaxAwaitTime(t *testing.T) {
	client := connect(t, mongotest.Start(t))
	second, long := new(time.Second), new(time.Minute)
	for _, tt := range []struct {
		name    string
		o       options.RunCursorCommand
		client  *time.Duration
		refused bool
	}{
		{"both", options.RunCursorCommand{MaxAwaitTime: second, Timeout: long}, nil, true},
		{"the timeout of the database", options.RunCursorCommand{MaxAwaitTime: second}, long, true},
		{"a tailable cursor", options.RunCursorCommand{MaxAwaitTime: second, Timeout: long, CursorType: new(options.Tailable)}, nil, true},
		{"a cursor that awaits data", options.RunCursorCommand{MaxAwaitTime: second, Timeout: long, CursorType: new(options.TailableAwait)}, nil, false},
		{"no timeout", options.RunCursorCommand{MaxAwaitTime: second}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := client.Database("shop", &options.Database{Timeout: tt.client})
			_, err := db.RunCursorCommand(t.Context(), bson.Doc("find", "things"), &tt.o)
			if (err != nil) != tt.refused {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCursorEndsWithItsLifetime(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, _ := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	if _, err := c.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2), bson.Doc("_id", 3)}); err != nil {
		t.Fatal(err)
	}
	cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{Timeout: new(100 * time.Millisecond), BatchSize: new(int32(2))})
	if err != nil {
		t.Fatal(err)
	}
	release := make(chan struct{})
	defer close(release)
	d.Control("getMore", func(mongotest.Command) mongotest.Answer { <-release; return mongotest.Answer{} })
	n := 0
	for cursor.Next(t.Context()) {
		n++
	}
	if n != 2 || !mongo.IsTimeout(cursor.Err()) {
		t.Errorf("%d documents, %v", n, cursor.Err())
	}
}
