package mongotest_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A replica set adopts a logical time that it receives, and later writes have a later time.
func TestClusterTimeAdvancesWithRequests(t *testing.T) {
	now := uint32(time.Now().Unix())
	for _, test := range []struct {
		name  string
		ahead uint32
		taken bool
	}{
		{"an hour ahead", 3600, true},
		{"in the past", ^uint32(0) - 3599, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t, mongotest.ReplicaSet(1)), 0)
			said := bson.Timestamp{T: now + test.ahead, I: 7}
			reply := c.runAdmin("ping", 1, "$clusterTime", clusterTime(said))
			if sec, inc, _ := reply.Lookup("$clusterTime", "clusterTime").TimestampOK(); (sec == said.T && inc == said.I) != test.taken {
				t.Errorf("the reply's time is %d, %d; said was %v", sec, inc, said)
			}
			if sec, _, _ := reply.Lookup("operationTime").TimestampOK(); sec == said.T {
				t.Errorf("the last operation has the time of a gossip")
			}
			sec, inc, _ := c.run(insertOne(1)).Lookup("operationTime").TimestampOK()
			if !(bson.Timestamp{T: sec, I: inc}).After(said) {
				t.Errorf("a write at %d, %d; said was %v", sec, inc, said)
			}
		})
	}
}

func clusterTime(at any) bson.D {
	return bson.Doc("clusterTime", at, "signature", bson.Doc("hash", bson.Binary{Data: make([]byte, 20)}, "keyId", int64(0)))
}

// A server refuses a logical time that makes no sense. A standalone server ignores it.
func TestClusterTimeThatIsRefused(t *testing.T) {
	far := bson.Timestamp{T: uint32(time.Now().Unix()) + 2*365*24*3600}
	for _, test := range []struct {
		name  string
		value any
		want  errcode.Code
	}{
		{"two years ahead", clusterTime(far), errcode.ClusterTimeFailsRateLimiter},
		{"a date", clusterTime(time.Now()), errcode.TypeMismatch},
		{"no time", bson.D{}, errcode.NoSuchKey},
		{"no document", far, errcode.TypeMismatch},
	} {
		t.Run(test.name, func(t *testing.T) {
			for option, want := range map[string]errcode.Code{"set": test.want, "router": test.want, "alone": 0} {
				d := mongotest.Start(t, map[string]mongotest.Option{"set": mongotest.ReplicaSet(1), "router": mongotest.Sharded(1), "alone": mongotest.Standalone()}[option])
				reply := connectRaw(t, d, 0).runAdmin("ping", 1, "$clusterTime", test.value)
				checkRefused(t, reply, want)
				if sec, _, _ := reply.Lookup("$clusterTime", "clusterTime").TimestampOK(); sec == far.T {
					t.Errorf("%v", reply)
				}
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
			if err := admin.RunCommand(t.Context(), bson.Doc("killOp", 1)).Err(); !fault.HasErrorCode(err, want.code) {
				t.Errorf("without op: %v", err)
			}
			if err := admin.RunCommand(t.Context(), bson.Doc("killOp", 1, "op", 5)).Err(); err != nil {
				t.Errorf("with op: %v", err)
			}
		})
	}
}
