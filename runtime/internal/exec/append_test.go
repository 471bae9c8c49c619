package exec

import (
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
)

var (
	current = &emitted.Env{WireVersion: 25}
	filter  = mustMarshal(bson.D{{Key: "a", Value: 1}})
	empty   = bson.RawArray{5, 0, 0, 0, 0}
)

func mustMarshal(v any) bson.Raw {
	raw, err := bson.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// body is a command as extended JSON, closed as the caller of Append closes it.
func body(t *testing.T, c Command, env *emitted.Env) string {
	t.Helper()
	dst := []byte("before")
	dst, err := c.Append(dst, env)
	if err != nil {
		t.Fatal(err)
	}
	raw := bson.Raw(bson.AppendDocumentEnd(dst, len("before"))[len("before"):])
	if err := raw.Validate(); err != nil {
		t.Fatal(err)
	}
	return raw.String()
}

func TestAppend(t *testing.T) {
	for _, c := range []struct {
		name    string
		command Command
		env     *emitted.Env
		want    string
	}{
		{"find without options", &command.Find{Collection: "c", Filter: filter}, current, `{"find":"c","filter":{"a":1}}`},
		{"find with a negative limit closes its cursor", &command.Find{Collection: "c", Filter: filter, Options: &options.Find{Limit: new(int64(-3))}}, current,
			`{"find":"c","filter":{"a":1},"batchSize":3,"singleBatch":true,"limit":3}`},
		{"a negative limit counts more than the size of a batch", &command.Find{Collection: "c", Filter: filter, Options: &options.Find{Limit: new(int64(-300)), BatchSize: new(int32(2))}}, current,
			`{"find":"c","filter":{"a":1},"batchSize":300,"singleBatch":true,"limit":300}`},
		{"find with a negative batch closes its cursor", &command.Find{Collection: "c", Filter: filter, Options: &options.Find{BatchSize: new(int32(-2))}}, current,
			`{"find":"c","filter":{"a":1},"batchSize":2,"singleBatch":true}`},
		{"a negative batch is as large as the limit", &command.Find{Collection: "c", Filter: filter, Options: &options.Find{Limit: new(int64(4)), BatchSize: new(int32(-2))}}, current,
			`{"find":"c","filter":{"a":1},"batchSize":4,"singleBatch":true,"limit":4}`},
		{"a limit and a batch of 0 are none", &command.Find{Collection: "c", Filter: filter, Options: &options.Find{Limit: new(int64(0)), BatchSize: new(int32(0))}}, current,
			`{"find":"c","filter":{"a":1}}`},
		{"a limit too large for a batch", &command.Find{Collection: "c", Filter: filter, Options: &options.Find{Limit: new(int64(-1 << 40))}}, current,
			`{"find":"c","filter":{"a":1},"batchSize":2147483647,"singleBatch":true,"limit":1099511627776}`},
		{"find whose batch is its limit asks for one more", &command.Find{Collection: "c", Filter: filter, Options: &options.Find{Limit: new(int64(4)), BatchSize: new(int32(4))}}, current,
			`{"find":"c","filter":{"a":1},"batchSize":5,"limit":4}`},
		{"find that awaits data", &command.Find{Collection: "c", Filter: filter, Options: &options.Find{CursorType: new(options.TailableAwait), MaxAwaitTime: new(time.Second)}}, current,
			`{"find":"c","filter":{"a":1},"tailable":true,"awaitData":true}`},
		{"find with a time limit", &command.Find{Collection: "c", Filter: filter, Options: &options.Find{MaxTime: new(time.Second)}}, current,
			`{"find":"c","filter":{"a":1},"maxTimeMS":1000}`},
		{"a timeout replaces the time limit", &command.Find{Collection: "c", Filter: filter, Options: &options.Find{MaxTime: new(time.Second)}}, &emitted.Env{WireVersion: 25, Timeout: true},
			`{"find":"c","filter":{"a":1}}`},
		{"raw data goes to servers that know it", &command.Find{Collection: "c", Filter: filter, Options: &options.Find{RawData: new(true)}}, &emitted.Env{WireVersion: 27},
			`{"find":"c","filter":{"a":1},"rawData":true}`},
		{"raw data does not go to older servers", &command.Find{Collection: "c", Filter: filter, Options: &options.Find{RawData: new(true)}}, current,
			`{"find":"c","filter":{"a":1}}`},
		{"findOne", &command.FindOne{Collection: "c", Filter: filter, Options: &options.FindOne{Hint: "a_1", Collation: &options.Collation{Locale: "en", Strength: new(int32(2))}}}, current,
			`{"find":"c","filter":{"a":1},"limit":1,"singleBatch":true,"collation":{"locale":"en","strength":2},"hint":"a_1"}`},
		{"aggregate on a database", &command.Aggregate{Pipeline: empty, Options: &options.Aggregate{BatchSize: new(int32(2))}}, current,
			`{"aggregate":1,"pipeline":[],"cursor":{"batchSize":2}}`},
		{"aggregate that writes has no batches", &command.Aggregate{Collection: "c", Pipeline: empty, Writes: true, Options: &options.Aggregate{BatchSize: new(int32(2)), BypassDocumentValidation: new(false)}}, current,
			`{"aggregate":"c","pipeline":[],"cursor":{},"bypassDocumentValidation":false}`},
		{"getMore", &command.GetMore{ID: 5, Collection: "c", MaxAwaitTime: time.Second, Comment: "x"}, current, `{"getMore":5,"collection":"c","maxTimeMS":1000,"comment":"x"}`},
		{"getMore has no comment for 4.2", &command.GetMore{ID: 5, Collection: "c", Comment: "x"}, &emitted.Env{WireVersion: 8}, `{"getMore":5,"collection":"c"}`},
		{"killCursors", &command.KillCursors{Collection: "c", Cursors: []int64{1, 2}}, current, `{"killCursors":"c","cursors":[1,2]}`},
		{"endSessions", &command.EndSessions{Sessions: []bson.Raw{filter}}, current, `{"endSessions":[{"a":1}]}`},
		{"findAndModify returns the new document", &command.FindOneAndUpdate{Collection: "c", Filter: filter, Update: bson.RawValue{Type: 3, Value: filter}, Options: &options.FindOneAndUpdate{ReturnDocument: new(options.After), Projection: filter}}, current,
			`{"findAndModify":"c","query":{"a":1},"update":{"a":1},"fields":{"a":1},"new":true}`},
		{"findAndModify deletes", &command.FindOneAndDelete{Collection: "c", Filter: filter}, current, `{"findAndModify":"c","query":{"a":1},"remove":true}`},
		{"createIndexes", &command.CreateIndexes{Collection: "c", Indexes: []command.IndexSpec{{Keys: filter, Name: "a_1", Options: &options.Index{Unique: new(true), Name: new("ignored")}}}, Options: &options.CreateIndexes{CommitQuorum: "majority"}}, current,
			`{"createIndexes":"c","indexes":[{"key":{"a":1},"name":"a_1","unique":true}],"commitQuorum":"majority"}`},
		{"bulkWrite asks for errors only", &command.BulkWrite{}, current, `{"bulkWrite":1,"ordered":true,"errorsOnly":true}`},
		{"bulkWrite with verbose results", &command.BulkWrite{Options: &options.ClientBulkWrite{VerboseResults: new(true), Ordered: new(false)}}, current, `{"bulkWrite":1,"ordered":false,"errorsOnly":false}`},
		{"listCollections without a filter", &command.ListCollections{}, current, `{"listCollections":1,"cursor":{}}`},
		{"commitTransaction", &command.CommitTransaction{MaxCommitTime: new(time.Second)}, current, `{"commitTransaction":1,"maxTimeMS":1000}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := body(t, c.command, c.env); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestAppendItem(t *testing.T) {
	update := bson.RawValue{Type: 3, Value: filter}
	for _, c := range []struct {
		name    string
		command Batch
		want    []string
	}{
		{"insert", &command.InsertMany{Collection: "c", Documents: []bson.Raw{filter, filter}}, []string{`{"a":1}`, `{"a":1}`}},
		{"update of one", &command.UpdateOne{Collection: "c", Filter: filter, Update: update, Options: &options.UpdateOne{Upsert: new(true)}}, []string{`{"q":{"a":1},"u":{"a":1},"upsert":true}`}},
		{"update of many", &command.UpdateMany{Collection: "c", Filter: filter, Update: update, Options: &options.UpdateMany{ArrayFilters: []any{filter}}}, []string{`{"q":{"a":1},"u":{"a":1},"multi":true,"arrayFilters":[{"a":1}]}`}},
		{"delete of one", &command.DeleteOne{Collection: "c", Filter: filter}, []string{`{"q":{"a":1},"limit":1}`}},
		{"delete of many", &command.DeleteMany{Collection: "c", Filter: filter}, []string{`{"q":{"a":1},"limit":0}`}},
		{"mixed updates", &command.BulkUpdate{Collection: "c", Models: []options.WriteModel{&options.UpdateManyModel{Filter: filter, Update: filter}, &options.ReplaceOneModel{Filter: bson.D{}, Replacement: filter, Hint: "h"}}},
			[]string{`{"q":{"a":1},"u":{"a":1},"multi":true}`, `{"q":{},"u":{"a":1},"hint":"h"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.command.Items() != len(c.want) {
				t.Fatalf("%d items, want %d", c.command.Items(), len(c.want))
			}
			for i, want := range c.want {
				raw, err := c.command.AppendItem(nil, i, current)
				if err != nil {
					t.Fatal(err)
				}
				if got := bson.Raw(raw).String(); got != want {
					t.Errorf("item %d: got %s, want %s", i, got, want)
				}
			}
		})
	}
}

func TestBulkWriteOps(t *testing.T) {
	c := &command.BulkWrite{Models: []options.NamespaceWriteModel{
		{Namespace: "d.a", Model: &options.InsertOneModel{Document: filter}},
		{Namespace: "d.b", Model: &options.UpdateOneModel{Filter: filter, Update: filter, Sort: filter}},
		{Namespace: "d.b", Model: &options.DeleteManyModel{Filter: filter}},
	}}
	want := []struct {
		op, namespace string
		retryable     bool
	}{
		{`{"insert":0,"document":{"a":1}}`, `{"ns":"d.a"}`, true},
		{`{"update":1,"filter":{"a":1},"updateMods":{"a":1},"multi":false,"sort":{"a":1}}`, `{"ns":"d.b"}`, true},
		{`{"delete":1,"filter":{"a":1},"multi":true}`, `{"ns":"d.b"}`, false},
	}
	for i, namespace := range []int32{0, 1, 1} {
		op, err := c.AppendOp(nil, i, namespace, current)
		if err != nil {
			t.Fatal(err)
		}
		if got := bson.Raw(op).String(); got != want[i].op {
			t.Errorf("op %d: got %s, want %s", i, got, want[i].op)
		}
		if got := bson.Raw(c.AppendNamespace(nil, i)).String(); got != want[i].namespace {
			t.Errorf("namespace %d: got %s, want %s", i, got, want[i].namespace)
		}
		if c.Retryable(i) != want[i].retryable {
			t.Errorf("item %d: retryable is %t", i, c.Retryable(i))
		}
	}
}

func TestUnsupportedOption(t *testing.T) {
	old := &emitted.Env{WireVersion: 8}
	unacknowledged := &emitted.Env{WireVersion: 8, Unacknowledged: true}
	hint := &command.FindOneAndDelete{Collection: "c", Filter: filter, Options: &options.FindOneAndDelete{Hint: "h"}}
	if got := body(t, hint, old); got != `{"findAndModify":"c","query":{"a":1},"remove":true,"hint":"h"}` {
		t.Errorf("an acknowledged hint is the server's to refuse: %s", got)
	}
	for _, c := range []struct {
		name    string
		command Command
		env     *emitted.Env
		option  string
	}{
		{"unacknowledged hint", hint, unacknowledged, "hint"},
		{"commit quorum", &command.CreateIndexes{Collection: "c", Options: &options.CreateIndexes{CommitQuorum: 1}}, old, "commitQuorum"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.command.Append(nil, c.env)
			if e, ok := errors.AsType[*emitted.UnsupportedOptionError](err); !ok || e.Option != c.option || e.Since != "4.4" {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestWrongModel(t *testing.T) {
	c := &command.BulkDelete{Models: []options.WriteModel{&options.InsertOneModel{}}}
	if _, err := c.AppendItem(nil, 0, current); err == nil {
		t.Error("an insert went into a delete command")
	}
}

func TestMetaOfAggregate(t *testing.T) {
	if m := (&command.Aggregate{}).Meta(); m.Access != command.Read || m.Retry != command.RetryRead || m.WriteConcern {
		t.Errorf("a read: %+v", m)
	}
	if m := (&command.Aggregate{Writes: true}).Meta(); m.Access != command.Write || m.Retry != command.RetryNone || !m.WriteConcern {
		t.Errorf("a write: %+v", m)
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 1024)
	find := &command.FindOne{Collection: "c", Filter: filter, Options: &options.FindOne{Hint: "h", Comment: "x", Skip: new(int64(1))}}
	insert := &command.InsertOne{Collection: "c", Document: filter}
	if n := testing.AllocsPerRun(100, func() {
		if _, err := find.Append(buf, current); err != nil {
			t.Fatal(err)
		}
		if _, err := insert.Append(buf, current); err != nil {
			t.Fatal(err)
		}
		if _, err := insert.AppendItem(buf, 0, current); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestParseCursorReply(t *testing.T) {
	batch := bson.A{bson.D{{Key: "x", Value: 1}}}
	reply := mustMarshal(bson.D{
		{Key: "cursor", Value: bson.D{{Key: "firstBatch", Value: batch}, {Key: "id", Value: int64(7)}, {Key: "ns", Value: "d.c"}, {Key: "postBatchResumeToken", Value: nil}}},
		{Key: "ok", Value: 1.0}, {Key: "operationTime", Value: bson.Timestamp{T: 3, I: 4}},
	})
	r, err := command.ParseCursorReply(reply)
	if err != nil {
		t.Fatal(err)
	}
	values, err := r.Batch.Values()
	if err != nil || r.ID != 7 || string(r.Namespace) != "d.c" || len(values) != 1 || r.OperationTime != (bson.Timestamp{T: 3, I: 4}) || r.PostBatchResumeToken != nil {
		t.Errorf("got %+v, %v", r, err)
	}
	for name, bad := range map[string]bson.D{
		"no cursor":       {{Key: "ok", Value: 1}},
		"no id":           {{Key: "cursor", Value: bson.D{}}},
		"cursor is text":  {{Key: "cursor", Value: "x"}},
		"batch is a text": {{Key: "cursor", Value: bson.D{{Key: "id", Value: 1}, {Key: "nextBatch", Value: "x"}}}},
	} {
		if _, err := command.ParseCursorReply(mustMarshal(bad)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
