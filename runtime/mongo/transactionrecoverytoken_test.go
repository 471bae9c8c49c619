package mongo_test

import (
	"context"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A router that recovers the commit of another one answers with an empty recovery token: it knows nothing of the transaction.
// The next router needs the token that the transaction has got. With the empty one it says that the transaction can be repeated,
// and WithTransaction would do again what is committed.
func TestRecoveredCommitKeepsTheRecoveryToken(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		var events recorder
		client := s.connect("localThresholdMS=1000", &options.Client{CommandMonitor: events.monitor()})
		defer client.Close(context.Background())
		time.Sleep(time.Second) // all routers are known
		c := client.Database("test").Collection("test")
		if err := client.Database("test").CreateCollection(t.Context(), "test"); err != nil {
			t.Fatal(err)
		}
		// Two tries of each commit fail, so WithTransaction commits several times.
		fail(t, s.d, bson.Doc("times", 8), bson.Doc("failCommands", bson.A{"commitTransaction"},
			"writeConcernError", bson.Doc("code", errcode.ShutdownInProgress, "errmsg", "simulated")))
		runs := 0
		err := client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
			return session.WithTransaction(ctx, func(ctx context.Context) error {
				runs++
				_, err := c.InsertOne(ctx, bson.Doc("_id", 1))
				return err
			})
		})
		if err != nil || runs != 1 {
			t.Errorf("the function ran %d times: %v", runs, err)
		}
		routers := map[string]bool{}
		for i, e := range events.commands("commitTransaction") {
			routers[host(e.ConnectionID)] = true
			if token := e.Command.Lookup("recoveryToken", "recoveryShardId"); token.IsZero() {
				t.Errorf("commit %d has the recovery token %s", i, e.Command.Lookup("recoveryToken"))
			}
		}
		if len(routers) < 3 {
			t.Errorf("the commits went to %v, want three routers", routers)
		}
	}, mongotest.Sharded(3))
}
