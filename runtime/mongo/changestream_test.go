package mongo_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// onStreamingShapes runs a test on the deployments that have an oplog.
func onStreamingShapes(t *testing.T, test func(t *testing.T, d *mongotest.Deployment, client *mongo.Client, r *recorder)) {
	for name, shape := range map[string]mongotest.Option{"replicaset": mongotest.ReplicaSet(3), "sharded": mongotest.Sharded(1)} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t, shape, mongotest.Version("8.0"))
			client, r := connectRecorded(t, d)
			test(t, d, client, r)
		})
	}
}

func watchColl(t *testing.T, client *mongo.Client, opts ...*options.ChangeStream) (*mongo.ChangeStream, *mongo.Collection) {
	t.Helper()
	coll := client.Database("db").Collection("coll")
	stream, err := coll.Watch(t.Context(), mongo.Pipeline{}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stream.Close(context.Background()) })
	return stream, coll
}

func insertIDs(t *testing.T, coll *mongo.Collection, ids ...int) {
	t.Helper()
	for _, id := range ids {
		if _, err := coll.InsertOne(t.Context(), bson.Doc("_id", id)); err != nil {
			t.Fatal(err)
		}
	}
}

// wantEvent reads the next event and checks which insert it reports.
func wantEvent(t *testing.T, stream *mongo.ChangeStream, id int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if !stream.Next(ctx) {
		t.Fatalf("no event: %v", stream.Err())
	}
	var event mongo.ChangeEvent
	if err := stream.Decode(&event); err != nil {
		t.Fatal(err)
	}
	if got, _ := event.DocumentKey.Lookup("_id").AsInt64OK(); event.OperationType != "insert" || int(got) != id {
		t.Fatalf("%s of %v, want the insert of %d", event.OperationType, event.DocumentKey, id)
	}
}

// stageOf returns the $changeStream stage of the i-th aggregate.
func stageOf(t *testing.T, r *recorder, i int) bson.Raw {
	t.Helper()
	sent := r.commands("aggregate")
	if i >= len(sent) {
		t.Fatalf("%d aggregates, want more than %d", len(sent), i)
	}
	stage, _ := sent[i].Command.Lookup("pipeline", "0", "$changeStream").DocumentOK()
	return stage
}

// Change Streams, "Prose Tests", 1.
func TestChangeStreamProse1TracksTheResumeToken(t *testing.T) {
	onStreamingShapes(t, func(t *testing.T, _ *mongotest.Deployment, client *mongo.Client, _ *recorder) {
		stream, coll := watchColl(t, client)
		insertIDs(t, coll, 1, 2, 3)
		seen := map[string]bool{}
		for id := 1; id <= 3; id++ {
			wantEvent(t, stream, id)
			seen[string(stream.ResumeToken())] = true
		}
		if len(seen) != 3 {
			t.Errorf("%d tokens for 3 events", len(seen))
		}
	})
}

// Change Streams, "Prose Tests", 2.
func TestChangeStreamProse2MissingResumeToken(t *testing.T) {
	onStreamingShapes(t, func(t *testing.T, _ *mongotest.Deployment, client *mongo.Client, _ *recorder) {
		coll := client.Database("db").Collection("coll")
		stream, err := coll.Watch(t.Context(), mongo.Pipeline{bson.Doc("$project", bson.Doc("_id", 0))})
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close(t.Context())
		insertIDs(t, coll, 1)
		if stream.Next(t.Context()) || stream.Err() == nil {
			t.Errorf("an event without a token: %v", stream.Current())
		}
	})
}

