package exec

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/runtime/fault"
)

// What one try learns about its server does not hold for the next try's server.
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
		s.answerWith(breaks) // so that the server is asked again
		s.run(find())
		s.questions()
		s.answerWith(answer{breaks: true, with: func() { set(true) }})
		if _, err := s.x.Run(s.Context(), insert(s)); !fault.IsNetworkError(err) {
			s.Errorf("%v", err)
		}
		s.wantAsked("insert")
	})
}

// A router that is Unknown at the moment is a router all the same: it has retried a failed write concern itself.
func TestARouterThatIsUnknown(t *testing.T) {
	play(t, "router", 1, func(s *scene) { s.wire = 8 }, func(s *scene) {
		c := s.beginTransaction(operation.ExplicitSession)
		s.commits(c)
		s.setHelloTakes(time.Minute)
		s.x.RetryReads = false
		s.answerWith(fails(10107))
		if _, err := s.x.Run(s.Context(), find()); err == nil || c.PinnedServer().Description().Type.IsAvailable() {
			s.Fatalf("%v, and the router is %v", err, c.PinnedServer().Description().Type)
		}
		s.questions()
		s.answerWith(ok("writeConcernError", bson.Doc("code", 91, "errmsg", "x")))
		_, err := s.x.Run(s.Context(), &Operation{DB: "admin", Command: &command.CommitTransaction{}, Session: c})
		if fault.HasErrorLabel(err, fault.LabelRetryableWriteError) || !fault.HasErrorLabel(err, fault.LabelUnknownTransactionCommitResult) {
			s.Errorf("%v", err)
		}
		s.wantAsked("commitTransaction")
		s.setHelloTakes(0)
	})
}
