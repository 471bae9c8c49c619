package mongotest_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Whatever interrupts it, a transaction is applied as a whole or not at all, and its reply says which.
func TestTransactionsAreAtomicUnderFire(t *testing.T) {
	const workers, transfers = 4, 20
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	c := connectRaw(t, d, 0)
	c.runInDB(`{insert:'c',documents:[{_id:'a',n:0},{_id:'b',n:0}]}`)
	var wg sync.WaitGroup
	done := make(chan struct{})
	for i := range workers {
		own := connectRaw(t, d, 0)
		wg.Go(func() {
			number := 0
			for range transfers {
				for !transfer(own, fmt.Sprintf("BBB%c", 'A'+i), &number) {
				}
			}
		})
	}
	go func() {
		wg.Wait()
		close(done)
	}()
	for fires := 0; ; fires++ {
		select {
		case <-done:
			checkDocuments(t, c, fmt.Sprintf(`[{_id:'a',n:%d},{_id:'b',n:%d}]`, -workers*transfers, workers*transfers))
			return
		default:
		}
		c.runInDB(`{ping:1}`)
		if fires > 1024 {
			continue // the others run undisturbed: on a busy machine no transaction would survive otherwise
		}
		switch fires % 64 {
		case 16:
			c.runInDB(`{killAllSessions:[]}`)
		case 63:
			d.StepDown()
		}
	}
}

// transfer moves one from a to b in a transaction, and reports whether it was committed.
func transfer(c *rawConn, session string, number *int) bool {
	*number++
	run := func(command string) bool {
		reply := c.runInTransaction(strings.Replace(command, "AAEC", session, 1))
		return codeOf(reply) == 0 && reply.Lookup("writeErrors").IsZero() && hasChanged(reply)
	}
	const from, to = `{update:'c',updates:[{q:{_id:'a'},u:{$inc:{n:-1}}}]}`, `{update:'c',updates:[{q:{_id:'b'},u:{$inc:{n:1}}}]}`
	return run(begin(from, *number)) && run(statement(to, *number)) && run(statement(commit, *number))
}

// hasChanged reports whether a reply does not say that an update matched nothing.
func hasChanged(reply bson.Raw) bool {
	n, counted := reply.Lookup("n").AsInt64OK()
	return !counted || n == 1
}

// A command that changes a whole collection waits for the transactions that have written to it.
func TestCatalogChangesWaitForTransactions(t *testing.T) {
	for _, command := range []string{
		`{drop:'c'}`, `{dropDatabase:1}`, `{createIndexes:'c',indexes:[{key:{n:1},name:'n'}]}`, `{dropIndexes:'c',index:'x'}`,
		`{collMod:'c',validationLevel:'off'}`,
	} {
		t.Run(command, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			c, other := connectRaw(t, d, 0), connectRaw(t, d, 0)
			c.runInDB(insertA)
			c.runInDB(`{createIndexes:'c',indexes:[{key:{x:1},name:'x'}]}`)
			checkRefused(t, c.runInTransaction(begin(setA, 1)), 0)
			checkRefused(t, other.runInDB(strings.TrimSuffix(command, "}")+`,maxTimeMS:20}`), errcode.MaxTimeMSExpired)
			other.send(0, parseInDB(t, command)) // waits
			checkRefused(t, c.runInTransaction(statement(commit, 1)), 0)
			checkRefused(t, other.receive().body, 0)
		})
	}
}
