package mongo_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Command Logging and Monitoring, "Events API": a command lasts from its sending to its reply. The wait for a
// connection is no part of it, nor is a try before it.
func TestCommandsLastAsLongAsTheirExchange(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		const first, second = 300 * time.Millisecond, 200 * time.Millisecond
		client, r := s.connectRecorded(&options.Client{MaxPoolSize: new(1)})
		c := client.Database("db").Collection("c")
		s.block(once, time.Second, "", "count") // holds the only connection
		holding := make(chan error)
		go func() {
			_, err := c.EstimatedDocumentCount(t.Context())
			holding <- err
		}()
		time.Sleep(100 * time.Millisecond)
		s.fail(once, failCommandData("find", "blockConnection", true, "blockTimeMS", first.Milliseconds(), "errorCode", errcode.HostUnreachable))
		s.d.Intercept(mongotest.Named("find"), 1, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{} })
		s.d.Intercept(mongotest.Named("find"), 1, func(mongotest.Command) mongotest.Answer {
			time.Sleep(second)
			return mongotest.Answer{}
		})
		if err := ignoreNoDocuments(c.FindOne(t.Context(), bson.D{}).Err()); err != nil {
			t.Fatal(err)
		}
		if err := <-holding; err != nil {
			t.Fatal(err)
		}
		if len(r.failed) != 1 || r.failed[0].Duration != first {
			t.Errorf("the first try: %+v, want %v", r.failed, first)
		}
		// Retryable Reads, "4. Implementation constraints": the retry is another message.
		if finds := r.commands("find"); len(finds) != 2 || finds[0].RequestID == finds[1].RequestID {
			t.Errorf("the tries are %+v", finds)
		}
		if last := r.succeeded[len(r.succeeded)-1]; last.CommandName != "find" || last.Duration != second {
			t.Errorf("the retry: %s lasted %v, want %v", last.CommandName, last.Duration, second)
		}
	}, mongotest.ReplicaSet(1))
}

// Load Balancers, "Session Expiration": a session outlives logicalSessionTimeoutMinutes behind a load balancer alone.
func TestSessionsBehindALoadBalancerDoNotExpire(t *testing.T) {
	for name, tt := range map[string]struct {
		shape mongotest.Option
		kept  bool
	}{"load balanced": {mongotest.LoadBalanced(1), true}, "replica set": {mongotest.ReplicaSet(1), false}} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client, r := s.connectRecorded()
				for range 2 {
					if err := client.Ping(t.Context(), nil); err != nil {
						t.Fatal(err)
					}
					time.Sleep(2 * time.Hour)
				}
				pings := r.commands("ping")
				if kept := pings[0].Command.Lookup("lsid").Equal(pings[1].Command.Lookup("lsid")); kept != tt.kept {
					t.Errorf("the session was kept: %v", kept)
				}
			}, tt.shape)
		})
	}
}
