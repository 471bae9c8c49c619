package mongo_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// tokenOf returns a resume token, and eventOf the event that has it.
func tokenOf(name string) bson.D { return bson.Doc("_data", name) }

func eventOf(name string) bson.D { return bson.Doc("_id", tokenOf(name), "operationType", "insert") }

// openedWith returns the reply to an aggregate, with the operation time 7.
func openedWith(t *testing.T, cursor ...any) bson.Raw {
	t.Helper()
	cursor = append([]any{"id", int64(5), "ns", "db.coll"}, cursor...)
	return mustMarshal(t, bson.Doc("ok", 1, "cursor", bson.Doc(cursor...), "operationTime", bson.Timestamp{T: 7}))
}

// A stream resumes from one point: its last token, or else the time at which it was opened. It no longer sends the
// starting point that the program named.
//
// Change Streams, "Resume Process".
func TestChangeStreamResumesFromOnePoint(t *testing.T) {
	atTime := &options.ChangeStream{StartAtOperationTime: &bson.Timestamp{T: 3}}
	token := func(name string) bson.Raw { return mustMarshal(t, tokenOf(name)) }
	for name, tt := range map[string]struct {
		options     *options.ChangeStream
		first       bson.A
		batchToken  string
		wantField   string
		wantToken   string
		wantStartAt uint32
	}{
		"nothing came":                       {nil, bson.A{}, "", "startAtOperationTime", "", 7},
		"nothing came, a time was given":     {atTime, bson.A{}, "", "startAtOperationTime", "", 3},
		"nothing came, a token was given":    {&options.ChangeStream{ResumeAfter: token("r")}, bson.A{}, "", "resumeAfter", "r", 0},
		"nothing came, another was given":    {&options.ChangeStream{StartAfter: token("s")}, bson.A{}, "", "startAfter", "s", 0},
		"the batch has a token":              {nil, bson.A{}, "b", "resumeAfter", "b", 0},
		"the batch has one, a time is given": {atTime, bson.A{}, "b", "resumeAfter", "b", 0},
		"the batch has one after another":    {&options.ChangeStream{StartAfter: token("s")}, bson.A{}, "b", "startAfter", "b", 0},
		"an event came":                      {nil, bson.A{eventOf("e")}, "", "resumeAfter", "e", 0},
		"an event came after a time":         {atTime, bson.A{eventOf("e")}, "", "resumeAfter", "e", 0},
		"an event came after a token":        {&options.ChangeStream{StartAfter: token("s")}, bson.A{eventOf("e")}, "", "resumeAfter", "e", 0},
		"an event came whole":                {&options.ChangeStream{MergeSplitEvents: new(true)}, bson.A{eventOf("d"), eventOf("e")}, "", "resumeAfter", "e", 0},
		"the last event of its batch":        {nil, bson.A{eventOf("d"), eventOf("e")}, "b", "resumeAfter", "b", 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			client, r := connectRecorded(t, d)
			cursor := []any{"firstBatch", tt.first}
			if tt.batchToken != "" {
				cursor = append(cursor, "postBatchResumeToken", tokenOf(tt.batchToken))
			}
			replies := map[string][]bson.Raw{
				"aggregate": {openedWith(t, cursor...), openedWith(t, "firstBatch", bson.A{eventOf("z")})},
				"getMore":   {mustMarshal(t, bson.Doc("ok", 0, "code", errcode.CursorNotFound, "errmsg", "told to"))},
			}
			for command, list := range replies {
				answerInTurn(d, command, list...)
			}
			stream, _ := watchColl(t, client, tt.options)
			for range len(tt.first) + 1 {
				if !stream.Next(t.Context()) || stream.Err() != nil {
					t.Fatal(stream.Err())
				}
			}
			stage := stageOf(t, r, 1)
			var fields []string
			for key := range stage.All() {
				fields = append(fields, key)
			}
			if !slices.Equal(fields, []string{tt.wantField}) {
				t.Fatalf("resumed with %v, want the field %s alone", stage, tt.wantField)
			}
			if at, _, _ := stage.Lookup(tt.wantField).TimestampOK(); at != tt.wantStartAt {
				t.Errorf("resumed with %v", stage)
			}
			if got, _ := stage.Lookup(tt.wantField, "_data").StringOK(); got != tt.wantToken {
				t.Errorf("resumed with %v", stage)
			}
		})
	}
}

