package mongo_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Change Streams, "Resumable Error": MaxTimeMSExpired is not one. Client Side Operations Timeout, "Change Streams":
// under timeoutMS the next call resumes.
func TestChangeStreamResumesAfterMaxTimeMSExpiredOnlyUnderATimeout(t *testing.T) {
	for _, tt := range []struct {
		name    string
		timeout *time.Duration
		resumes bool
	}{
		{"no timeoutMS", nil, false},
		{"timeoutMS", new(20 * time.Second), true},
		{"timeoutMS without a limit", new(time.Duration(0)), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0"))
			client, r := connectRecorded(t, d)
			stream, coll := watchColl(t, client, &options.ChangeStream{Timeout: tt.timeout})
			fail(t, d, bson.Doc("times", 1), failCommandData("getMore", "errorCode", int32(errcode.MaxTimeMSExpired)))
			if stream.TryNext(t.Context()) || !mongo.IsTimeout(stream.Err()) {
				t.Fatalf("err = %v", stream.Err())
			}
			insertIDs(t, coll, 1)
			want := 1
			if tt.resumes {
				want = 2
				wantEvent(t, stream, 1)
			} else if stream.Next(t.Context()) || !mongo.IsTimeout(stream.Err()) || stream.ID() != 0 {
				t.Errorf("the stream goes on: err = %v, ID %d", stream.Err(), stream.ID())
			}
			if n := len(r.commands("aggregate")); n != want {
				t.Errorf("%d aggregates, want %d", n, want)
			}
		})
	}
}

// The end of a context leaves a stream usable, and so does a timeout of the stream.
func TestChangeStreamSurvivesTheEndOfTime(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version("8.0"))
	client := connect(t, d)
	stream, coll := watchColl(t, client)
	ctx, cancel := context.WithTimeout(t.Context(), shortWait)
	defer cancel()
	if stream.Next(ctx) || !errors.Is(stream.Err(), context.DeadlineExceeded) {
		t.Fatalf("err = %v", stream.Err())
	}
	insertIDs(t, coll, 1)
	wantEvent(t, stream, 1)
	limited, _ := watchColl(t, client, &options.ChangeStream{Timeout: new(shortWait)})
	if limited.Next(t.Context()) || !mongo.IsTimeout(limited.Err()) {
		t.Fatalf("err = %v", limited.Err())
	}
	insertIDs(t, coll, 2)
	wantEvent(t, limited, 2)
}
