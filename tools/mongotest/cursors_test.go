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

const fourDocuments = `{insert:'c',documents:[{_id:1},{_id:2},{_id:3},{_id:4}]}`

// open runs a find whose cursor stays open, and returns the cursor's id.
func (c *rawConn) open(find string) int64 {
	c.t.Helper()
	reply := c.runInDB(find)
	id, _ := reply.Lookup("cursor", "id").Int64OK()
	if id == 0 {
		c.t.Fatalf("%v", reply)
	}
	return id
}

func getMore(id int64, more string) string {
	return fmt.Sprintf(`{getMore:{$numberLong:'%d'},collection:'c'%s}`, id, more)
}

// A cursor exists only where it was opened: on no other member or router, and not after a restart.
func TestCursorsBelongToTheirNode(t *testing.T) {
	for _, test := range []struct {
		name string
		kind mongotest.Option
	}{{"replica set", mongotest.ReplicaSet(2)}, {"sharded", mongotest.Sharded(2)}} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, test.kind)
			here, there := connectRaw(t, d, 0), connectRaw(t, d, 1)
			here.runInDB(fourDocuments)
			id := here.open(`{find:'c',batchSize:1}`)
			checkRefused(t, there.runInDB(getMore(id, "")), errcode.CursorNotFound)
			checkSame(t, "cursorsNotFound", there.runInDB(fmt.Sprintf(`{killCursors:'c',cursors:[{$numberLong:'%d'}]}`, id)).Lookup("cursorsNotFound"), fmt.Sprintf(`[{$numberLong:'%d'}]`, id))
			checkSame(t, "nextBatch", here.runInDB(getMore(id, ",batchSize:1")).Lookup("cursor", "nextBatch"), `[{_id:2}]`)
			d.Kill(0)
			if err := d.Restart(0); err != nil {
				t.Fatal(err)
			}
			checkRefused(t, connectRaw(t, d, 0).runInDB(getMore(id, "")), errcode.CursorNotFound)
		})
	}
	t.Run("load balanced", func(t *testing.T) {
		d := mongotest.Start(t, mongotest.LoadBalanced(2))
		here, there := connectRaw(t, d, 0), connectRaw(t, d, 0)
		for _, c := range []*rawConn{here, there} {
			checkRefused(t, c.runAdmin("hello", 1, "loadBalanced", true, "helloOk", true), 0)
		}
		here.runInDB(fourDocuments)
		id := here.open(`{find:'c',batchSize:1}`)
		checkRefused(t, there.runInDB(getMore(id, "")), errcode.CursorNotFound)
		checkRefused(t, here.runInDB(getMore(id, "")), 0)
	})
}

// A step-down leaves cursors open. A forced failover that loses writes closes them.
func TestCursorsAfterFailovers(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.LoseUnreplicatedWrites())
	c := connectRaw(t, d, 0)
	c.runInDB(fourDocuments)
	id := c.open(`{find:'c',batchSize:1}`)
	d.StepDown()
	checkSame(t, "nextBatch", c.runInDB(getMore(id, ",batchSize:1")).Lookup("cursor", "nextBatch"), `[{_id:2}]`)
	p := d.Primary()
	c = connectRaw(t, d, p)
	id = c.open(`{find:'c',batchSize:1}`)
	d.Partition(p, time.Hour)
	awaitOtherPrimary(t, d, p)
	d.Partition(p, 0)
	checkRefused(t, c.runInDB(getMore(id, "")), errcode.CursorNotFound)
}

// A getMore that waits for documents ends when its cursor is killed, when its session ends, and when a document
// arrives.
func TestWaitingGetMoreEnds(t *testing.T) {
	const lsid = `{id:{$binary:{base64:'AAECAwQFBgcICQoLDA0ODw==',subType:'04'}}}`
	for _, test := range []struct {
		name string
		end  func(c *rawConn, id int64)
		code errcode.Code
	}{
		{"insert", func(c *rawConn, _ int64) { c.runInDB(`{insert:'c',documents:[{_id:5}]}`) }, 0},
		{"killCursors", func(c *rawConn, id int64) {
			c.runInDB(fmt.Sprintf(`{killCursors:'c',cursors:[{$numberLong:'%d'}]}`, id))
		}, errcode.CursorKilled},
		{"killSessions", func(c *rawConn, _ int64) { c.runInDB(`{killSessions:[` + lsid + `]}`) }, errcode.CursorKilled},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			c, other := connectRaw(t, d, 0), connectRaw(t, d, 0)
			c.runInDB(`{create:'c',capped:true,size:4096}`)
			c.runInDB(fourDocuments)
			id := c.open(`{find:'c',tailable:true,awaitData:true,lsid:` + lsid + `}`)
			c.send(0, parseInDB(t, getMore(id, `,maxTimeMS:60000,lsid:`+lsid)))
			for !slices.ContainsFunc(d.Commands(), func(c mongotest.Command) bool { return c.Name == "getMore" }) {
				other.runInDB(`{ping:1}`)
			}
			test.end(other, id)
			reply := c.receive().body
			if code := codeOf(reply); code != test.code && (code != errcode.CursorNotFound || test.code == 0) { // or the server killed it just before
				t.Fatalf("%v, want code %d", reply, test.code)
			}
			if test.code == 0 {
				checkSame(t, "nextBatch", reply.Lookup("cursor", "nextBatch"), `[{_id:5}]`)
			}
		})
	}
}

