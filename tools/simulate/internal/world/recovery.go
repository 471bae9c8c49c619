package world

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// checkRecovery checks that the faults leave nothing behind in the clients: with all faults gone, every kind of operation
// succeeds, and the pools fill up. A client that is stuck fails with errors that faults may cause, so no other check
// notices.
func (w *world) checkRecovery(ctx context.Context) {
	w.net.ResetVanished() // as TCP's keepalive does, sooner or later
	for _, c := range w.clients {
		w.noticeVanished(ctx, c)
		for _, one := range w.recoveryOps(c) {
			ctx, cancel := context.WithTimeout(ctx, recoveryTime)
			w.countEffect(judgedRecovery)
			if err := one.run(ctx); err != nil {
				w.violate("recovery", "client %d, %s: %v", c.plan.Number, one.name, err)
			}
			cancel()
		}
	}
	w.awaitPools()
}

// noticeVanished lets a client behind a balancer find out which connections are dead. An error clears the connections of one
// service, as the specification has it, so one operation may fail on two services in turn.
func (w *world) noticeVanished(ctx context.Context, c *client) {
	if w.s.World.Shape != scenario.LoadBalanced {
		return
	}
	for range w.s.World.Nodes {
		ctx, cancel := context.WithTimeout(ctx, recoveryTime)
		_ = database(c.mongo()).Collection("recovery").FindOne(ctx, bson.D{}).Err() // what follows is judged
		cancel()
	}
}

// recoveryTime is how long an operation may take when all is well. The slowest path needs a second, and a client may have to
// notice first that connections are dead.
const recoveryTime = 10 * time.Second

// recoveryOp is an operation that must succeed when all is well.
type recoveryOp struct {
	name string
	run  func(context.Context) error
}

func (w *world) recoveryOps(c *client) []recoveryOp {
	db, id := database(c.mongo()), c.plan.Number
	kept := db.Collection("recovery")
	ops := []recoveryOp{{"a write", func(ctx context.Context) error {
		_, err := kept.UpdateOne(ctx, byID(id), bson.Doc("$inc", bson.Doc("n", 1)), &options.UpdateOne{Upsert: new(true)})
		return err
	}}}
	for _, mode := range []*options.ReadPreference{mongo.Primary(), mongo.Secondary(), mongo.Nearest()} {
		if mode.Mode == options.Secondary && w.s.World.Shape != scenario.ReplicaSet {
			continue
		}
		from := db.Collection("recovery", &options.Collection{ReadPreference: mode})
		if mode.Mode == options.Primary { // which no other member can answer
			from = db.Collection("recovery", &options.Collection{ReadConcern: mongo.ReadLinearizable()})
		}
		ops = append(ops, recoveryOp{fmt.Sprint("a read from ", mode.Mode), func(ctx context.Context) error {
			_, err := from.CountDocuments(ctx, byID(id))
			return err
		}})
	}
	return append(ops, recoveryOp{"a transaction", func(ctx context.Context) error {
		return c.mongo().UseSession(ctx, func(ctx context.Context, s *mongo.Session) error {
			return s.WithTransaction(ctx, func(ctx context.Context) error {
				_, err := kept.UpdateOne(ctx, byID(id), bson.Doc("$inc", bson.Doc("n", 1)))
				return err
			}, transactions)
		})
	}}, recoveryOp{"a change stream", func(ctx context.Context) error {
		stream, err := kept.Watch(ctx, mongo.Pipeline{})
		if err != nil {
			return err
		}
		return stream.Close(ctx)
	}})
}

// awaitPools waits until every pool has minPoolSize connections.
func (w *world) awaitPools() {
	deadline := time.Now().Add(time.Minute)
	for _, c := range w.clients {
		for short := c.describeShortPool(); short != ""; short = c.describeShortPool() {
			if time.Now().After(deadline) {
				w.violate("pool", "client %d: %s", c.plan.Number, short)
				break
			}
			<-time.After(time.Second)
		}
		if c.plan.MinPool > 0 {
			w.countEffect(judgedMinPool)
		}
		c.checkServices()
	}
}

// checkServices checks that errors behind a load balancer have cleared the connections of their service alone.
func (c *client) checkServices() {
	if c.world.s.World.Shape != scenario.LoadBalanced {
		return
	}
	for _, s := range c.mongo().Stats().Topology.Servers {
		c.world.countEffect(judgedServices)
		if s.Pool.Generation != 0 {
			c.world.violate("pool", "client %d: the pool of %s is of generation %d, and only its services are cleared", c.plan.Number,
				s.Address, s.Pool.Generation)
		}
	}
}

// describeShortPool describes a pool that has fewer connections than it must have.
func (c *client) describeShortPool() string {
	for _, s := range c.mongo().Stats().Topology.Servers {
		if n := s.Pool.InUse + s.Pool.Idle; n < c.plan.MinPool || n > 0 && !s.Pool.Ready || n > c.maxPool() {
			return fmt.Sprintf("the pool of %s has %d connections and is ready: %t; minPoolSize is %d, maxPoolSize %d", s.Address, n,
				s.Pool.Ready, c.plan.MinPool, c.maxPool())
		}
	}
	return ""
}

// maxPool is maxPoolSize with its default. A client that encrypts has no limit.
func (c *client) maxPool() int {
	if c.plan.Encrypted {
		return 1 << 30
	}
	return cmp.Or(c.plan.MaxPool, 100)
}
