package world

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// causal has each worker keep a causally consistent session that writes counters of its own, which only grow, and reads
// everybody's, from any member. A session never sees less than it has seen or written, nor less than the session whose times
// it has received.
type causal struct {
	*world
	mu      sync.Mutex
	letters []letter
	tried   map[int]int // the largest value that was written to each counter
}

// letter is what one session tells another.
type letter struct {
	operation *bson.Timestamp
	cluster   bson.Raw
	seen      map[int]int
}

// perWorker is how many counters each worker has.
const perWorker = 3

func newCausal(w *world) *causal { return &causal{world: w, tried: map[int]int{}} }

type causalCounter struct {
	ID int `bson:"_id"`
	N  int
}

func (c *causal) prepare(ctx context.Context, k *clean) error {
	var all []causalCounter
	for i := range len(c.s.Workers) * perWorker {
		all = append(all, causalCounter{ID: i})
	}
	_, err := k.db.Collection("causal").InsertMany(ctx, all)
	return err
}

func (c *causal) start(k *worker) actor { return &causalActor{causal: c, k: k, seen: map[int]int{}} }

type causalActor struct {
	*causal
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

// open starts a session when there is none, or none of the client that is open now.
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
	switch op.Kind {
	case "write":
		return a.write(ctx, a.k.plan.Number*perWorker+op.Key)
	case "read":
		return a.read(ctx, op)
	case "pass":
		return a.pass(), nil
	}
	return a.receive()
}

// write adds 1 to a counter. $max keeps a write that was given up and arrives late from taking anything back.
func (a *causalActor) write(ctx context.Context, id int) (string, error) {
	a.causal.mu.Lock()
	a.tried[id]++
	value := a.tried[id]
	a.causal.mu.Unlock()
	c := database(a.client).Collection("causal")
	_, err := c.UpdateOne(ctx, byID(id), bson.Doc("$max", bson.Doc("n", value)))
	if err == nil {
		a.seen[id] = value
	}
	return fmt.Sprintf("%d to %d", id, value), err
}

// read reads a counter from any member. Half of the reads ask for one that others write.
func (a *causalActor) read(ctx context.Context, op scenario.Op) (string, error) {
	id := a.k.plan.Number*perWorker + op.Key
	if op.At.Microseconds()%2 == 0 {
		id = int(op.At.Microseconds()/2) % (len(a.s.Workers) * perWorker)
		for known := range a.seen {
			if known%perWorker == op.Key {
				id = known
			}
		}
	}
	modes := []*options.ReadPreference{mongo.SecondaryPreferred(), mongo.Nearest(), mongo.Primary(), mongo.PrimaryPreferred()}
	c := database(a.client).Collection("causal", &options.Collection{ReadPreference: modes[op.At.Milliseconds()%4]})
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
			a.seen[id], modes[op.At.Milliseconds()%4].Mode)
	}
	a.seen[id] = max(a.seen[id], got.N)
	return fmt.Sprintf("read %d = %d", id, got.N), nil
}

func (a *causalActor) pass() string {
	a.causal.mu.Lock()
	defer a.causal.mu.Unlock()
	a.letters = append(a.letters, letter{a.session.OperationTime(), a.session.ClusterTime(), maps.Clone(a.seen)})
	return fmt.Sprint("passes ", a.session.OperationTime())
}

// receive has the session follow upon the latest letter.
func (a *causalActor) receive() (string, error) {
	a.causal.mu.Lock()
	defer a.causal.mu.Unlock()
	if len(a.letters) == 0 {
		return "", ErrNothing
	}
	l := a.letters[len(a.letters)-1]
	if l.operation == nil || l.cluster == nil {
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
	return fmt.Sprint("receives ", l.operation), nil
}

func (c *causal) check(ctx context.Context, k *clean) error {
	all, err := each[causalCounter](ctx, k.db.Collection("causal"), bson.D{})
	for _, one := range all {
		if one.N > c.tried[one.ID] {
			c.violate(scenario.Causal, "counter %d is %d, nobody wrote more than %d", one.ID, one.N, c.tried[one.ID])
		}
	}
	return err
}