// Idle cursors are closed after ten minutes, cursors of sessions with their session, and others never.
func TestIdleCursorsAreClosed(t *testing.T) {
	const lsid = `,lsid:{id:{$binary:{base64:'AAECAwQFBgcICQoLDA0ODw==',subType:'04'}}}`
	for _, test := range []struct {
		name, more string
		parameter  int
		wait       time.Duration
		code       errcode.Code
	}{
		{"used soon", "", 0, 9 * time.Minute, 0},
		{"too late", "", 0, 11 * time.Minute, errcode.CursorNotFound},
		{"by parameter", "", 5000, 6 * time.Second, errcode.CursorNotFound},
		{"noCursorTimeout", ",noCursorTimeout:true", 0, 48 * time.Hour, 0},
		{"of a session", lsid, 0, 29 * time.Minute, 0},
		{"of a session that is over", lsid, 0, 31 * time.Minute, errcode.CursorNotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			clock := newTestClock()
			options := []mongotest.Option{mongotest.ReplicaSet(1), mongotest.Clock(clock.now)}
			if test.parameter > 0 {
				options = append(options, mongotest.Parameter("cursorTimeoutMillis", test.parameter))
			}
			c := connectRaw(t, mongotest.Start(t, options...), 0)
			c.runInDB(fourDocuments)
			id := c.open(`{find:'c',batchSize:1` + test.more + `}`)
			session := ""
			if test.more == lsid {
				session = lsid
			}
			clock.advance(test.wait / 2)
			if test.code == 0 {
				checkRefused(t, c.runInDB(getMore(id, ",batchSize:1"+session)), 0)
			}
			clock.advance(test.wait / 2)
			checkRefused(t, c.runInDB(getMore(id, ",batchSize:1"+session)), test.code)
		})
	}
}

// A tailable cursor on a lagging member sees only what the member has.
func TestTailableCursorOfLaggingMember(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(2))
	primary, secondary := connectRaw(t, d, 0), connectRaw(t, d, 1)
	primary.runInDB(`{create:'c',capped:true,size:4096}`)
	primary.runInDB(fourDocuments)
	id := secondary.open(`{find:'c',tailable:true,$readPreference:{mode:'secondary'}}`)
	d.Lag(1, 1)
	primary.runInDB(`{insert:'c',documents:[{_id:5}],writeConcern:{w:1}}`)
	checkSame(t, "nextBatch", secondary.runInDB(getMore(id, "")).Lookup("cursor", "nextBatch"), `[]`)
	d.Lag(1, 0)
	checkSame(t, "nextBatch", secondary.runInDB(getMore(id, "")).Lookup("cursor", "nextBatch"), `[{_id:5}]`)
}

// A cursor reads the state in which it began, whatever concurrent writes do. Each of these writes moves one from a to
// b.
func TestCursorsSeeOneState(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	c, writer := connectRaw(t, d, 0), connectRaw(t, d, 0)
	c.runInDB(`{insert:'c',documents:[{_id:1,n:50},{_id:2,n:50},{_id:3,n:50}]}`)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			writer.send(0, parseInDB(t, fmt.Sprintf(`{update:'c',updates:[{q:{_id:%d},u:{$inc:{n:-1}}},{q:{_id:%d},u:{$inc:{n:1}}}]}`, 1+i%3, 1+(i+1)%3)))
			if _, err := writer.readMessage(); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for range 200 {
		first := c.runInDB(`{find:'c',batchSize:1}`)
		id, _ := first.Lookup("cursor", "id").Int64OK()
		sum := sumBatch(first, "firstBatch") + sumBatch(c.runInDB(getMore(id, "")), "nextBatch")
		if sum != 150 {
			t.Errorf("the sum is %d", sum)
		}
	}
	close(stop)
	<-done
}

func sumBatch(reply bson.Raw, batch string) (sum int64) {
	docs, _ := reply.Lookup("cursor", batch).ArrayOK()
	for _, doc := range docs.All() {
		n, _ := bson.Raw(doc.Value).Lookup("n").AsInt64OK()
		sum += n
	}
	return sum
}

// A cursor keeps the read concern that it was opened with, so a getMore may name any.
func TestGetMoreTakesReadConcern(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	c := connectRaw(t, d, 0)
	c.runInDB(fourDocuments)
	for _, level := range []string{"local", "available", "majority", "linearizable", "snapshot"} {
		id := c.open(`{find:'c',batchSize:1}`)
		reply := c.runInDB(getMore(id, `,readConcern:{level:'`+level+`'}`))
		checkSame(t, level, reply.Lookup("cursor", "nextBatch"), `[{_id:2},{_id:3},{_id:4}]`)
	}
	checkRefused(t, c.runInDB(getMore(1, `,readConcern:{level:'strong'}`)), errcode.BadValue)
}
