package mongotest_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// awaitOtherPrimary waits until a member other than the given one is primary, and returns its number.
func awaitOtherPrimary(t *testing.T, d *mongotest.Deployment, than int) int {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if p := d.Primary(); p >= 0 && p != than {
			return p
		}
		<-time.After(time.Millisecond)
	}
	t.Fatal("nobody else was elected")
	return -1
}

// Members do not vote for a candidate that lacks writes that they have.
func TestElectionPrefersFreshMembers(t *testing.T) {
	for _, test := range []struct {
		name       string
		lag        map[int]int
		priorities []int
		want       []int // any of them
	}{
		{"all alike", nil, nil, []int{1}},
		{"the first lags", map[int]int{1: 1}, nil, []int{2}},
		{"the preferred one lags", map[int]int{1: 3}, []int{1, 9, 1}, []int{2}},
		{"both lag, one more", map[int]int{1: 5, 2: 2}, []int{1, 9, 1}, []int{2}},
		{"the preferred one is as fresh", map[int]int{1: 2, 2: 2}, []int{1, 1, 9}, []int{2}},
		{"two of five lag", map[int]int{1: 1, 2: 1}, []int{1, 9, 9, 1, 1}, []int{3, 4}},
		{"three of five lag, a majority with them", map[int]int{1: 1, 2: 1, 3: 1}, []int{1, 9, 1, 1, 1}, []int{4, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := max(len(test.priorities), 3)
			d := mongotest.Start(t, mongotest.ReplicaSet(n))
			var members []mongotest.Member
			for i, p := range test.priorities {
				members = append(members, mongotest.Member{Node: i, Priority: p})
			}
			if members != nil {
				if err := d.Reconfigure(members...); err != nil {
					t.Fatal(err)
				}
			}
			c := connectRaw(t, d, 0)
			for i, behind := range test.lag {
				d.Lag(i, behind)
			}
			for i := range 6 {
				c.runInDB(fmt.Sprintf(`{insert:'c',documents:[{_id:%d}],writeConcern:{w:1}}`, i))
			}
			d.Kill(0)
			if p := awaitOtherPrimary(t, d, 0); !slices.Contains(test.want, p) {
				t.Errorf("member %d was elected", p)
			}
		})
	}
}

// A step-down waits until another member has everything and can take over.
func TestStepDownWaitsForCatchUp(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	c := connectRaw(t, d, 0)
	d.Lag(1, 1)
	d.Lag(2, 1)
	c.runInDB(`{insert:'c',documents:[{_id:1}],writeConcern:{w:1}}`)
	checkRefused(t, c.runAdmin("replSetStepDown", 5, "secondaryCatchUpPeriodSecs", 0), errcode.ExceededTimeLimit)
	c.send(0, bson.Doc("replSetStepDown", 5, "secondaryCatchUpPeriodSecs", 5, "$db", "admin"))
	d.Lag(2, 0)
	if reply := c.receive().body; codeOf(reply) != 0 {
		t.Fatalf("%v", reply)
	}
	if p := awaitOtherPrimary(t, d, 0); p != 2 {
		t.Errorf("member %d was elected", p)
	}
	d.Lag(1, 9)
	d.Lag(0, 9)
	if reply := connectRaw(t, d, 2).runAdmin("replSetStepDown", 1, "force", true); codeOf(reply) != 0 {
		t.Fatalf("%v", reply)
	}
}

// operationTime and $clusterTime never go back, whichever member is primary and whatever a failover loses.
func TestTimesGrowOverElections(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.LoseUnreplicatedWrites())
	var gossiped, operation int64
	value := func(sec, inc uint32) int64 { return int64(sec)<<32 | int64(inc) }
	for round := range 6 {
		c := awaitPrimary(t, d)
		reply := c.runInDB(fmt.Sprintf(`{insert:'c',documents:[{_id:%d}],writeConcern:{w:%d}}`, round, 1+round%3))
		s, i, _ := reply.Lookup("operationTime").TimestampOK()
		if now := value(s, i); now <= operation {
			t.Errorf("round %d: operationTime %d after %d", round, now, operation)
		} else {
			operation = now
		}
		s, i, _ = reply.Lookup("$clusterTime", "clusterTime").TimestampOK()
		if now := value(s, i); now <= gossiped || now < operation {
			t.Errorf("round %d: $clusterTime %d after %d, operationTime %d", round, now, gossiped, operation)
		} else {
			gossiped = now
		}
		old := d.Primary()
		switch round % 3 {
		case 0:
			d.Kill(old)
			awaitOtherPrimary(t, d, old)
			if err := d.Restart(old); err != nil {
				t.Fatal(err)
			}
		case 1:
			d.StepDown()
		case 2:
			d.Partition(old, 20*time.Millisecond)
		}
		reply = awaitPrimary(t, d).runInDB(`{ping:1}`)
		s, i, _ = reply.Lookup("$clusterTime", "clusterTime").TimestampOK()
		if now := value(s, i); now < gossiped {
			t.Errorf("round %d: $clusterTime %d after %d", round, now, gossiped)
		}
	}
}

