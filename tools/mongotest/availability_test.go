package mongotest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// view is what a member's hello says about its replica set.
type view struct {
	Primary           string
	IsWritablePrimary bool `bson:"isWritablePrimary"`
	Secondary         bool
	SetVersion        int32         `bson:"setVersion"`
	ElectionID        bson.ObjectID `bson:"electionId"`
	TopologyVersion   bson.Raw      `bson:"topologyVersion"`
}

func viewOf(t *testing.T, reply bson.Raw) view {
	t.Helper()
	var v view
	if err := bson.Unmarshal(reply, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// awaitView waits until the hello of a member satisfies wanted.
func (c *rawConn) awaitView(what string, wanted func(view) bool) view {
	c.t.Helper()
	t := c.t.(*testing.T)
	v := viewOf(t, c.runAdmin("hello", 1))
	for deadline := time.Now().Add(patience); !wanted(v); {
		if time.Now().After(deadline) {
			t.Fatalf("%s: still %+v", what, v)
		}
		v = viewOf(t, c.runAdmin("hello", 1, "topologyVersion", v.TopologyVersion, "maxAwaitTimeMS", 1000))
	}
	return v
}

func insertOne(id any, more ...any) bson.D {
	return append(bson.Doc("insert", "c", "documents", bson.A{bson.Doc("_id", id)}, "$db", "db"), bson.Doc(more...)...)
}

// When a primary is cut off, the majority elects another one at once. After the partition the old primary follows. It
// refuses the requests that arrived meanwhile and has lost the writes that only it had.
func TestPartitionedPrimary(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.LoseUnreplicatedWrites())
	old, other := connectRaw(t, d, 0), connectRaw(t, d, 1)
	checkRefused(t, old.run(insertOne("majority", "writeConcern", bson.Doc("w", "majority"))), 0)
	d.Lag(1, 1)
	d.Lag(2, 1)
	checkRefused(t, old.run(insertOne("alone", "writeConcern", bson.Doc("w", 1))), 0)
	before := viewOf(t, old.runAdmin("hello", 1))

	d.Partition(0, time.Hour)
	after := other.awaitView("an election", func(v view) bool { return v.Primary != "" && v.Primary != before.Primary })
	winner := connectRaw(t, d, slices.Index(d.Hosts(), after.Primary))
	elected := winner.awaitView("the winner", func(v view) bool { return v.IsWritablePrimary })
	if elected.ElectionID.Hex() <= before.ElectionID.Hex() || elected.SetVersion != before.SetVersion {
		t.Errorf("the new primary is %+v, the old one was %+v", elected, before)
	}
	checkRefused(t, winner.run(insertOne("after", "writeConcern", bson.Doc("w", 1))), 0) // a majority would have to wait for the old one

	// After the partition, the node answers the waiting request as a secondary.
	old.send(0, insertOne("during"))
	const length = 30 * time.Millisecond
	began := time.Now()
	d.Partition(0, length)
	checkRefused(t, old.receive().body, errcode.NotWritablePrimary)
	if took := time.Since(began); took < length {
		t.Errorf("the partition ended after %v", took)
	}
	v := viewOf(t, old.runAdmin("hello", 1))
	if !v.Secondary || v.IsWritablePrimary || v.Primary != after.Primary {
		t.Errorf("the old primary is %+v", v)
	}
	d.Lag(1, 0)
	d.Lag(2, 0)
	reply := old.run(bson.Doc("distinct", "c", "key", "_id", "$readPreference", bson.Doc("mode", "secondary"), "$db", "db"))
	values, _ := reply.Lookup("values").ArrayOK()
	var got []string
	for _, value := range values.All() {
		s, _ := value.StringOK()
		got = append(got, s)
	}
	if slices.Sort(got); !slices.Equal(got, []string{"after", "majority"}) {
		t.Errorf("the old primary has %v", got)
	}
}

// A member that is cut off sends nothing, not even on a new connection. It answers everything once it is back.
func TestPartitionHoldsEverything(t *testing.T) {
	d := mongotest.Start(t)
	c := connectRaw(t, d, 0)
	d.Partition(0, time.Hour)
	fresh := connectRaw(t, d, 0) // the port is open
	for _, conn := range []*rawConn{c, fresh} {
		conn.send(0, bson.Doc("ping", 1, "$db", "admin"))
		conn.nc.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		if b, err := conn.r.Peek(1); err == nil {
			t.Errorf("an answer: %v", b)
		}
	}
	d.Partition(0, time.Millisecond)
	for _, conn := range []*rawConn{c, fresh} {
		checkRefused(t, conn.receive().body, 0)
	}
}

// Without a majority there is no primary, however long that lasts.
func TestMinorityNeverElects(t *testing.T) {
	for _, test := range []struct {
		name string
		lose func(*mongotest.Deployment, int)
		back func(*mongotest.Deployment, int) error
	}{
		{"killed", (*mongotest.Deployment).Kill, (*mongotest.Deployment).Restart},
		{"cut off", func(d *mongotest.Deployment, i int) { d.Partition(i, time.Hour) },
			func(d *mongotest.Deployment, i int) error { d.Partition(i, time.Nanosecond); return nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(5), mongotest.ElectionDelay(2*time.Millisecond))
			c := connectRaw(t, d, 4)
			test.lose(d, 1)
			test.lose(d, 2)
			if d.Primary() != 0 {
				t.Errorf("the primary is %d with a majority", d.Primary())
			}
			test.lose(d, 3)
			v := c.awaitView("the loss", func(v view) bool { return v.Primary == "" })
			if d.Primary() != -1 {
				t.Errorf("the primary is %d", d.Primary())
			}
			// This time is long enough for twenty elections.
			later := viewOf(t, c.runAdmin("hello", 1, "topologyVersion", v.TopologyVersion, "maxAwaitTimeMS", 40))
			if later.Primary != "" || later.TopologyVersion.String() != v.TopologyVersion.String() {
				t.Errorf("%+v after %+v", later, v)
			}
			checkRefused(t, c.run(insertOne(1)), errcode.NotWritablePrimary)
			checkRefused(t, c.run(bson.Doc("count", "c", "$db", "db", "$readPreference", bson.Doc("mode", "nearest"))), 0)
			if err := test.back(d, 2); err != nil {
				t.Fatal(err)
			}
			c.awaitView("an election", func(v view) bool { return v.Primary != "" })
		})
	}
}

