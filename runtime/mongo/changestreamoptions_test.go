package mongo_test

import (
	"bytes"
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
