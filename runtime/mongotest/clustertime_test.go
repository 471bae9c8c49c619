package mongotest_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongotest"
)

// A replica set takes over a logical time that it hears of, unless it is too far ahead, and writes come later than it.
func TestClusterTimeAdvancesWithRequests(t *testing.T) {
	now := uint32(time.Now().Unix())
	for _, test := range []struct {
		name  string
		ahead uint32
		taken bool
	}{
		{"an hour ahead", 3600, true},
		{"in the past", ^uint32(0) - 3599, false},
		{"two years ahead", 2 * 365 * 24 * 3600, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1))).Database("db")
			said := bson.Timestamp{T: now + test.ahead, I: 7}
			clock := bson.Doc("clusterTime", said, "signature", bson.Doc("hash", bson.Binary{Data: make([]byte, 20)}, "keyId", int64(0)))
			reply, err := db.RunCommand(t.Context(), bson.Doc("ping", 1, "$clusterTime", clock)).Raw()
			if err != nil {
				t.Fatal(err)
			}
			if sec, inc, _ := reply.Lookup("$clusterTime", "clusterTime").TimestampOK(); (sec == said.T && inc == said.I) != test.taken {
				t.Errorf("the reply's time is %d, %d; said was %v", sec, inc, said)
			}
			if sec, _, _ := reply.Lookup("operationTime").TimestampOK(); sec == said.T {
				t.Errorf("the last operation has the time of a gossip")
			}
			reply, err = db.RunCommand(t.Context(), bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1)})).Raw()
			if err != nil {
				t.Fatal(err)
			}
			sec, inc, _ := reply.Lookup("operationTime").TimestampOK()
			if (bson.Timestamp{T: sec, I: inc}).After(said) != (test.taken || said.T < now) {
				t.Errorf("a write at %d, %d; said was %v", sec, inc, said)
			}
		})
	}
}

func TestKillOpNeedsAnOperation(t *testing.T) {
	for option, want := range map[string]struct {
		option mongotest.Option
		code   errcode.Code
	}{
		"mongod": {mongotest.Standalone(), errcode.NoSuchKey},
		"mongos": {mongotest.Sharded(1), errcode.Location50759},
	} {
		t.Run(option, func(t *testing.T) {
			admin := connect(t, mongotest.Start(t, want.option)).Database("admin")
			if err := admin.RunCommand(t.Context(), bson.Doc("killOp", 1)).Err(); !fault.HasCode(err, want.code) {
				t.Errorf("without op: %v", err)
			}
			if err := admin.RunCommand(t.Context(), bson.Doc("killOp", 1, "op", 5)).Err(); err != nil {
				t.Errorf("with op: %v", err)
			}
		})
	}
}
