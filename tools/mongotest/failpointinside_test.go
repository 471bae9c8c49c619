package mongotest_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestFailGetMoreAfterCursorCheckout(t *testing.T) {
	for name, test := range map[string]struct {
		data any
		want errcode.Code
	}{
		"a code":    {bson.Doc("errorCode", int32(errcode.CursorKilled)), errcode.CursorKilled},
		"no code":   {bson.D{}, errcode.InternalError},
		"a network": {bson.Doc("errorCode", int32(errcode.HostUnreachable)), errcode.HostUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t), 0)
			checkRefused(t, c.run(bson.Doc("insert", "c", "documents", bson.A{bson.D{}, bson.D{}, bson.D{}}, "$db", "db")), 0)
			checkRefused(t, c.runAdmin("configureFailPoint", "failGetMoreAfterCursorCheckout", "mode", bson.Doc("times", 1), "data", test.data), 0)
			id, _ := c.run(bson.Doc("find", "c", "batchSize", 1, "$db", "db")).Lookup("cursor", "id").Int64OK()
			checkRefused(t, c.run(bson.Doc("getMore", id, "collection", "c", "$db", "db")), test.want)
		})
	}
}

// onPrimaryTransactionalWrite drops the connection after a retryable write, or before it if the fail point has an error
// code.
func TestOnPrimaryTransactionalWrite(t *testing.T) {
	for _, test := range []struct {
		name    string
		data    bson.D
		drops   bool
		want    errcode.Code
		written int64
	}{
		{"no data", bson.D{}, true, 0, 1},
		{"closeConnection", bson.Doc("closeConnection", true), true, 0, 1},
		{"not to close", bson.Doc("closeConnection", false), false, 0, 1},
		{"before the commit", bson.Doc("failBeforeCommitExceptionCode", 1), true, 0, 0},
		{"an error before the commit", bson.Doc("failBeforeCommitExceptionCode", 1, "closeConnection", false), false, errcode.InternalError, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			c := connectRaw(t, d, 0)
			checkRefused(t, c.runAdmin("configureFailPoint", "onPrimaryTransactionalWrite", "mode", bson.Doc("times", 1), "data", test.data), 0)
			insert := bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1)}, "lsid", bson.Doc("id", bson.NewUUID()), "txnNumber", int64(1), "$db", "db")
			if c.send(0, insert); test.drops {
				if !c.hangsUp() {
					t.Error("the connection is still open")
				}
			} else {
				checkRefused(t, c.receive().body, test.want)
			}
			count := func() int64 {
				n, _ := connectRaw(t, d, 0).run(bson.Doc("count", "c", "$db", "db")).Lookup("n").AsInt64OK()
				return n
			}
			if n := count(); n != test.written {
				t.Errorf("%d documents, want %d", n, test.written)
			}
			again := connectRaw(t, d, 0)
			if test.written == 1 { // the server does not repeat what it has done, so the fail point does not act
				checkRefused(t, again.runAdmin("configureFailPoint", "onPrimaryTransactionalWrite", "mode", bson.Doc("times", 1), "data", bson.D{}), 0)
			}
			checkRefused(t, again.run(insert), 0)
			if n := count(); n != 1 {
				t.Errorf("%d documents after the retry", n)
			}
		})
	}
}

// killOp can end an operation that a fail point blocks, and a hello that waits.
func TestKillOfWhatWaits(t *testing.T) {
	d := mongotest.Start(t)
	admin := connectRaw(t, d, 0)
	setFailCommand(admin, "alwaysOn", "failCommands", bson.A{"ping"}, "blockConnection", true, "blockTimeMS", 3600000)
	version, _ := topologyVersionOf(t, admin.runAdmin("hello", 1))
	for name, command := range map[string]bson.D{
		"ping":  bson.Doc("ping", 1, "$db", "admin"),
		"hello": bson.Doc("hello", 1, "topologyVersion", version, "maxAwaitTimeMS", 3600000, "$db", "admin"),
	} {
		t.Run(name, func(t *testing.T) {
			c := connectRaw(t, d, 0)
			c.send(0, command)
			var found struct {
				InProg []struct {
					OpID any `bson:"opid"`
				} `bson:"inprog"`
			}
			for deadline := time.Now().Add(patience); len(found.InProg) == 0; {
				if time.Now().After(deadline) {
					t.Fatal("currentOp does not list what waits")
				}
				if err := bson.Unmarshal(admin.runAdmin("currentOp", 1, "command."+name, 1), &found); err != nil {
					t.Fatal(err)
				}
			}
			checkRefused(t, admin.runAdmin("killOp", 1, "op", found.InProg[0].OpID), 0)
			checkRefused(t, c.receive().body, errcode.Interrupted)
		})
	}
}