// A stream cannot resume after an event without a token, whatever error the server returns. The driver's own error ends
// the stream.
//
// Change Streams, "Updating the Cached Resume Token".
func TestAnEventWithoutItsTokenEndsTheStream(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, ctx := range map[string]context.Context{"in time": t.Context(), "after the call's time": over} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			client, r := connectRecorded(t, d)
			first := openedWith(t, "firstBatch", bson.A{bson.Doc("operationType", "insert")})
			d.Intercept(mongotest.Named("aggregate"), 1, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: first} })
			stream, _ := watchColl(t, client)
			for range 2 {
				if stream.Next(ctx) || !errors.Is(stream.Err(), mongo.ErrMissingResumeToken) || stream.ID() != 0 {
					t.Fatalf("%v, %v, ID %d", stream.Current(), stream.Err(), stream.ID())
				}
			}
			stream.Close(t.Context())
			client.Close(t.Context()) // waits for a killCursors that goes on behind its call
			if a, k := len(r.commands("aggregate")), len(r.commands("killCursors")); a != 1 || k != 1 {
				t.Errorf("%d aggregates, %d killCursors", a, k)
			}
		})
	}
}

// Close ends the cursor on the server. After it, the stream sends no more commands.
//
// Change Streams, "ChangeStream".
func TestClosingAStreamEndsItsCursor(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client, r := s.connectRecorded()
		stream, _ := watchColl(t, client)
		if stream.TryNext(t.Context()) || stream.Err() != nil {
			t.Fatalf("%v, %v", stream.Current(), stream.Err())
		}
		asked := len(r.commands("getMore"))
		for range 2 { // a second call does nothing
			if err := stream.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if stream.Next(t.Context()) || len(r.commands("getMore")) != asked {
			t.Errorf("a closed stream goes on: %v", stream.Current())
		}
		if n, open := len(r.commands("killCursors")), client.Stats().ChangeStreams; n != 1 || open != 0 {
			t.Errorf("%d killCursors, %d open streams", n, open)
		}
	}, mongotest.ReplicaSet(1))
}

// A stream that loses its cursor again and again, but not at once, resumes each time without a pause.
func TestAStreamThatGoesOnBetweenItsErrorsIsNotPaced(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	var log explanationLog
	client, err := mongo.Connect(t.Context(), d.URI(), &options.Client{
		Logger: slog.New(&log), LogLevels: &options.LogLevels{Operation: new(slog.LevelDebug - 4)},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	const times = 6
	lost, empty := mustMarshal(t, bson.Doc("ok", 0, "code", errcode.CursorNotFound, "errmsg", "told to")),
		mustMarshal(t, bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(5), "ns", "db.coll", "nextBatch", bson.A{})))
	d.Intercept(mongotest.Named("aggregate"), times+1, func(mongotest.Command) mongotest.Answer {
		return mongotest.Answer{Reply: openedWith(t, "firstBatch", bson.A{})}
	})
	n := 0
	d.Intercept(mongotest.Named("getMore"), 2*times, func(mongotest.Command) mongotest.Answer {
		if n++; n%2 == 1 {
			return mongotest.Answer{Reply: lost}
		}
		return mongotest.Answer{Reply: empty}
	})
	stream, _ := watchColl(t, client)
	defer stream.Close(context.Background())
	for range 2 * times {
		if stream.TryNext(t.Context()) || stream.Err() != nil {
			t.Fatal(stream.Current(), stream.Err())
		}
	}
	for _, line := range log.lines {
		if strings.HasPrefix(line, "watch: ") && strings.Contains(line, ", Pause, ") {
			t.Error(line)
		}
	}
	if !log.takeLine("watch: Failed, ") {
		t.Errorf("no error was seen: %q", log.lines)
	}
}

