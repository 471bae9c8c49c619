package world

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// causalSessions has each worker keep a causally consistent session that writes counters of its own, which only grow, and reads
// everybody's, from any member. A session never sees less than it has seen or written, nor less than the session whose times
// it has received.
type causalSessions struct {
	*world
	mu     sync.Mutex
	latest *letter
	posted chan struct{} // closed when there is another letter
	tried  map[int]int   // the largest value that was written to each counter
}

// letter is what one session tells the others.
type letter struct {
	from      int // the worker
	fresh     int // the counter that the worker has just written
	operation *bson.Timestamp
	cluster   bson.Raw
	seen      map[int]int
}

// letterWait is how long a worker waits for the next letter. Only a read right after a write can find a member that does not have
// the write yet.
const letterWait = 500 * time.Millisecond

// perWorker is how many counters each worker has.
const perWorker = 3

func newCausalSessions(w *world) *causalSessions {
	return &causalSessions{world: w, posted: make(chan struct{}), tried: map[int]int{}}
}

type causalCounter struct {
	ID int `bson:"_id"`
	N  int
}

func (c *causalSessions) prepare(ctx context.Context, k *cleanClient) error {
	var all []causalCounter
	for i := range len(c.s.Workers) * perWorker {
		all = append(all, causalCounter{ID: i})
	}
	_, err := k.db.Collection("causal").InsertMany(ctx, all)
	return err
}

func (c *causalSessions) start(k *worker) actor {
	return &causalActor{causalSessions: c, k: k, seen: map[int]int{}}
}

type causalActor struct {
	*causalSessions
	k       *worker
	client  *mongo.Client
	session *mongo.Session
	seen    map[int]int // the least that each counter must be
}

func (a *causalActor) close(ctx context.Context) {
	if a.session != nil {
		a.session.EndSession(ctx)
	}
}

// open starts a session if there is none, or if the client that it belongs to has been closed.
func (a *causalActor) open(ctx context.Context) error {
	if now := a.k.client.mongo(); a.client != now {
		a.close(ctx)
		session, err := now.StartSession(&options.Session{CausalConsistency: new(true)})
		if err != nil {
			return err
		}
		a.session, a.client, a.seen = session, now, map[int]int{}
	}
	return nil
}

func (a *causalActor) do(ctx context.Context, op scenario.Op) (string, error) {
	if err := a.open(ctx); err != nil {
		return "", err
	}
	ctx = mongo.NewSessionContext(ctx, a.session)
	own := a.k.plan.Number*perWorker + op.Key
	switch op.Kind {
	case "write":
		return a.write(ctx, own)
	case "read":
		return a.read(ctx, a.choose(op), anyMember[op.At.Milliseconds()%4])
	case "pass":
		return a.pass(ctx, own)
	}
	return a.receive(ctx)
}

// anyMember are the read preferences of reads.
var anyMember = []*options.ReadPreference{mongo.SecondaryPreferred(), mongo.Nearest(), mongo.Primary(), mongo.PrimaryPreferred()}

// write adds 1 to a counter. $max keeps an abandoned write that arrives late from lowering the counter.
func (a *causalActor) write(ctx context.Context, id int) (string, error) {
	a.causalSessions.mu.Lock()
	a.tried[id]++
	value := a.tried[id]
	a.causalSessions.mu.Unlock()
	c := database(a.client).Collection("causal")
	_, err := c.UpdateOne(ctx, byID(id), bson.Doc("$max", bson.Doc("n", value)))
	if err == nil {
		a.seen[id] = value
	}
	return fmt.Sprintf("%d to %d", id, value), err
}

// choose chooses the counter that a read asks for. Half of the reads ask for one that others write.
func (a *causalActor) choose(op scenario.Op) int {
	id := a.k.plan.Number*perWorker + op.Key
	if op.At.Microseconds()%2 == 0 {
		id = int(op.At.Microseconds()/2) % (len(a.s.Workers) * perWorker)
		known := slices.Sorted(maps.Keys(a.seen))
		known = slices.DeleteFunc(known, func(id int) bool { return id%perWorker != op.Key })
		if len(known) > 0 {
			id = known[int(op.At.Microseconds()/2)%len(known)]
		}
	}
	return id
}

// read reads a counter.
func (a *causalActor) read(ctx context.Context, id int, from *options.ReadPreference) (string, error) {
	c := database(a.client).Collection("causal", &options.Collection{ReadPreference: from})
	var got causalCounter
	err := c.FindOne(ctx, byID(id)).Decode(&got)
	switch {
	case errors.Is(err, mongo.ErrNoDocuments):
		a.violate(scenario.Causal, "worker %d: counter %d is not there", a.k.plan.Number, id)
		return "", nil
	case err != nil:
		return fmt.Sprintf("read %d", id), err
	case got.N < a.seen[id]:
		a.violate(scenario.Causal, "worker %d: counter %d is %d for a session that has seen %d; read with %v", a.k.plan.Number, id, got.N,
			a.seen[id], from.Mode)
	}
	a.seen[id] = max(a.seen[id], got.N)
	return fmt.Sprintf("read %d = %d", id, got.N), nil
}

// pass writes a counter and tells the other workers.
func (a *causalActor) pass(ctx context.Context, id int) (string, error) {
	wrote, err := a.write(ctx, id)
	if err != nil {
		return wrote, err
	}
	a.causalSessions.mu.Lock()
	defer a.causalSessions.mu.Unlock()
	a.latest = &letter{a.k.plan.Number, id, a.session.OperationTime(), a.session.ClusterTime(), maps.Clone(a.seen)}
	close(a.posted)
	a.posted = make(chan struct{})
	return fmt.Sprintf("%s, passes %v", wrote, a.latest.operation), nil
}

// receive advances the session to the times of a letter. Then it reads at once what the letter reports, from a member that may not
// have it yet.
func (a *causalActor) receive(ctx context.Context) (string, error) {
	l := a.await(ctx)
	if l == nil || l.operation == nil || l.cluster == nil {
		return "", ErrNothing
	}
	if err := a.session.AdvanceClusterTime(l.cluster); err != nil {
		return "", err
	}
	if err := a.session.AdvanceOperationTime(l.operation); err != nil {
		return "", err
	}
	for id, n := range l.seen {
		a.seen[id] = max(a.seen[id], n)
	}
	text, err := a.read(ctx, l.fresh, mongo.SecondaryPreferred())
	return fmt.Sprintf("receives %v, %s", l.operation, text), err
}

// await waits for the next letter of another worker. If none comes soon, it returns the latest one, which may be nil.
func (a *causalActor) await(ctx context.Context) *letter {
	patience := letterWait
	if deadline, ok := ctx.Deadline(); ok {
		patience = min(patience, time.Until(deadline)/2)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		a.causalSessions.mu.Lock()
		posted := a.posted
		a.causalSessions.mu.Unlock()
		select {
		case <-posted:
		case <-ctx.Done():
		}
		a.causalSessions.mu.Lock()
		l := a.latest
		a.causalSessions.mu.Unlock()
		if ctx.Err() != nil || l.from != a.k.plan.Number {
			return l
		}
	}
}

func (c *causalSessions) check(ctx context.Context, k *cleanClient) error {
	all, err := decodeAll[causalCounter](ctx, k.db.Collection("causal"), bson.D{})
	for _, one := range all {
		if one.N > c.tried[one.ID] {
			c.violate(scenario.Causal, "counter %d is %d, nobody wrote more than %d", one.ID, one.N, c.tried[one.ID])
		}
	}
	return err
}