// Each election has its own term and electionId, and each configuration its own setVersion.
func TestElectionsAndConfigurationsGrow(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	var last bson.ObjectID
	term := func() int64 {
		n, _ := connectRaw(t, d, 0).runAdmin("replSetGetStatus", 1).Lookup("term").AsInt64OK()
		return n
	}
	before := term()
	for range 3 {
		v := viewOf(t, connectRaw(t, d, d.Primary()).runAdmin("hello", 1))
		if v.ElectionID.Hex() <= last.Hex() {
			t.Errorf("electionId %v after %v", v.ElectionID, last)
		}
		last = v.ElectionID
		d.StepDown()
		if now := term(); now != before+1 {
			t.Errorf("term %d after %d", now, before)
		}
		before = term()
	}
	members := []mongotest.Member{{Node: 0, Priority: 1}, {Node: 1, Priority: 1}, {Node: 2, Priority: 1}}
	for want := int32(2); want < 5; want++ {
		if err := d.Reconfigure(members...); err != nil {
			t.Fatal(err)
		}
		if v := viewOf(t, connectRaw(t, d, 0).runAdmin("hello", 1)); v.SetVersion != want {
			t.Errorf("setVersion %d, want %d", v.SetVersion, want)
		}
	}
	if now := term(); now != before {
		t.Errorf("term %d after a configuration, was %d", now, before)
	}
}