// Change Streams, "Prose Tests", 3: one resume, with the same pipeline and the same options except for the token.
func TestChangeStreamProse3ResumesOnce(t *testing.T) {
	onStreamingShapes(t, func(t *testing.T, d *mongotest.Deployment, client *mongo.Client, r *recorder) {
		stream, coll := watchColl(t, client, &options.ChangeStream{FullDocument: new("updateLookup"), BatchSize: new(int32(5))})
		insertIDs(t, coll, 1)
		wantEvent(t, stream, 1)
		token := stream.ResumeToken()
		fail(t, d, once, failCommandData("getMore", "errorCode", 234, "errorLabels", bson.A{"ResumableChangeStreamError"}))
		insertIDs(t, coll, 2)
		wantEvent(t, stream, 2)
		if n := len(r.commands("aggregate")); n != 2 {
			t.Fatalf("%d aggregates", n)
		}
		stage := stageOf(t, r, 1)
		if got, _ := stage.Lookup("resumeAfter").DocumentOK(); !bytes.Equal(got, token) {
			t.Errorf("resumed after %v, want %v", got, token)
		}
		if lookup, _ := stage.Lookup("fullDocument").StringOK(); lookup != "updateLookup" {
			t.Errorf("resumed with %v", stage)
		}
		if a, b := r.commands("aggregate")[0].Command, r.commands("aggregate")[1].Command; !a.Lookup("lsid").Equal(b.Lookup("lsid")) {
			t.Error("resumed in another session")
		}
	})
}

// Change Streams, "Prose Tests", 4.
func TestChangeStreamProse4AggregateIsNotResumed(t *testing.T) {
	onStreamingShapes(t, func(t *testing.T, d *mongotest.Deployment, client *mongo.Client, r *recorder) {
		fail(t, d, bson.Doc("times", 1), failCommandData("aggregate", "errorCode", 234, "errorLabels", bson.A{"ResumableChangeStreamError"}))
		if stream, err := client.Database("db").Collection("coll").Watch(t.Context(), mongo.Pipeline{}); err == nil {
			stream.Close(t.Context())
			t.Error("Watch succeeded")
		}
		if n := len(r.commands("aggregate")); n != 1 {
			t.Errorf("%d aggregates", n)
		}
	})
}

// Change Streams, "Prose Tests", 6: the resume goes where the read preference says, here to the new primary.
func TestChangeStreamProse6ResumeSelectsAServer(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version("8.0"))
	client, r := connectRecorded(t, d, &options.Client{HeartbeatFrequency: new(500 * time.Millisecond)})
	stream, coll := watchColl(t, client)
	insertIDs(t, coll, 1)
	wantEvent(t, stream, 1)
	d.Kill(d.Primary())
	insertIDs(t, coll, 2)
	wantEvent(t, stream, 2)
	sent := r.commands("aggregate")
	if len(sent) < 2 || sent[0].ConnectionID == sent[len(sent)-1].ConnectionID {
		t.Errorf("%d aggregates, the last one on %s", len(sent), sent[len(sent)-1].ConnectionID)
	}
}

// Change Streams, "Prose Tests", 7 and 11: an empty first batch leaves the cursor open and moves the token.
func TestChangeStreamProse7And11EmptyBatches(t *testing.T) {
	onStreamingShapes(t, func(t *testing.T, _ *mongotest.Deployment, client *mongo.Client, r *recorder) {
		stream, coll := watchColl(t, client, &options.ChangeStream{MaxAwaitTime: new(10 * time.Millisecond)})
		if stream.ID() == 0 || stream.ResumeToken() == nil {
			t.Fatalf("cursor %d, token %v", stream.ID(), stream.ResumeToken())
		}
		if stream.TryNext(t.Context()) || stream.Err() != nil || len(r.commands("killCursors")) != 0 {
			t.Fatalf("TryNext of nothing: %v", stream.Err())
		}
		first := stream.ResumeToken()
		insertIDs(t, client.Database("other").Collection("c"), 1)
		deadline := time.Now().Add(20 * time.Second)
		for bytes.Equal(first, stream.ResumeToken()) && time.Now().Before(deadline) {
			if stream.TryNext(t.Context()) || stream.Err() != nil {
				t.Fatalf("an event of another database, or %v", stream.Err())
			}
		}
		if bytes.Equal(first, stream.ResumeToken()) {
			t.Error("the token stands still while others write")
		}
		insertIDs(t, coll, 7)
		wantEvent(t, stream, 7)
		last := r.succeeded[len(r.succeeded)-1].Reply.Lookup("cursor", "postBatchResumeToken")
		if token, _ := last.DocumentOK(); !bytes.Equal(stream.ResumeToken(), token) {
			t.Errorf("token %v, the server's is %v", stream.ResumeToken(), token)
		}
	})
}

