package mongotest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A step-down ends operations on the primary as a server does: it interrupts a write that has not taken effect, fails
// the wait of a write that waits for other members, and lets reads go on.
func TestStepDownEndsWritesInFlight(t *testing.T) {
	t.Parallel() // it mostly waits
	endless := endlessCommands()
	for _, test := range []struct {
		name    string
		prepare func(t *testing.T, d *mongotest.Deployment, c *rawConn)
		command bson.D
		want    errcode.Code
		concern int64 // the code of the write concern error
		goesOn  bool  // until it is killed
	}{
		{name: "an update that runs", command: endless["update"], want: errcode.InterruptedDueToReplStateChange},
		{name: "a delete that runs", command: endless["delete"], want: errcode.InterruptedDueToReplStateChange},
		{name: "a bulkWrite that runs", want: errcode.InterruptedDueToReplStateChange, command: bson.Doc("bulkWrite", 1,
			"ops", bson.A{bson.Doc("delete", 0, "filter", endless["find"][1].Value, "multi", true)},
			"nsInfo", bson.A{bson.Doc("ns", "db.heavy")}, "$db", "admin")},
		{name: "a write that waits for a transaction", want: errcode.InterruptedDueToReplStateChange,
			prepare: func(t *testing.T, d *mongotest.Deployment, _ *rawConn) {
				c := connectRaw(t, d, 0)
				c.runInDB(insertA)
				checkRefused(t, c.runInTransaction(begin(`{update:'c',updates:[{q:{_id:'a'},u:{$set:{x:1}}}]}`, 1)), 0)
			}, command: bson.Doc("update", "c", "updates", bson.A{bson.Doc("q", bson.Doc("_id", "a"), "u", bson.Doc("$set", bson.Doc("x", 2)))})},
		{name: "a write that waits for the other members", prepare: func(_ *testing.T, d *mongotest.Deployment, _ *rawConn) {
			d.Lag(1, 9)
			d.Lag(2, 9)
		}, command: bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", 1)}), concern: int64(errcode.PrimarySteppedDown)},
		{name: "a read", command: endless["count"], goesOn: true, want: errcode.Interrupted},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(3))
			c := connectRaw(t, d, 0)
			insertHeavy(t, c)
			if test.prepare != nil {
				test.prepare(t, d, c)
			}
			command := append(test.command[:len(test.command):len(test.command)], bson.E{Key: "comment", Value: "in flight"})
			if command[len(command)-2].Key != "$db" {
				command = append(command, bson.E{Key: "$db", Value: "db"})
			}
			c.send(0, command)
			var opid bson.RawValue
			switch other := connectRaw(t, d, 0); {
			case test.want == errcode.InterruptedDueToReplStateChange:
				awaitRunning(t, other, "in flight", "locks.Global", "w")
			case test.concern != 0:
				for !strings.Contains(other.runInDB(`{find:'c'}`).Lookup("cursor", "firstBatch").String(), "_id") {
				}
			default:
				opid = awaitRunning(t, other, "in flight").Lookup("opid")
			}
			began := time.Now()
			d.StepDown()
			if test.goesOn {
				connectRaw(t, d, 0).runAdmin("killOp", 1, "op", opid)
			}
			reply := c.receive().body
			if code := codeOf(reply); code != test.want || time.Since(began) > 5*time.Second {
				t.Errorf("after %v: %v", time.Since(began), reply)
			}
			if code, _ := reply.Lookup("writeConcernError", "code").AsInt64OK(); code != test.concern {
				t.Errorf("%v", reply)
			}
		})
	}
}

