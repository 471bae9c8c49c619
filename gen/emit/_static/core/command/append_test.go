package command

import (
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

var (
	current = &Env{WireVersion: 25}
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
func body(t *testing.T, c Command, env *Env) string {
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
		env     *Env
		want    string
	}{
		{"find without options", &Find{Collection: "c", Filter: filter}, current, `{"find":"c","filter":{"a":1}}`},
		{"find with a negative limit closes its cursor", &Find{Collection: "c", Filter: filter, Options: &options.Find{Limit: new(int64(-3))}}, current,
			`{"find":"c","filter":{"a":1},"batchSize":3,"singleBatch":true,"limit":3}`},
		{"a negative limit counts more than the size of a batch", &Find{Collection: "c", Filter: filter, Options: &options.Find{Limit: new(int64(-300)), BatchSize: new(int32(2))}}, current,
			`{"find":"c","filter":{"a":1},"batchSize":300,"singleBatch":true,"limit":300}`},
		{"find with a negative batch closes its cursor", &Find{Collection: "c", Filter: filter, Options: &options.Find{BatchSize: new(int32(-2))}}, current,
			`{"find":"c","filter":{"a":1},"batchSize":2,"singleBatch":true}`},
		{"a negative batch is as large as the limit", &Find{Collection: "c", Filter: filter, Options: &options.Find{Limit: new(int64(4)), BatchSize: new(int32(-2))}}, current,
			`{"find":"c","filter":{"a":1},"batchSize":4,"singleBatch":true,"limit":4}`},
		{"a limit and a batch of 0 are none", &Find{Collection: "c", Filter: filter, Options: &options.Find{Limit: new(int64(0)), BatchSize: new(int32(0))}}, current,
			`{"find":"c","filter":{"a":1}}`},
		{"a limit too large for a batch", &Find{Collection: "c", Filter: filter, Options: &options.Find{Limit: new(int64(-1 << 40))}}, current,
			`{"find":"c","filter":{"a":1},"batchSize":2147483647,"singleBatch":true,"limit":1099511627776}`},
		{"find whose batch is its limit asks for one more", &Find{Collection: "c", Filter: filter, Options: &options.Find{Limit: new(int64(4)), BatchSize: new(int32(4))}}, current,
			`{"find":"c","filter":{"a":1},"batchSize":5,"limit":4}`},
		{"find that awaits data", &Find{Collection: "c", Filter: filter, Options: &options.Find{CursorType: new(options.TailableAwait), MaxAwaitTime: new(time.Second)}}, current,
			`{"find":"c","filter":{"a":1},"tailable":true,"awaitData":true}`},
		{"find with a time limit", &Find{Collection: "c", Filter: filter, Options: &options.Find{MaxTime: new(time.Second)}}, current,
			`{"find":"c","filter":{"a":1},"maxTimeMS":1000}`},
		{"a timeout replaces the time limit", &Find{Collection: "c", Filter: filter, Options: &options.Find{MaxTime: new(time.Second)}}, &Env{WireVersion: 25, Timeout: true},
			`{"find":"c","filter":{"a":1}}`},
		{"raw data goes to servers that know it", &Find{Collection: "c", Filter: filter, Options: &options.Find{RawData: new(true)}}, &Env{WireVersion: 27},
			`{"find":"c","filter":{"a":1},"rawData":true}`},
		{"raw data does not go to older servers", &Find{Collection: "c", Filter: filter, Options: &options.Find{RawData: new(true)}}, current,
			`{"find":"c","filter":{"a":1}}`},
		{"findOne", &FindOne{Collection: "c", Filter: filter, Options: &options.FindOne{Hint: "a_1", Collation: &options.Collation{Locale: "en", Strength: new(int32(2))}}}, current,
			`{"find":"c","filter":{"a":1},"limit":1,"singleBatch":true,"collation":{"locale":"en","strength":2},"hint":"a_1"}`},
		{"aggregate on a database", &Aggregate{Pipeline: empty, Options: &options.Aggregate{BatchSize: new(int32(2))}}, current,
			`{"aggregate":1,"pipeline":[],"cursor":{"batchSize":2}}`},
		{"aggregate that writes has no batches", &Aggregate{Collection: "c", Pipeline: empty, Writes: true, Options: &options.Aggregate{BatchSize: new(int32(2)), BypassDocumentValidation: new(false)}}, current,
			`{"aggregate":"c","pipeline":[],"cursor":{},"bypassDocumentValidation":false}`},
		{"getMore", &GetMore{ID: 5, Collection: "c", MaxAwaitTime: time.Second, Comment: "x"}, current, `{"getMore":5,"collection":"c","maxTimeMS":1000,"comment":"x"}`},
		{"getMore has no comment for 4.2", &GetMore{ID: 5, Collection: "c", Comment: "x"}, &Env{WireVersion: 8}, `{"getMore":5,"collection":"c"}`},
		{"killCursors", &KillCursors{Collection: "c", Cursors: []int64{1, 2}}, current, `{"killCursors":"c","cursors":[1,2]}`},
		{"endSessions", &EndSessions{Sessions: []bson.Raw{filter}}, current, `{"endSessions":[{"a":1}]}`},
		{"findAndModify returns the new document", &FindOneAndUpdate{Collection: "c", Filter: filter, Update: bson.RawValue{Type: 3, Value: filter}, Options: &options.FindOneAndUpdate{ReturnDocument: new(options.After), Projection: filter}}, current,
			`{"findAndModify":"c","query":{"a":1},"update":{"a":1},"fields":{"a":1},"new":true}`},
		{"findAndModify deletes", &FindOneAndDelete{Collection: "c", Filter: filter}, current, `{"findAndModify":"c","query":{"a":1},"remove":true}`},
		{"createIndexes", &CreateIndexes{Collection: "c", Indexes: []IndexSpec{{Keys: filter, Name: "a_1", Options: &options.Index{Unique: new(true), Name: new("ignored")}}}, Options: &options.CreateIndexes{CommitQuorum: "majority"}}, current,
			`{"createIndexes":"c","indexes":[{"key":{"a":1},"name":"a_1","unique":true}],"commitQuorum":"majority"}`},
		{"bulkWrite asks for errors only", &BulkWrite{}, current, `{"bulkWrite":1,"ordered":true,"errorsOnly":true}`},
		{"bulkWrite with verbose results", &BulkWrite{Options: &options.ClientBulkWrite{VerboseResults: new(true), Ordered: new(false)}}, current, `{"bulkWrite":1,"ordered":false,"errorsOnly":false}`},
		{"listCollections without a filter", &ListCollections{}, current, `{"listCollections":1,"cursor":{}}`},
		{"commitTransaction", &CommitTransaction{MaxCommitTime: new(time.Second)}, current, `{"commitTransaction":1,"maxTimeMS":1000}`},
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
		{"insert", &InsertMany{Collection: "c", Documents: []bson.Raw{filter, filter}}, []string{`{"a":1}`, `{"a":1}`}},
		{"update of one", &UpdateOne{Collection: "c", Filter: filter, Update: update, Options: &options.UpdateOne{Upsert: new(true)}}, []string{`{"q":{"a":1},"u":{"a":1},"upsert":true}`}},
		{"update of many", &UpdateMany{Collection: "c", Filter: filter, Update: update, Options: &options.UpdateMany{ArrayFilters: []any{filter}}}, []string{`{"q":{"a":1},"u":{"a":1},"multi":true,"arrayFilters":[{"a":1}]}`}},
		{"delete of one", &DeleteOne{Collection: "c", Filter: filter}, []string{`{"q":{"a":1},"limit":1}`}},
		{"delete of many", &DeleteMany{Collection: "c", Filter: filter}, []string{`{"q":{"a":1},"limit":0}`}},
		{"mixed updates", &BulkUpdate{Collection: "c", Models: []options.WriteModel{&options.UpdateManyModel{Filter: filter, Update: filter}, &options.ReplaceOneModel{Filter: bson.D{}, Replacement: filter, Hint: "h"}}},
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
	c := &BulkWrite{Models: []options.ClientWriteModel{
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
	old := &Env{WireVersion: 8}
	unacknowledged := &Env{WireVersion: 8, Unacknowledged: true}
	hint := &FindOneAndDelete{Collection: "c", Filter: filter, Options: &options.FindOneAndDelete{Hint: "h"}}
	if got := body(t, hint, old); got != `{"findAndModify":"c","query":{"a":1},"remove":true,"hint":"h"}` {
		t.Errorf("an acknowledged hint is the server's to refuse: %s", got)
	}
	for _, c := range []struct {
		name    string
		command Command
		env     *Env
		option  string
	}{
		{"unacknowledged hint", hint, unacknowledged, "hint"},
		{"commit quorum", &CreateIndexes{Collection: "c", Options: &options.CreateIndexes{CommitQuorum: 1}}, old, "commitQuorum"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.command.Append(nil, c.env)
			if e, ok := errors.AsType[*UnsupportedOptionError](err); !ok || e.Option != c.option || e.Since != "4.4" {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestWrongModel(t *testing.T) {
	c := &BulkDelete{Models: []options.WriteModel{&options.InsertOneModel{}}}
	if _, err := c.AppendItem(nil, 0, current); err == nil {
		t.Error("an insert went into a delete command")
	}
}

func TestMetaOfAggregate(t *testing.T) {
	if m := (&Aggregate{}).Meta(); m.Access != Read || m.Retry != RetryRead || m.WriteConcern {
		t.Errorf("a read: %+v", m)
	}
	if m := (&Aggregate{Writes: true}).Meta(); m.Access != Write || m.Retry != RetryNone || !m.WriteConcern {
		t.Errorf("a write: %+v", m)
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 1024)
	find := &FindOne{Collection: "c", Filter: filter, Options: &options.FindOne{Hint: "h", Comment: "x", Skip: new(int64(1))}}
	insert := &InsertOne{Collection: "c", Document: filter}
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