// A stream that cannot resume returns its session, which the next command uses.
func TestStreamThatCannotResumeReturnsItsSession(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, r := connectRecorded(t, d)
	stream, _ := watchColl(t, client)
	for command, code := range map[string]errcode.Code{"getMore": errcode.CursorNotFound, "aggregate": errcode.Unauthorized} {
		reply := mustMarshal(t, bson.Doc("ok", 0, "code", code, "errmsg", "told to"))
		d.Intercept(mongotest.Named(command), 1, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: reply} })
	}
	if stream.Next(t.Context()) || !mongo.HasErrorCode(stream.Err(), errcode.Unauthorized) {
		t.Fatal(stream.Err())
	}
	stream.Close(t.Context())
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	was, is := r.commands("getMore")[0].Command.Lookup("lsid"), r.commands("ping")[0].Command.Lookup("lsid")
	if was.IsZero() || !was.Equal(is) {
		t.Errorf("the stream had the session %v, the next command %v", was, is)
	}
}

// A batch without a token of its own has none: that of a batch before it lies behind what the program has seen since.
//
// Change Streams, "Updating the Cached Resume Token".
func TestABatchWithoutItsTokenHasNone(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, _ := connectRecorded(t, d)
	batch := func(events ...any) bson.Raw {
		return mustMarshal(t, bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(5), "ns", "db.coll", "nextBatch", append(bson.A{}, events...))))
	}
	answerInTurn(d, "aggregate", openedWith(t, "firstBatch", bson.A{}, "postBatchResumeToken", tokenOf("b")))
	answerInTurn(d, "getMore", batch(eventOf("e")), batch(), batch(eventOf("f"), eventOf("g")))
	stream, _ := watchColl(t, client)
	for _, want := range []string{"b", "e", "e", "f", "g"} {
		if got, _ := stream.ResumeToken().Lookup("_data").StringOK(); got != want {
			t.Errorf("the token is %q, want %q", got, want)
		}
		if want == "g" {
			break
		}
		if stream.TryNext(t.Context()); stream.Err() != nil {
			t.Fatal(stream.Err())
		}
	}
}

// A stream that loses its cursor inside an event goes on behind the part that it has, and the program sees no such place.
//
// Change Streams, "Updating the Cached Resume Token".
func TestAStreamResumesInsideAnEvent(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, r := connectRecorded(t, d)
	part := func(n int) bson.D {
		return bson.Doc("_id", tokenOf(string(rune('0'+n))), "splitEvent", bson.Doc("fragment", n, "of", 3), string(rune('a'+n)), n)
	}
	lost := mustMarshal(t, bson.Doc("ok", 0, "code", errcode.CursorNotFound, "errmsg", "told to"))
	answerInTurn(d, "aggregate", openedWith(t, "firstBatch", bson.A{part(1)}), openedWith(t, "firstBatch", bson.A{part(2)}),
		openedWith(t, "firstBatch", bson.A{part(3)}))
	answerInTurn(d, "getMore", lost, lost)
	stream, _ := watchColl(t, client, &options.ChangeStream{MergeSplitEvents: new(true)})
	if !stream.Next(t.Context()) {
		t.Fatal(stream.Err())
	}
	for i, want := range []string{"", "1", "2"} {
		if got, _ := stageOf(t, r, i).Lookup("resumeAfter", "_data").StringOK(); got != want {
			t.Errorf("aggregate %d resumes behind %q, want %q", i, got, want)
		}
	}
	if want := mustMarshal(t, bson.Doc("_id", tokenOf("3"), "b", 1, "c", 2, "d", 3)); !bytes.Equal(stream.Current(), want) {
		t.Errorf("the event is %v, want %v", stream.Current(), want)
	}
	if got, _ := stream.ResumeToken().Lookup("_data").StringOK(); got != "3" {
		t.Errorf("the token is %q", got)
	}
}