// Lag undoes nothing: when all members lag, a majority still has the writes that it had before.
func TestLagKeepsWhatAMajorityHas(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	c := connectRaw(t, d, 0)
	for _, doc := range []string{`{_id:1}`, `{_id:2}`} {
		c.runInDB(`{insert:'c',documents:[` + doc + `]}`)
	}
	for i := range 3 {
		d.Lag(i, 1000)
	}
	c.runInDB(`{insert:'c',documents:[{_id:3}],writeConcern:{w:1}}`)
	for i := range 3 {
		reply := connectRaw(t, d, i).runInDB(`{find:'c',readConcern:{level:'majority'},$readPreference:{mode:'nearest'}}`)
		checkSame(t, "what a majority has", reply.Lookup("cursor", "firstBatch"), `[{_id:1},{_id:2}]`)
	}
	d.StepDown()
	awaitOtherPrimary(t, d, 0)
	reply := connectRaw(t, d, 0).runInDB(`{find:'c',$readPreference:{mode:'nearest'}}`)
	checkSame(t, "what the former primary has", reply.Lookup("cursor", "firstBatch"), `[{_id:1},{_id:2},{_id:3}]`)
}

// A lagging member catches up at its rate while clients write.
func TestLaggingMemberCatchesUp(t *testing.T) {
	runInBubble(t, func(t *testing.T, d *mongotest.Deployment, client *mongo.Client) {
		alone := client.Database("db").Collection("c", &options.Collection{WriteConcern: &options.WriteConcern{W: 1}})
		there := client.Database("db").Collection("c", &options.Collection{ReadPreference: &options.ReadPreference{Mode: options.Secondary}})
		insert := func() {
			if _, err := alone.InsertOne(t.Context(), bson.Doc("x", 1)); err != nil {
				t.Fatal(err)
			}
		}
		d.Lag(1, 1<<30)
		for range 100 {
			insert()
		}
		d.CatchUp(1, 10)
		began := time.Now()
		for _, step := range []struct {
			after     time.Duration
			low, high int64
		}{{0, 0, 0}, {5 * time.Second, 49, 51}, {9 * time.Second, 89, 91}, {11 * time.Second, 101, 101}} {
			time.Sleep(step.after - time.Since(began))
			if step.after == 5*time.Second {
				insert()
			}
			if n, err := there.CountDocuments(t.Context(), bson.D{}); n < step.low || n > step.high || err != nil {
				t.Errorf("after %v the member has %d documents, %v", step.after, n, err)
			}
		}
		insert()
		if n, err := there.CountDocuments(t.Context(), bson.D{}); n != 102 || err != nil {
			t.Errorf("the member does not follow: %d documents, %v", n, err)
		}
	}, mongotest.ReplicaSet(2))
}

// A member that starts without data becomes a secondary only when it has copied everything.
func TestInitialSync(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	c := connectRaw(t, d, 0)
	c.runInDB(insertA)
	if err := d.InitialSync(2, time.Hour); err == nil {
		t.Error("a node that runs has synced")
	}
	d.Kill(2)
	if err := d.InitialSync(2, time.Hour); err != nil {
		t.Fatal(err)
	}
	member := connectRaw(t, d, 2)
	hello := member.runAdmin("hello", 1)
	checkSame(t, "secondary", hello.Lookup("secondary"), "false")
	checkSame(t, "isWritablePrimary", hello.Lookup("isWritablePrimary"), "false")
	checkSame(t, "state", c.runAdmin("replSetGetStatus", 1).Lookup("members", "2", "stateStr"), `'STARTUP2'`)
	checkRefused(t, member.runInDB(`{find:'c',$readPreference:{mode:'nearest'}}`), errcode.NotPrimaryOrSecondary)
	reply := c.runInDB(`{insert:'c',documents:[{_id:'b'}],writeConcern:{w:3,wtimeout:5}}`)
	checkSame(t, "write concern", reply.Lookup("writeConcernError", "code"), "64")
	checkSame(t, "majority", c.runInDB(`{count:'c',readConcern:{level:'majority'}}`).Lookup("n"), "2")

	d.Kill(2)
	if err := d.InitialSync(2, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	checkRefused(t, c.runInDB(`{insert:'c',documents:[{_id:'c'}],writeConcern:{w:3}}`), 0)
	checkSame(t, "what was copied", connectRaw(t, d, 2).runInDB(`{count:'c',$readPreference:{mode:'nearest'}}`).Lookup("n"), "3")
	checkSame(t, "state", c.runAdmin("replSetGetStatus", 1).Lookup("members", "2", "stateStr"), `'SECONDARY'`)
}
