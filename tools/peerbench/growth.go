package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"time"

	officialbson "go.mongodb.org/mongo-driver/v2/bson"
	official "go.mongodb.org/mongo-driver/v2/mongo"
	officialoptions "go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// growth is how the cost of one thing changes with a quantity, in nanoseconds for each driver.
type growth struct {
	Name     string    `json:"name"`
	Quantity string    `json:"quantity"`
	Why      string    `json:"why"` // where the curve bends
	At       []float64 `json:"at"`
	Official []float64 `json:"official"`
	Onion    []float64 `json:"onion"`
}

// growthPoint is one measurement: what each driver does once, and how many goroutines do it.
type growthPoint struct {
	server         string
	parameters     string // of the URI
	goroutines     int
	per            int // things that one call does
	official, ours func(*peers) error
}

// growthPlan says what is measured for a curve.
type growthPlan struct {
	name, quantity, why string
	at                  []int
	point               func(at int) growthPoint
}

// The effort of one point. The drivers take turns. Which processor the server and a driver run on makes the round trip of a
// single goroutine up to three times longer, and does not change while a connection lasts. So a point is measured several times,
// with a new server and new clients, and the shortest time of each driver counts.
const (
	growthTries  = 3
	growthRounds = 3
	growthTime   = 60 * time.Millisecond // of one driver in one round
)

func growthPlans() []growthPlan {
	find := operationNamed("findOne")
	one := func(at int) growthPoint {
		return growthPoint{server: "canned", goroutines: 1, per: 1, official: find.official, ours: find.onion}
	}
	return []growthPlan{
		{"findOne, by goroutines on a pool of 100", "goroutines",
			"Up to the number of processors the curve falls because the server works beside the driver. Beyond 100 goroutines the " +
				"others wait for a connection: each operation then pays for being parked and woken.",
			[]int{1, 10, 100, 1000, 10_000}, func(at int) growthPoint {
				p := one(at)
				p.goroutines = at
				return p
			}},
		{"findOne with 256 goroutines, by the size of the pool", "connections",
			"With few connections the server's round trip is the limit; with more than the processors can serve nothing is gained.",
			[]int{1, 2, 5, 10, 50, 100, 200}, func(at int) growthPoint {
				p := one(at)
				p.goroutines, p.parameters = 256, fmt.Sprintf("maxPoolSize=%d", at)
				return p
			}},
		{"findOne, by the servers of the replica set", "servers",
			"The curve is flat: selection looks at each server of the description, which takes little of a round trip, and monitors " +
				"hardly run.",
			[]int{1, 3, 5, 10, 20, 50}, func(at int) growthPoint {
				p := one(at)
				p.server = fmt.Sprintf("set %d", at)
				return p
			}},
		{"findOne, by the size of the document", "bytes",
			"Below 4 KB the reply fits into the reader's buffer and costs one call of Read. From 64 KB on copying and the kernel's " +
				"socket buffer dominate, and from 4 MB on memory is taken in steps, because a length alone is not trusted.",
			[]int{100, 1000, 10_000, 100_000, 1_000_000, 16_000_000}, func(at int) growthPoint {
				p := one(at)
				p.server = fmt.Sprintf("document %d", at)
				return p
			}},
		{"reading 1,000 documents, by the size of a batch", "documents",
			"A batch of one document is a round trip for each.",
			[]int{2, 10, 100, 1000}, func(at int) growthPoint {
				return growthPoint{server: "mongotest", goroutines: 1, per: manyDocuments,
					official: func(p *peers) error { return officialBatches(p.officialCollection(), int32(at)) },
					ours:     func(p *peers) error { return onionBatches(p.onionCollection(), int32(at)) }}
			}},
	}
}

func operationNamed(name string) operation {
	for _, o := range operations() {
		if o.name == name {
			return o
		}
	}
	panic("no operation is called " + name)
}

func officialBatches(c *official.Collection, size int32) error {
	cursor, err := c.Find(context.Background(), officialbson.D{}, officialoptions.Find().SetBatchSize(size))
	if err != nil {
		return err
	}
	var all []benchUser
	return cursor.All(context.Background(), &all)
}

func onionBatches(c *mongo.Collection, size int32) error {
	cursor, err := c.Find(context.Background(), bson.D{}, &options.Find{BatchSize: &size})
	if err != nil {
		return err
	}
	_, err = mongo.All[benchUser](context.Background(), cursor)
	return err
}

// measureGrowth measures every curve that the pattern selects.
func measureGrowth(s settings, progress func(string)) (curves []growth, err error) {
	for _, plan := range growthPlans() {
		if !s.pattern.MatchString(plan.name) {
			continue
		}
		g := growth{Name: plan.name, Quantity: plan.quantity, Why: plan.why}
		for _, at := range plan.at {
			theirs, ours := math.Inf(1), math.Inf(1)
			for range growthTries {
				t, o, err := measurePoint(plan.point(at))
				if err != nil {
					return nil, fmt.Errorf("%s, %d: %w", plan.name, at, err)
				}
				theirs, ours = min(theirs, t), min(ours, o)
			}
			g.At, g.Official, g.Onion = append(g.At, float64(at)), append(g.Official, theirs), append(g.Onion, ours)
			progress(fmt.Sprintf("%s, %d %s: %.0f ns, official %.0f ns", plan.name, at, plan.quantity, ours, theirs))
		}
		curves = append(curves, g)
	}
	return curves, nil
}

func measurePoint(point growthPoint) (theirs, ours float64, err error) {
	p, err := connectWith(point.server, point.parameters)
	if err != nil {
		return 0, 0, err
	}
	defer p.close()
	do := []func() error{func() error { return point.official(p) }, func() error { return point.ours(p) }}
	n := 2 * point.goroutines
	for _, once := range do {
		took, _ := runCrowd(n, point.goroutines, once)
		n = max(n, int(growthTime/max(1, took/time.Duration(n))))
	}
	times := make([][]float64, len(do))
	for round := range growthRounds {
		for _, i := range turns(len(do), round) {
			runtime.GC()
			took, _ := runCrowd(n, point.goroutines, do[i])
			times[i] = append(times[i], float64(took)/float64(n*point.per))
		}
	}
	return quantile(times[0], 0.25), quantile(times[1], 0.25), nil
}

func printGrowth(w io.Writer, curves []growth) {
	for _, g := range curves {
		fmt.Fprintf(w, "%s\n  %s\n", g.Name, g.Why)
		for i, at := range g.At {
			fmt.Fprintf(w, "  %10.0f %-12s %12.0f ns  official %12.0f ns\n", at, g.Quantity, g.Onion[i], g.Official[i])
		}
	}
}
