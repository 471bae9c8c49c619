package mongo_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// What a program asks of a change stream goes out as it is, for the server to judge: unknown values, stages that a
// change stream cannot have, points to start from that contradict each other, a deployment without an oplog.
//
// Change Streams, "Helper Method", "Single Server Topologies", "startAtOperationTime".
func TestWatchJudgesNothing(t *testing.T) {
	d := mongotest.Start(t, mongotest.Standalone())
	client, r := connectRecorded(t, d)
	answerEach(d, "aggregate", openedWith(t, "firstBatch", bson.A{}))
	for _, concern := range []string{"majority", "local"} {
		c := client.Database("db").Collection("coll", &options.Collection{ReadConcern: &options.ReadConcern{Level: concern}})
		own := mongo.Pipeline{
			bson.Doc("$changeStream", bson.D{}), bson.Doc("$out", "other"), bson.Doc("$project", bson.Doc("_id", int32(0))),
		}
		stream, err := c.Watch(t.Context(), own, &options.ChangeStream{
			FullDocument: new("tomorrow"), FullDocumentBeforeChange: new("yesterday"),
			ResumeAfter: mustMarshal(t, tokenOf("r")), StartAfter: mustMarshal(t, tokenOf("s")), StartAtOperationTime: &bson.Timestamp{T: 3},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close(t.Context())
		sent := r.commands("aggregate")
		last := sent[len(sent)-1].Command
		if level, _ := last.Lookup("readConcern", "level").StringOK(); level != concern {
			t.Errorf("the concern is %q, want %q", level, concern)
		}
		got, _ := last.Lookup("pipeline").ArrayOK()
		want := mustMarshal(t, bson.Doc("pipeline", append(bson.A{bson.Doc("$changeStream", bson.Doc(
			"fullDocument", "tomorrow", "fullDocumentBeforeChange", "yesterday",
			"resumeAfter", tokenOf("r"), "startAfter", tokenOf("s"), "startAtOperationTime", bson.Timestamp{T: 3},
		))}, own[0], own[1], own[2])))
		if stages, _ := want.Lookup("pipeline").ArrayOK(); string(got) != string(stages) {
			t.Errorf("sent %v", last)
		}
	}
}

// The cursor that a resumption replaces is killed where it is, and nowhere else. Change Streams, "Resume Process".
func TestAReplacedCursorIsKilledOnItsServer(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client, r := s.connectRecorded(&options.Client{ReadPreference: mongo.Secondary()})
		for range 8 {
			stream, err := client.Database("db").Collection("coll").Watch(t.Context(), mongo.Pipeline{})
			if err != nil {
				t.Fatal(err)
			}
			labels := bson.A{"ResumableChangeStreamError"}
			refused := encodeReply(t, "ok", 0, "code", errcode.HostUnreachable, "errmsg", "told to", "errorLabels", labels)
			s.d.Control("getMore", func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: refused} })
			before := len(r.commands("killCursors"))
			if stream.TryNext(t.Context()) || stream.Err() != nil {
				t.Fatal(stream.Err())
			}
			kills, opened := r.commands("killCursors")[before:], r.commands("aggregate")
			if len(kills) != 1 || len(opened) < 2 {
				t.Fatalf("%d killCursors, %d aggregates", len(kills), len(opened))
			}
			if from, at := host(opened[len(opened)-2].ConnectionID), host(kills[0].ConnectionID); from != at {
				t.Errorf("the cursor of %s was killed on %s", from, at)
			}
			stream.Close(t.Context())
		}
	}, mongotest.ReplicaSet(5))
}
