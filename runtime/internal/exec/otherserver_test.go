package exec

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/fault"
)

// A retry forgets what an earlier try learned about its server.
func TestARetryMeetsAServerWithoutSessions(t *testing.T) {
	play(t, "member", 1, nil, func(s *scene) {
		set := func(sessionless bool) {
			s.mu.Lock()
			s.sessionless = sessionless
			s.mu.Unlock()
		}
		s.answerWith(answer{breaks: true, with: func() { set(true) }})
		s.run(find())
		asked := s.wantAsked("find", "find")
		if asked[0].command.Lookup("lsid").IsZero() || !asked[1].command.Lookup("lsid").IsZero() {
			s.Errorf("%v, then %v", asked[0].command, asked[1].command)
		}
		set(false)
		s.answerWith(breakConnection) // forces a retry
		s.run(find())
		s.takeQuestions()
		s.answerWith(answer{breaks: true, with: func() { set(true) }})
		if _, err := s.x.Run(s.Context(), insert(s)); !fault.IsNetworkError(err) {
			s.Errorf("%v", err)
		}
		s.wantAsked("insert")
	})
}

// A router that is Unknown at the moment still counts as a router, which retries a failed write concern itself.
func TestARouterThatIsUnknown(t *testing.T) {
	play(t, "router", 1, func(s *scene) { s.wire = 8 }, func(s *scene) {
		c := s.beginTransaction(operation.ExplicitSession)
		s.startCommit(c)
		s.setHelloTakes(time.Minute)
		s.x.RetryReads = false
		s.answerWith(failWith(10107))
		if _, err := s.x.Run(s.Context(), find()); err == nil || c.PinnedServer().Description().Type.IsAvailable() {
			s.Fatalf("%v, and the router is %v", err, c.PinnedServer().Description().Type)
		}
		s.takeQuestions()
		s.answerWith(ok("writeConcernError", bson.Doc("code", 91, "errmsg", "x")))
		_, err := s.x.Run(s.Context(), &Operation{DB: "admin", Command: &command.CommitTransaction{}, Session: c})
		if fault.HasErrorLabel(err, fault.LabelRetryableWriteError) || !fault.HasErrorLabel(err, fault.LabelUnknownTransactionCommitResult) {
			s.Errorf("%v", err)
		}
		s.wantAsked("commitTransaction")
		s.setHelloTakes(0)
	})
}

// A server that is too old to write the result of an aggregation as a secondary sends such aggregations to the primary.
//
// CRUD, "Read Preferences and Server Selection" of $out and $merge.
func TestWhoMakesAggregationsWriteOnThePrimary(t *testing.T) {
	const old, recent = int32(wire.OutOnSecondary) - 1, int32(wire.OutOnSecondary)
	for _, tt := range []struct {
		kind     description.ServerType
		version  int32
		balanced bool
		want     bool
	}{
		{description.RSSecondary, old, false, true}, {description.RSSecondary, recent, false, false},
		{description.RSPrimary, old, false, true}, {description.Mongos, old, false, true}, {description.Standalone, old, false, true},
		{description.RSArbiter, old, false, false}, {description.ServerUnknown, 0, false, false}, {description.LoadBalancer, 0, true, false},
	} {
		d := &description.Topology{Type: description.Sharded, Servers: []description.Server{{Type: tt.kind, MaxWireVersion: tt.version}}}
		if tt.balanced {
			d.Type = description.LoadBalanced
		}
		if got := writesOnPrimaryOnly(d); got != tt.want {
			t.Errorf("%v of version %d: %t", tt.kind, tt.version, got)
		}
	}
}