// A primary steps down if a new configuration removes it or makes it unelectable.
func TestReconfigureRemovesThePrimary(t *testing.T) {
	for _, test := range []struct {
		name    string
		members []mongotest.Member
	}{
		{"removed", []mongotest.Member{{Node: 1, Priority: 1}, {Node: 2, Priority: 1}}},
		{"passive", []mongotest.Member{{Node: 0}, {Node: 1, Priority: 1}, {Node: 2, Priority: 1}}},
		{"arbiter", []mongotest.Member{{Node: 0, Arbiter: true}, {Node: 1, Priority: 1}, {Node: 2, Priority: 1}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(3))
			old := connectRaw(t, d, 0)
			if err := d.Reconfigure(test.members...); err != nil {
				t.Fatal(err)
			}
			connectRaw(t, d, 1).awaitView("an election", func(v view) bool { return v.Primary != "" && v.Primary != d.Hosts()[0] })
			checkRefused(t, old.run(insertOne(1)), errcode.NotWritablePrimary)
			checkRefused(t, old.run(bson.Doc("count", "c", "$db", "db")), errcode.NotPrimaryNoSecondaryOk)
			want := errcode.NotPrimaryOrSecondary
			if test.name == "passive" {
				want = 0
			}
			checkRefused(t, old.run(bson.Doc("count", "c", "$db", "db", "$readPreference", bson.Doc("mode", "nearest"))), want)
		})
	}
}

func TestReconfigureThatIsRefused(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(2))
	for _, test := range []struct {
		name    string
		d       *mongotest.Deployment
		members []mongotest.Member
		want    string
	}{
		{"nobody", d, nil, "at least one member"},
		{"twice", d, []mongotest.Member{{Node: 0}, {Node: 0}}, "named twice"},
		{"unknown", d, []mongotest.Member{{Node: 2}}, "no node 2"},
		{"no replica set", mongotest.Start(t), []mongotest.Member{{Node: 0}}, "only a replica set"},
	} {
		if err := test.d.Reconfigure(test.members...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if v := viewOf(t, connectRaw(t, d, 0).runAdmin("hello", 1)); v.SetVersion != 1 {
		t.Errorf("%+v", v)
	}
}

// The member with the highest priority wins, in any order of members.
func TestPriorityDecides(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	if err := d.Reconfigure(mongotest.Member{Node: 0, Priority: 1}, mongotest.Member{Node: 1, Priority: 1}, mongotest.Member{Node: 2, Priority: 5}); err != nil {
		t.Fatal(err)
	}
	if d.StepDown(); d.Primary() != 2 {
		t.Errorf("the primary is %d", d.Primary())
	}
}

// The commands that change the primary agree with hello and replSetGetStatus.
func TestStepDownAndFreezeCommands(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(2), mongotest.ElectionDelay(time.Millisecond))
	first, second := connectRaw(t, d, 0), connectRaw(t, d, 1)
	checkRefused(t, second.runAdmin("replSetStepDown", 60), errcode.NotWritablePrimary)
	checkRefused(t, first.runAdmin("replSetFreeze", 60), errcode.NotSecondary)
	checkRefused(t, first.runAdmin("replSetStepDown", -1), errcode.BadValue)
	checkRefused(t, first.runAdmin("replSetStepDown", 5), errcode.BadValue) // shorter than the 10 s for catching up
	checkRefused(t, first.runAdmin("replSetStepDown", 60, "secondaryCatchUpPeriodSecs", -1), errcode.BadValue)
	checkRefused(t, first.runAdmin("replSetStepDown", 60, "secondaryCatchUpPeriodSecs", "1"), errcode.TypeMismatch)

	checkRefused(t, second.runAdmin("replSetFreeze", 3600), 0)
	checkRefused(t, first.runAdmin("replSetStepDown", 60), errcode.ExceededTimeLimit) // no other member could take over
	if d.Primary() != 0 {
		t.Errorf("the primary is %d", d.Primary())
	}
	checkRefused(t, first.runAdmin("replSetStepDown", 3600, "force", true), 0)
	v := first.awaitView("the step-down", func(v view) bool { return !v.IsWritablePrimary })
	if later := viewOf(t, first.runAdmin("hello", 1, "topologyVersion", v.TopologyVersion, "maxAwaitTimeMS", 20)); later.Primary != "" {
		t.Errorf("%+v while both are frozen", later)
	}
	if reply := second.runAdmin("replSetFreeze", 0); codeOf(reply) != 0 || reply.Lookup("info").IsZero() {
		t.Errorf("%v", reply)
	}
	second.awaitView("the thaw", func(v view) bool { return v.IsWritablePrimary })
	checkRefused(t, second.run(insertOne(1)), 0)
	if reply := first.runAdmin("replSetFreeze", 1); codeOf(reply) != 0 || reply.Lookup("warning").IsZero() {
		t.Errorf("%v", reply)
	}
	for _, c := range []*rawConn{first, second} {
		members, _ := c.runAdmin("replSetGetStatus", 1).Lookup("members").ArrayOK()
		for i, member := range members.All() {
			text, _ := bson.Raw(member.Value).Lookup("stateStr").StringOK()
			if want := []string{"SECONDARY", "PRIMARY"}[i]; text != want {
				t.Errorf("member %d is %s, want %s", i, text, want)
			}
		}
	}

	alone, router := connectRaw(t, mongotest.Start(t), 0), connectRaw(t, mongotest.Start(t, mongotest.Sharded(1)), 0)
	for _, name := range []string{"replSetStepDown", "replSetFreeze"} {
		checkRefused(t, alone.runAdmin(name, 1), errcode.NoReplicationEnabled)
		checkRefused(t, router.runAdmin(name, 1), errcode.CommandNotFound)
	}
}

