package mongo_test

import (
	"context"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// endSessions goes to the primary; without one, to a secondary. Sessions, "endSessions".
func TestEndSessionsPrefersThePrimary(t *testing.T) {
	const members = 5
	for _, tt := range []struct {
		name    string
		primary bool
	}{{"with a primary", true}, {"without a primary", false}} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				primary := s.d.Primary()
				client, r := s.connectRecorded()
				secondary := client.Database("shop").Collection("things", &options.Collection{ReadPreference: mongo.Secondary()})
				if err := retriedRead.run(t.Context(), secondary); err != nil { // so that the pool has a session
					t.Fatal(err)
				}
				for i := 0; !tt.primary && i < 3; i++ { // leave no majority
					s.d.Kill((primary + i) % members)
				}
				time.Sleep(time.Minute) // until the client has noticed, and knows all members
				if err := client.Close(context.Background()); err != nil {
					t.Fatal(err)
				}
				ended := r.commands("endSessions")
				if len(ended) != 1 || ended[0].DatabaseName != "admin" || (host(ended[0].ConnectionID) == s.d.Hosts()[primary]) != tt.primary {
					t.Errorf("endSessions: %v", ended)
				}
				if len(r.failed) != 0 {
					t.Errorf("failed: %v", r.failed)
				}
			}, mongotest.ReplicaSet(members))
		})
	}
}

// Several commands end more sessions than one command may name. Sessions, "endSessions".
func TestEndSessionsNamesTenThousandAtMost(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	if err := client.Ping(t.Context(), nil); err != nil { // Close sends endSessions only to a known server
		t.Fatal(err)
	}
	const all = 2*txn.EndSessionsBatch + 1
	sessions := make([]*mongo.Session, all)
	for i := range sessions {
		var err error
		if sessions[i], err = client.StartSession(); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range sessions {
		s.EndSession(t.Context())
	}
	if err := client.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for i, e := range r.commands("endSessions") {
		list, _ := e.Command.Lookup("endSessions").ArrayOK()
		n := 0
		for _, id := range list.All() {
			n++
			named[id.String()] = true
		}
		if want := []int{txn.EndSessionsBatch, txn.EndSessionsBatch, 1}; i >= len(want) || n != want[i] {
			t.Errorf("endSessions %d names %d sessions", i, n)
		}
	}
	if len(named) != all {
		t.Errorf("%d sessions were named, want %d", len(named), all)
	}
}

// Sessions, "endSessions": its errors do not matter.
func TestErrorsOfEndSessionsAreIgnored(t *testing.T) {
	for name, answer := range map[string]mongotest.Answer{
		"refused": {Reply: encodeReply(t, "ok", 0, "code", 13, "errmsg", "told to")}, "no reply": {Drop: true},
	} {
		d := mongotest.Start(t, mongotest.ReplicaSet(1))
		client, r := connectRecorded(t, d)
		if err := client.Ping(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		d.Control("endSessions", func(mongotest.Command) mongotest.Answer { return answer })
		if err := client.Close(context.Background()); err != nil || len(r.failed) != 1 {
			t.Errorf("%s: %v, %d commands failed", name, err, len(r.failed))
		}
	}
}
