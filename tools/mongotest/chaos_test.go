package mongotest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// ledger holds what one writer knows: the numbers whose write was acknowledged, and those whose outcome is unknown.
type ledger struct {
	acknowledged, unknown []int
}

// TestAcknowledgedWritesSurvive lets clients write with the default write concern, majority, while it kills members, cuts them
// off, steps them down and makes them lag. Every forced failover loses the writes that no majority had. At the end, each
// acknowledged write must exist exactly once and any other write at most once, and a change stream must have shown the same.
func TestAcknowledgedWritesSurvive(t *testing.T) {
	for _, test := range []struct {
		name    string
		members int
		options []mongotest.Option
	}{
		{"three members", 3, []mongotest.Option{mongotest.LoseUnreplicatedWrites()}},
		{"five members", 5, []mongotest.Option{mongotest.LoseUnreplicatedWrites()}},
		{"three members that lose nothing", 3, nil},
		{"5.0", 3, []mongotest.Option{mongotest.LoseUnreplicatedWrites(), mongotest.Version("5.0")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := append([]mongotest.Option{mongotest.ReplicaSet(test.members), mongotest.ElectionDelay(2 * time.Millisecond)}, test.options...)
			d := mongotest.Start(t, options...)
			const writers = 4
			ledgers := make([]ledger, writers)
			stop := make(chan struct{})
			var written atomic.Int64
			var writing, noise sync.WaitGroup
			watched := connect(t, d).Database("db")
			watcher := newWatcher(t, watched)
			var following sync.WaitGroup
			following.Go(func() { watcher.follow(t, watched) })
			for w := range writers {
				client := connect(t, d)
				writing.Go(func() { ledgers[w] = write(t, client.Database("db"), w, &written, stop) })
			}
			noise.Go(func() { scribble(t, connect(t, d).Database("db"), stop) })
			giveUp := time.Now().Add(time.Minute)
			disturb(t, d, test.members, func(times int) bool {
				return times >= 30 && written.Load() >= writers || time.Now().After(giveUp)
			})
			close(stop)
			writing.Wait()
			noise.Wait()
			db, acknowledged := connect(t, d).Database("db"), 0
			if _, err := db.Collection("documents").InsertOne(t.Context(), bson.Doc("_id", lastDocument)); err != nil {
				t.Fatal(err)
			}
			following.Wait()
			t.Logf("the watcher saw %d documents and opened its stream %d times", len(watcher.seen), watcher.opened)
			for w, l := range ledgers {
				acknowledged += len(l.acknowledged)
				l.check(t, db, w)
				watcher.check(t, w, &l, documentName)
			}
			if acknowledged < writers {
				t.Errorf("%d writes were acknowledged", acknowledged)
			}
		})
	}
}

// write inserts a document and pushes its number to an array, again and again.
func write(t *testing.T, db *mongo.Database, w int, written *atomic.Int64, stop <-chan struct{}) (l ledger) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return l
		default:
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, err := db.Collection("documents").InsertOne(ctx, bson.Doc("_id", documentName(w, i)))
		if err == nil {
			_, err = db.Collection("lists").UpdateOne(ctx, bson.Doc("_id", w), bson.Doc("$push", bson.Doc("list", i)), &options.UpdateOne{Upsert: new(true)})
		}
		cancel()
		switch {
		case err == nil:
			l.acknowledged = append(l.acknowledged, i)
			written.Add(1)
		case fault.HasErrorCode(err, errcode.DuplicateKey):
			t.Errorf("writer %d: number %d was written twice: %v", w, i, err)
		default:
			l.unknown = append(l.unknown, i)
		}
	}
}

// documentName returns the _id of a document that a writer inserts.
func documentName(writer, number int) string { return fmt.Sprintf("%d-%d", writer, number) }

// scribble writes documents that the set may lose.
func scribble(t *testing.T, db *mongo.Database, stop <-chan struct{}) {
	one := db.Collection("scribbles", &options.Collection{WriteConcern: &options.WriteConcern{W: 1}})
	for {
		select {
		case <-stop:
			return
		default:
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, _ = one.InsertOne(ctx, bson.Doc("x", 1))
		cancel()
	}
}

// disturb does random damage to the set until enough says stop. It leaves the set whole.
func disturb(t *testing.T, d *mongotest.Deployment, members int, enough func(times int) bool) {
	r := rand.New(rand.NewPCG(uint64(members), 30))
	for times := 0; !enough(times); times++ {
		p := awaitPrimaryNumber(t, d)
		other := (p + 1 + r.IntN(members-1)) % members
		switch r.IntN(6) {
		case 0:
			d.StepDown()
		case 1:
			restart(t, d, p, r)
		case 2:
			restart(t, d, other, r)
		case 3:
			d.Partition(p, time.Duration(1+r.IntN(30))*time.Millisecond)
		case 4:
			d.Partition(other, time.Duration(1+r.IntN(30))*time.Millisecond)
		case 5:
			for i := range members {
				d.Lag(i, 0)
			}
			d.Lag(other, r.IntN(4))
			if r.IntN(2) == 0 {
				d.CatchUp(other, 1+r.IntN(10_000))
			}
		}
		pause(r, 20)
	}
	for i := range members {
		d.Lag(i, 0)
		d.Partition(i, 0)
	}
	awaitPrimaryNumber(t, d)
}

func restart(t *testing.T, d *mongotest.Deployment, i int, r *rand.Rand) {
	t.Helper()
	d.Kill(i)
	pause(r, 20)
	if err := d.Restart(i); err != nil {
		t.Error(err)
	}
}

// pause lets the others work for up to some milliseconds.
func pause(r *rand.Rand, ms int) { <-time.After(time.Duration(r.IntN(ms*1000)) * time.Microsecond) }

func awaitPrimaryNumber(t *testing.T, d *mongotest.Deployment) int {
	t.Helper()
	awaitPrimary(t, d)
	return max(d.Primary(), 0)
}

// check compares the ledger with what a majority has.
func (l *ledger) check(t *testing.T, db *mongo.Database, w int) {
	t.Helper()
	var lists struct{ List []int }
	majority := db.Collection("lists", &options.Collection{ReadConcern: &options.ReadConcern{Level: "majority"}})
	if err := majority.FindOne(t.Context(), bson.Doc("_id", w)).Decode(&lists); err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
		t.Fatal(err)
	}
	times := map[int]int{}
	for _, i := range lists.List {
		times[i]++
	}
	for _, i := range l.acknowledged {
		n, err := db.Collection("documents").CountDocuments(t.Context(), bson.Doc("_id", fmt.Sprintf("%d-%d", w, i)))
		if n != 1 || err != nil || times[i] != 1 {
			t.Errorf("writer %d: number %d is there %d times, in the list %d times, %v", w, i, n, times[i], err)
		}
		delete(times, i)
	}
	for _, i := range l.unknown {
		if times[i] > 1 {
			t.Errorf("writer %d: the unacknowledged number %d is in the list %d times", w, i, times[i])
		}
		delete(times, i)
	}
	if len(times) > 0 {
		t.Errorf("writer %d: numbers that nobody wrote: %v", w, times)
	}
	t.Logf("writer %d: %d acknowledged, %d unknown", w, len(l.acknowledged), len(l.unknown))
}
