package mongo_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// fragment returns a part of an event, with a field of its own.
func fragment(part, of any) bson.D {
	return bson.Doc("_id", bson.Doc("_data", "token"), "splitEvent", bson.Doc("fragment", part, "of", of), "field", part)
}

// If fragments do not make a whole event, the stream ends with an error that says what is missing.
func TestFragmentsThatAreMissing(t *testing.T) {
	var said wording
	for _, tt := range []struct {
		name    string
		batches []bson.A
		ends    bool // the server ends the stream after the last batch
		wants   string
	}{
		{"1 and 3 of 3 in two batches", []bson.A{{fragment(1, 3)}, {fragment(3, 3)}}, false, "fragment 2 of 3 of an event is missing"},
		{"the end between", []bson.A{{fragment(1, 2)}}, true, "fragment 2 of 2 of an event is missing"},
		{"the end between, in a later batch", []bson.A{{fragment(1, 3)}, {fragment(2, 3)}}, true, "fragment 3 of 3 of an event is missing"},
		{"2 of 2 first", []bson.A{{fragment(2, 2)}}, false, "fragment 1 of 2 of an event is missing"},
		{"a text", []bson.A{{fragment("1", 2)}}, false, "splitEvent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stream := scriptedStream(t, tt.batches, tt.ends)
			for stream.Next(t.Context()) {
				if !stream.Current().Lookup("field").IsZero() {
					t.Errorf("an event: %v", stream.Current())
				}
			}
			if err := stream.Err(); err == nil || !strings.Contains(err.Error(), tt.wants) {
				t.Errorf("err = %v, want %q", err, tt.wants)
			}
			said.add(stream.Err())
			if stream.Next(t.Context()) || stream.Err() == nil {
				t.Error("the stream goes on behind the gap")
			}
		})
	}
	said.compare(t, "fragments.txt")
}

// A joined event has the _id of its last fragment as its first field, and the fields of all its fragments, but none of another event.
func TestFragmentsMakeAnEvent(t *testing.T) {
	last := fragment(2, 2)
	last[0].Value, last[2].Key = bson.Doc("_data", "last"), "other"
	stream := scriptedStream(t, []bson.A{{fragment(1, 2), last, fragment(1, 2)}, {last}}, true)
	want := mustMarshal(t, bson.Doc("_id", bson.Doc("_data", "last"), "field", 1, "other", 2))
	for range 2 {
		if !stream.Next(t.Context()) {
			t.Fatal(stream.Err())
		}
		if got := stream.Current(); !bytes.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	var none *mongo.ChangeStream
	if n := none.RemainingBatchLength(); n != 0 {
		t.Errorf("no stream has %d events", n)
	}
}

// scriptedStream returns a change stream that joins fragments. Its server sends the given batches.
func scriptedStream(t *testing.T, batches []bson.A, ends bool) *mongo.ChangeStream {
	t.Helper()
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"), mongotest.NoCommands())
	key := "firstBatch"
	d.Intercept(mongotest.Named("aggregate", "getMore"), 0, func(mongotest.Command) mongotest.Answer {
		batch, id := bson.A{}, int64(5)
		if len(batches) > 0 {
			batch, batches = batches[0], batches[1:]
		}
		if ends && len(batches) == 0 {
			id = 0
		}
		reply := bson.Doc("ok", 1, "cursor", bson.Doc("id", id, "ns", "db.coll", key, batch))
		key = "nextBatch"
		return mongotest.Answer{Reply: mustMarshal(t, reply)}
	})
	stream, _ := watchColl(t, connect(t, d), &options.ChangeStream{MergeSplitEvents: new(true)})
	return stream
}