// When the only member of a set steps down, it becomes primary again once the time is over.
func TestStepDownOfASetOfOne(t *testing.T) {
	t.Parallel() // it mostly waits
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.ElectionDelay(time.Millisecond))
	c := connectRaw(t, d, 0)
	checkRefused(t, c.runAdmin("replSetStepDown", 60), errcode.ExceededTimeLimit)
	before := viewOf(t, c.runAdmin("hello", 1))
	checkRefused(t, c.runAdmin("replSetStepDown", 1, "force", true), 0)
	checkRefused(t, c.run(insertOne(1)), errcode.NotWritablePrimary)
	checkRefused(t, c.run(bson.Doc("count", "c", "$db", "db", "$readPreference", bson.Doc("mode", "nearest"))), 0)
	after := c.awaitView("the end of the period", func(v view) bool { return v.IsWritablePrimary })
	if after.ElectionID == before.ElectionID {
		t.Error("the same electionId")
	}
	d.StepDown() // returns at once: no other member could be elected, so none is held back
	if d.Primary() != 0 {
		t.Errorf("the primary is %d", d.Primary())
	}
}

func TestKillAndRestart(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	c := connectRaw(t, d, 0)
	process, _ := topologyVersionOf(t, c.runAdmin("hello", 1))
	if err := d.Restart(0); err == nil {
		t.Error("a node that runs was restarted")
	}
	d.Kill(0)
	if !c.hangsUp() {
		t.Error("the connection is still open")
	}
	other := connectRaw(t, d, 1)
	other.awaitView("an election", func(v view) bool { return v.Primary != "" && v.Primary != d.Hosts()[0] })
	if err := d.Restart(0); err != nil {
		t.Fatal(err)
	}
	c = connectRaw(t, d, 0)
	v := viewOf(t, c.runAdmin("hello", 1))
	if again, _ := topologyVersionOf(t, c.runAdmin("hello", 1)); !v.Secondary || again[0] == process[0] {
		t.Errorf("%+v, process %v", v, again)
	}
}