// Change Streams, "Prose Tests", 8.
func TestChangeStreamProse8ErrorsOfKillCursorsAreSuppressed(t *testing.T) {
	onStreamingShapes(t, func(t *testing.T, d *mongotest.Deployment, client *mongo.Client, r *recorder) {
		stream, coll := watchColl(t, client)
		fail(t, d, bson.Doc("times", 2), bson.Doc("failCommands", bson.A{"getMore", "killCursors"}, "errorCode", 234,
			"errorLabels", bson.A{"ResumableChangeStreamError"}))
		insertIDs(t, coll, 1)
		wantEvent(t, stream, 1)
		if len(r.commands("killCursors")) == 0 {
			t.Error("no killCursors")
		}
	})
}

// Change Streams, "Prose Tests", 13: within a batch the token is the _id of the last event.
func TestChangeStreamProse13TokenWithinABatch(t *testing.T) {
	onStreamingShapes(t, func(t *testing.T, _ *mongotest.Deployment, client *mongo.Client, _ *recorder) {
		first, coll := watchColl(t, client)
		insertIDs(t, coll, 1, 2, 3)
		wantEvent(t, first, 1)
		stream, _ := watchColl(t, client, &options.ChangeStream{ResumeAfter: first.ResumeToken()})
		wantEvent(t, stream, 2)
		if stream.RemainingBatchLength() == 0 {
			return // the server sent the events one by one
		}
		if id, _ := stream.Current().Lookup("_id").DocumentOK(); !bytes.Equal(stream.ResumeToken(), id) {
			t.Errorf("token %v of event %v", stream.ResumeToken(), id)
		}
	})
}

// Change Streams, "Prose Tests", 14: before the first event the token is the given one.
func TestChangeStreamProse14TokenBeforeTheFirstEvent(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version("8.0"))
	client := connect(t, d)
	first, coll := watchColl(t, client)
	insertIDs(t, coll, 1, 2, 3)
	wantEvent(t, first, 1)
	token := first.ResumeToken()
	for name, o := range map[string]*options.ChangeStream{
		"startAfter": {StartAfter: token}, "resumeAfter": {ResumeAfter: token},
	} {
		stream, _ := watchColl(t, client, o)
		if stream.RemainingBatchLength() > 0 && !bytes.Equal(stream.ResumeToken(), token) {
			t.Errorf("%s: token %v, want %v", name, stream.ResumeToken(), token)
		}
		wantEvent(t, stream, 2)
	}
}

// Change Streams, "Prose Tests", 17 and 18.
func TestChangeStreamProse17And18StartAfter(t *testing.T) {
	tests := []struct {
		name        string
		eventsFirst bool
		field, not  string
	}{
		{"17, nothing was returned", false, "startAfter", "resumeAfter"},
		{"18, an event was returned", true, "resumeAfter", "startAfter"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version("8.0"))
			client, r := connectRecorded(t, d)
			first, coll := watchColl(t, client)
			insertIDs(t, coll, 1)
			wantEvent(t, first, 1)
			stream, _ := watchColl(t, client, &options.ChangeStream{StartAfter: first.ResumeToken()})
			if tt.eventsFirst {
				insertIDs(t, coll, 2)
				wantEvent(t, stream, 2)
			}
			fail(t, d, once, failCommandData("getMore", "errorCode", 234, "errorLabels", bson.A{"ResumableChangeStreamError"}))
			insertIDs(t, coll, 3)
			wantEvent(t, stream, 3)
			stage := stageOf(t, r, 2)
			if stage.Lookup(tt.field).IsZero() || !stage.Lookup(tt.not).IsZero() {
				t.Errorf("resumed with %v", stage)
			}
		})
	}
}