// A forced failover loses a write completely: documents, collections, indexes and the record of retryable writes. It
// keeps what a majority has seen.
func TestForcedFailoverLosesEverythingOfAWrite(t *testing.T) {
	const retryable = `{insert:'kept',documents:[{_id:'retry'}],writeConcern:{w:1},lsid:{id:{$binary:{base64:'AAECAwQFBgcICQoLDA0ODw==',subType:'04'}}},txnNumber:{$numberLong:'1'}}`
	for _, test := range []struct {
		name string
		away func(d *mongotest.Deployment, i int)
	}{
		{"killed", func(d *mongotest.Deployment, i int) { d.Kill(i) }},
		{"cut off", func(d *mongotest.Deployment, i int) { d.Partition(i, time.Hour) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.LoseUnreplicatedWrites())
			c := connectRaw(t, d, 0)
			c.runInDB(`{insert:'kept',documents:[{_id:1,n:1}],writeConcern:{w:'majority'}}`)
			c.runInDB(`{insert:'kept',documents:[{_id:2}],writeConcern:{w:1}}`)
			c.runInDB(`{count:'kept',readConcern:{level:'majority'}}`) // what it saw stays
			for _, command := range []string{
				`{update:'kept',updates:[{q:{_id:1},u:{$set:{n:2}}}],writeConcern:{w:1}}`,
				`{createIndexes:'kept',indexes:[{key:{n:1},name:'n',unique:true}],writeConcern:{w:1}}`,
				`{insert:'lost',documents:[{_id:1}],writeConcern:{w:1}}`, retryable,
			} {
				if reply := c.runInDB(command); codeOf(reply) != 0 {
					t.Fatalf("%v", reply)
				}
			}
			test.away(d, 0)
			c = connectRaw(t, d, awaitOtherPrimary(t, d, 0))
			checkSame(t, "documents", c.runInDB(`{find:'kept'}`).Lookup("cursor", "firstBatch"), `[{_id:1,n:1},{_id:2}]`)
			indexes, _ := c.runInDB(`{listIndexes:'kept'}`).Lookup("cursor", "firstBatch").ArrayOK()
			if _, ok := indexes.Index(1); ok {
				t.Errorf("indexes: %v", indexes)
			}
			lists, _ := c.runInDB(`{listCollections:1}`).Lookup("cursor", "firstBatch").ArrayOK()
			if _, ok := lists.Index(1); ok {
				t.Errorf("collections: %v", lists)
			}
			reply := c.runInDB(retryable)
			checkSame(t, "n", reply.Lookup("n"), "1")
			checkSame(t, "retriedStmtIds", reply.Lookup("retriedStmtIds"), "")
			checkSame(t, "retriedStmtIds", c.runInDB(retryable).Lookup("retriedStmtIds"), "[0]")
			checkSame(t, "documents", c.runInDB(`{count:'kept'}`).Lookup("n"), "3")
		})
	}
}

// When a primary loses its majority and is then killed, the writes that only it had are lost.
func TestStrandedPrimaryLosesItsWrites(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.LoseUnreplicatedWrites())
	c := connectRaw(t, d, 0)
	c.runInDB(`{insert:'c',documents:[{_id:'kept'}],writeConcern:{w:'majority'}}`)
	c.runInDB(`{insert:'c',documents:[{_id:'lost'}],writeConcern:{w:1}}`)
	for _, i := range []int{1, 2, 0} {
		d.Kill(i)
	}
	for _, i := range []int{1, 2} {
		if err := d.Restart(i); err != nil {
			t.Fatal(err)
		}
	}
	c = awaitPrimary(t, d)
	checkSame(t, "documents", c.runInDB(`{find:'c'}`).Lookup("cursor", "firstBatch"), `[{_id:'kept'}]`)
}

// A member reports the time of its own last write, not of the other members' writes.
func TestOperationTimeOfLaggingMember(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(2))
	c, secondary := connectRaw(t, d, 0), connectRaw(t, d, 1)
	first := c.runInDB(`{insert:'c',documents:[{_id:1}]}`).Lookup("operationTime")
	d.Lag(1, 1)
	second := c.runInDB(`{insert:'c',documents:[{_id:2}],writeConcern:{w:1}}`).Lookup("operationTime")
	const find = `{find:'c',$readPreference:{mode:'secondary'}}`
	if got := secondary.runInDB(find).Lookup("operationTime"); !got.Equal(first) {
		t.Errorf("operationTime is %v, want %v", got, first)
	}
	d.Lag(1, 0)
	if got := secondary.runInDB(find).Lookup("operationTime"); !got.Equal(second) {
		t.Errorf("operationTime is %v, want %v", got, second)
	}
}