// A stream that the server has ended, as after an invalidate event, asks nothing more, whichever way the program reads it.
//
// Change Streams, "Notes and Restrictions".
func TestAStreamThatTheServerEndsAsksNothingMore(t *testing.T) {
	for name, read := range map[string]func(*mongo.ChangeStream, context.Context) bool{
		"Next": (*mongo.ChangeStream).Next, "TryNext": (*mongo.ChangeStream).TryNext,
	} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			client, r := connectRecorded(t, d)
			answerInTurn(d, "aggregate", openedWith(t, "firstBatch", bson.A{}))
			answerInTurn(d, "getMore", mustMarshal(t, bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(0), "ns", "db.coll",
				"nextBatch", bson.A{bson.Doc("_id", tokenOf("i"), "operationType", "invalidate")}))))
			stream, _ := watchColl(t, client)
			if !read(stream, t.Context()) {
				t.Fatal(stream.Err())
			}
			for range 2 {
				if read(stream, t.Context()) || stream.Err() != nil || stream.ID() != 0 {
					t.Errorf("%v, %v, ID %d", stream.Current(), stream.Err(), stream.ID())
				}
			}
			stream.Close(t.Context())
			if a, g, k := len(r.commands("aggregate")), len(r.commands("getMore")), len(r.commands("killCursors")); a != 1 || g != 1 || k != 0 {
				t.Errorf("%d aggregates, %d getMores, %d killCursors", a, g, k)
			}
			if n := client.Stats().ChangeStreams; n != 0 {
				t.Errorf("%d open streams", n)
			}
		})
	}
}

// answerInTurn answers a command with each of the replies in turn.
func answerInTurn(d *mongotest.Deployment, command string, replies ...bson.Raw) {
	d.Intercept(mongotest.Named(command), len(replies), func(mongotest.Command) mongotest.Answer {
		reply := replies[0]
		replies = replies[1:]
		return mongotest.Answer{Reply: reply}
	})
}

// Whether labels or codes decide follows from the connection that opened the cursor. The error itself may make its server Unknown, and
// an Unknown server has no wire version.
//
// Change Streams, "Resumable Error".
func TestTheConnectionSaysWhetherLabelsDecide(t *testing.T) {
	for version, resumes := range map[string]bool{"4.2": true, "4.4": false, "8.0": false} {
		t.Run(version, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version(version))
			client, r := connectRecorded(t, d)
			stream, _ := watchColl(t, client)
			answerInTurn(d, "getMore", mustMarshal(t, bson.Doc("ok", 0, "code", errcode.NotWritablePrimary, "errmsg", "told to")))
			if stream.TryNext(t.Context()) || (stream.Err() == nil) != resumes {
				t.Errorf("%v, %v", stream.Current(), stream.Err())
			}
			if n := len(r.commands("aggregate")); (n == 2) != resumes {
				t.Errorf("%d aggregates", n)
			}
		})
	}
}

// A stream gives its session back when the cursor that it resumes with has ended at once.
//
// Driver Sessions, "Sessions and Cursors".
func TestTheSessionOfAStreamThatEndsAsItResumes(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, r := connectRecorded(t, d)
	answerInTurn(d, "aggregate", openedWith(t, "firstBatch", bson.A{}),
		mustMarshal(t, bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(0), "ns", "db.coll", "firstBatch", bson.A{}))))
	answerInTurn(d, "getMore", mustMarshal(t, bson.Doc("ok", 0, "code", errcode.CursorNotFound, "errmsg", "told to")))
	stream, _ := watchColl(t, client)
	if stream.Next(t.Context()) || stream.Err() != nil || stream.ID() != 0 {
		t.Fatalf("%v, %v, ID %d", stream.Current(), stream.Err(), stream.ID())
	}
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	was, is := r.commands("aggregate")[0].Command.Lookup("lsid"), r.commands("ping")[0].Command.Lookup("lsid")
	if was.IsZero() || !was.Equal(is) {
		t.Errorf("the stream had the session %v, the next command %v", was, is)
	}
}