// Change Streams, "Prose Tests", 19: large events arrive in fragments, or whole if the program wants that.
func TestChangeStreamProse19LargeEvents(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"), mongotest.NoCommands())
	client := connect(t, d)
	db := client.Database("db")
	images := &options.CreateCollection{ChangeStreamPreAndPostImages: bson.Doc("enabled", true)}
	if err := db.CreateCollection(t.Context(), "large", images); err != nil {
		t.Fatal(err)
	}
	coll := db.Collection("large")
	if _, err := coll.InsertOne(t.Context(), bson.Doc("_id", 1, "value", strings.Repeat("q", 10<<20))); err != nil {
		t.Fatal(err)
	}
	required := options.ChangeStream{FullDocumentBeforeChange: new("required")}
	split, err := coll.Watch(t.Context(), mongo.Pipeline{bson.Doc("$changeStreamSplitLargeEvent", bson.D{})}, &required)
	if err != nil {
		t.Fatal(err)
	}
	defer split.Close(t.Context())
	merging := required
	merging.MergeSplitEvents = new(true)
	merged, err := coll.Watch(t.Context(), mongo.Pipeline{}, &merging)
	if err != nil {
		t.Fatal(err)
	}
	defer merged.Close(t.Context())
	if _, err := coll.UpdateOne(t.Context(), bson.D{}, bson.Doc("$set", bson.Doc("value", strings.Repeat("z", 10<<20)))); err != nil {
		t.Fatal(err)
	}
	for fragment := int64(1); fragment <= 2; fragment++ {
		if !split.Next(t.Context()) {
			t.Fatal(split.Err())
		}
		n, _ := split.Current().Lookup("splitEvent", "fragment").AsInt64OK()
		of, _ := split.Current().Lookup("splitEvent", "of").AsInt64OK()
		if n != fragment || of != 2 {
			t.Errorf("fragment %d of %d, want %d of 2", n, of, fragment)
		}
	}
	if !merged.Next(t.Context()) {
		t.Fatal(merged.Err())
	}
	event := merged.Current()
	if err := event.Validate(); err != nil {
		t.Fatal(err)
	}
	before, _ := event.Lookup("fullDocumentBeforeChange", "value").StringOK()
	after, _ := event.Lookup("updateDescription", "updatedFields", "value").StringOK()
	if len(before) != 10<<20 || len(after) != 10<<20 || !event.Lookup("splitEvent").IsZero() {
		t.Errorf("the whole event has %d and %d bytes", len(before), len(after))
	}
	if !bytes.Equal(merged.ResumeToken(), split.ResumeToken()) {
		t.Error("the token of the whole event is not that of its last fragment")
	}
}

func TestChangeStreamOfDatabaseAndDeployment(t *testing.T) {
	onStreamingShapes(t, func(t *testing.T, _ *mongotest.Deployment, client *mongo.Client, _ *recorder) {
		ofDB, err := client.Database("db").Watch(t.Context(), mongo.Pipeline{})
		if err != nil {
			t.Fatal(err)
		}
		defer ofDB.Close(t.Context())
		ofAll, err := client.Watch(t.Context(), mongo.Pipeline{bson.Doc("$match", bson.Doc("operationType", "insert"))})
		if err != nil {
			t.Fatal(err)
		}
		defer ofAll.Close(t.Context())
		insertIDs(t, client.Database("other").Collection("x"), 1)
		insertIDs(t, client.Database("db").Collection("y"), 2)
		wantEvent(t, ofAll, 1)
		wantEvent(t, ofAll, 2)
		wantEvent(t, ofDB, 2)
	})
}
