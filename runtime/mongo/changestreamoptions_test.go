package mongo_test

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A stream reads its options whenever it resumes. What the program does with them after Watch changes nothing.
func TestAStreamKeepsTheOptionsOfWatch(t *testing.T) {
	for _, tt := range []struct {
		name  string
		make  func() (o *options.ChangeStream, change func())
		reads string
	}{
		{"resumeAfter", func() (*options.ChangeStream, func()) {
			token := mustMarshal(t, tokenOf("r"))
			return &options.ChangeStream{ResumeAfter: token}, func() { copy(token, mustMarshal(t, tokenOf("x"))) }
		}, "resumeAfter"},
		{"startAfter", func() (*options.ChangeStream, func()) {
			token := []byte(mustMarshal(t, tokenOf("r")))
			return &options.ChangeStream{StartAfter: token}, func() { copy(token, mustMarshal(t, tokenOf("x"))) }
		}, "startAfter"},
		{"startAtOperationTime", func() (*options.ChangeStream, func()) {
			at := bson.Timestamp{T: 3}
			return &options.ChangeStream{StartAtOperationTime: &at}, func() { at.T = 4 }
		}, "startAtOperationTime"},
		{"fullDocument", func() (*options.ChangeStream, func()) {
			full := "updateLookup"
			return &options.ChangeStream{FullDocument: &full}, func() { full = "required" }
		}, "fullDocument"},
		{"fullDocumentBeforeChange", func() (*options.ChangeStream, func()) {
			full := "off"
			return &options.ChangeStream{FullDocumentBeforeChange: &full}, func() { full = "required" }
		}, "fullDocumentBeforeChange"},
		{"showExpandedEvents", func() (*options.ChangeStream, func()) {
			shows := true
			return &options.ChangeStream{ShowExpandedEvents: &shows}, func() { shows = false }
		}, "showExpandedEvents"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			client, r := connectRecorded(t, d)
			opened := openedWith(t, "firstBatch", bson.A{})
			d.Intercept(mongotest.Named("aggregate"), 2, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: opened} })
			lost := mustMarshal(t, bson.Doc("ok", 0, "code", errcode.CursorNotFound, "errmsg", "told to"))
			d.Intercept(mongotest.Named("getMore"), 1, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: lost} })
			o, change := tt.make()
			stream, _ := watchColl(t, client, o)
			token := bytes.Clone(stream.ResumeToken())
			change()
			if stream.TryNext(t.Context()) || stream.Err() != nil {
				t.Fatal(stream.Err())
			}
			if was, is := stageOf(t, r, 0).Lookup(tt.reads), stageOf(t, r, 1).Lookup(tt.reads); was.IsZero() || !was.Equal(is) {
				t.Errorf("opened with %v, resumed with %v", was, is)
			}
			if is := stream.ResumeToken(); !bytes.Equal(is, token) {
				t.Errorf("the token was %v and is %v", token, is)
			}
		})
	}
}

// A cursor counts its time as it was when it was opened.
func TestACursorKeepsItsTimeout(t *testing.T) {
	timeout := time.Hour
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, _ := connectRecorded(t, d)
	stream, coll := watchColl(t, client, &options.ChangeStream{Timeout: &timeout})
	insertIDs(t, coll, 1, 2, 3)
	cursor, err := coll.Find(t.Context(), bson.D{}, &options.Find{
		BatchSize: new(int32(2)), Timeout: &timeout, TimeoutMode: new(options.Iteration),
	})
	if err != nil {
		t.Fatal(err)
	}
	timeout = time.Nanosecond
	wantEvent(t, stream, 1)
	if docs, err := mongo.All[bson.Raw](t.Context(), cursor); err != nil || len(docs) != 3 {
		t.Errorf("%d documents, %v", len(docs), err)
	}
}

// A stream that resumes asks as it did at first, in the same session and with the same read preference, and reads its new cursor as it
// read the old one. Only the place where it starts is another.
//
// Change Streams, "ChangeStream" and "Resume Process".
func TestAResumedStreamAsksAsBefore(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client, r := s.connectRecorded()
		insertIDs(t, client.Database("db").Collection("coll"), 1)
		time.Sleep(10 * time.Second) // until every member is known and has the document
		coll := client.Database("db").Collection("coll", &options.Collection{
			ReadPreference: &options.ReadPreference{Mode: options.Secondary}, ReadConcern: &options.ReadConcern{Level: options.ReadConcernMajority},
		})
		stream, err := coll.Watch(t.Context(), mongo.Pipeline{bson.Doc("$match", bson.D{})}, &options.ChangeStream{
			BatchSize: new(int32(7)), Collation: &options.Collation{Locale: "simple"}, Comment: "c", FullDocument: new("updateLookup"),
			MaxAwaitTime: new(10 * time.Millisecond), MergeSplitEvents: new(true), ShowExpandedEvents: new(true),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close(context.Background())
		askOnce := func() {
			t.Helper()
			if stream.TryNext(t.Context()) || stream.Err() != nil {
				t.Fatal(stream.Current(), stream.Err())
			}
		}
		askOnce()
		s.d.Control("getMore", func(mongotest.Command) mongotest.Answer {
			return mongotest.Answer{Reply: encodeReply(t, "ok", 0, "code", errcode.CursorNotFound, "errmsg", "told to")}
		})
		askOnce() // and resume
		askOnce()
		for _, tt := range []struct{ command, changes, has string }{
			{"aggregate", "pipeline", "$db $readPreference aggregate collation comment cursor lsid readConcern"},
			{"getMore", "getMore", "$db batchSize collection comment lsid maxTimeMS"},
		} {
			sent := r.commands(tt.command)
			first, last := fieldsOf(sent[0].Command, "$clusterTime", tt.changes), fieldsOf(sent[len(sent)-1].Command, "$clusterTime", tt.changes)
			if len(sent) < 2 || !maps.EqualFunc(first, last, bson.RawValue.Equal) {
				t.Errorf("%s: first %v, then %v", tt.command, first, last)
			}
			if has := strings.Join(slices.Sorted(maps.Keys(first)), " "); has != tt.has {
				t.Errorf("%s has the fields %s, want %s", tt.command, has, tt.has)
			}
		}
		first, last := fieldsOf(stageOf(t, r, 0)), fieldsOf(stageOf(t, r, 1), "resumeAfter")
		if len(first) != 2 || !maps.EqualFunc(first, last, bson.RawValue.Equal) {
			t.Errorf("the stage was %v, and is %v", first, last)
		}
		for _, e := range r.commands("aggregate") {
			pipeline, _ := e.Command.Lookup("pipeline").ArrayOK()
			if n := len(slices.Collect(maps.Keys(maps.Collect(pipeline.All())))); n != 3 {
				t.Errorf("%d stages: %v", n, pipeline)
			}
		}
	}, mongotest.ReplicaSet(3))
}

// fieldsOf are the fields of a document, without those that but names.
func fieldsOf(doc bson.Raw, but ...string) map[string]bson.RawValue {
	out := maps.Collect(doc.All())
	for _, name := range but {
		delete(out, name)
	}
	return out
}
