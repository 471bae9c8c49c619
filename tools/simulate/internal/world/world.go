package world

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/simulate/internal/link"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// Violation is something that must not happen.
type Violation struct {
	Checker string // the workload or the invariant that noticed
	At      time.Duration
	Text    string
}

// String returns the violation in one line.
func (v Violation) String() string {
	return fmt.Sprintf("%s at %v: %s", v.Checker, v.At.Round(time.Microsecond), v.Text)
}

// Record is one operation as its worker saw it.
type Record struct {
	Worker     int
	Workload   string
	Client     int
	Op         scenario.Op
	Start, End time.Duration
	Text       string // what it did and got
	Err        error
}

// Mark is something that happened to a node or a client, for the picture.
type Mark struct {
	Kind       string // role, view, fault
	Node       int    // -1 for none
	Client     int    // -1 for none
	Start, End time.Duration
	Text       string
}

// Result is the outcome of a world.
type Result struct {
	Scenario   *scenario.Scenario
	Violations []Violation
	History    []Record
	Marks      []Mark
	Commands   int            // that the clients sent
	Effects    map[string]int // how often each of Effects has happened
	Unjudged   int            // registers whose history was too much for the search

	later []func() []Violation
}

// Judge carries out the checks that may take long. It must be called outside the bubble: inside, the clock stands still
// while a checker computes, so its patience would never end.
func (r *Result) Judge() {
	for _, judge := range r.later {
		r.Violations = append(r.Violations, judge()...)
	}
	r.later = nil
}

// world is one run.
type world struct {
	t     *testing.T
	s     *scenario.Scenario
	d     *mongotest.Deployment
	net   *link.Network
	names *names
	login *login
	began time.Time

	clients   []*client
	workloads map[string]workload
	vault     *vault      // nil without a worker that uses it
	rested    atomic.Bool // the workers and the nemesis have ended

	mu     sync.Mutex
	result *Result
	failed map[string]int // violations by checker
}

// workload is what the workers of one kind do together.
type workload interface {
	// prepare writes what the operations need, while all is well.
	prepare(ctx context.Context, k *cleanClient) error
	// start makes what carries out the operations of one worker.
	start(k *worker) actor
	// check judges the history after peace has come. It reads over a network without faults.
	check(ctx context.Context, k *cleanClient) error
}

// actor carries out operations, one after the other. What do returns is a text for the history.
type actor interface {
	do(ctx context.Context, op scenario.Op) (string, error)
	close(ctx context.Context)
}

// Run carries out a scenario. It must be called in a synctest bubble, and Judge of what it returns outside.
func Run(t *testing.T, s *scenario.Scenario) *Result {
	w := &world{
		t: t, s: s, began: time.Now(), result: &Result{Scenario: s, Effects: map[string]int{}}, failed: map[string]int{},
		workloads: map[string]workload{},
	}
	if err := w.run(); err != nil {
		w.violate("world", "%v", err)
	}
	slices.SortStableFunc(w.result.History, func(a, b Record) int { return int(a.Start - b.Start) })
	return w.result
}

func (w *world) run() error {
	d, err := mongotest.New(w.deploymentOptions()...)
	if err != nil {
		return err
	}
	w.d = d
	w.names = newNames(w)
	w.net = link.New(w.s.World.Seed, link.Latency{Base: w.s.World.Latency, Jitter: w.s.World.Jitter}, w.names.dial)
	ctx := context.Background()
	k, err := w.newCleanClient(ctx)
	if err != nil {
		d.Close()
		return fmt.Errorf("a client over a clean network: %w", err)
	}
	err = w.live(ctx, k)
	w.summarize()
	k.close(ctx)
	w.closeDeployment()
	return err
}

// live is the world's life between the start of the deployment and its end.
func (w *world) live(ctx context.Context, k *cleanClient) error {
	for _, name := range scenario.Workloads {
		if made := w.workload(name); made != nil {
			if err := made.prepare(ctx, k); err != nil {
				return fmt.Errorf("%s: preparing: %w", name, err)
			}
			w.workloads[name] = made
		}
	}
	for _, c := range w.s.Clients {
		made := &client{world: w, plan: c, turn: make(chan struct{}, 1)}
		w.clients = append(w.clients, made)
		if err := made.open(ctx); err != nil {
			return fmt.Errorf("client %d: %w", c.Number, err)
		}
	}
	nemesis := newNemesis(w)
	stopped := make(chan struct{})
	var roles sync.WaitGroup
	roles.Go(func() { w.watchRoles(stopped) })
	var working sync.WaitGroup
	for _, plan := range w.s.Workers {
		working.Go(func() { w.work(ctx, plan) })
	}
	nemesis.run(ctx)
	working.Wait()
	w.rested.Store(true)
	w.awaitPeace(ctx)
	nemesis.countRolledBack(ctx, k)
	close(stopped)
	roles.Wait()
	for _, name := range scenario.Workloads {
		if made := w.workloads[name]; made != nil {
			if err := made.check(ctx, k); err != nil {
				w.violate(name, "the check cannot read: %v", err)
			}
			w.countEffect(judgedName(name))
		}
	}
	w.checkRecovery(ctx)
	for _, c := range w.clients {
		c.close(ctx)
	}
	return nil
}

// watchRoles marks who was primary when.
func (w *world) watchRoles(stopped <-chan struct{}) {
	if w.s.World.Shape != scenario.ReplicaSet {
		return
	}
	primary, since := w.d.Primary(), w.elapsed()
	for ended := false; !ended; {
		select {
		case <-stopped:
			ended = true
		case <-time.After(50 * time.Millisecond):
		}
		if now := w.d.Primary(); now != primary || ended {
			if now >= 0 && now != primary {
				w.countEffect("elected")
			}
			if primary >= 0 {
				w.mark(Mark{Kind: "role", Node: primary, Client: -1, Start: since, End: w.elapsed(), Text: "primary"})
			}
			primary, since = now, w.elapsed()
		}
	}
}

// elapsed returns how long the world has lasted.
func (w *world) elapsed() time.Duration { return time.Since(w.began) }

// perChecker is how many violations of one checker are kept.
const perChecker = 5

func (w *world) violate(checker, format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed[checker]++; w.failed[checker] <= perChecker {
		w.result.Violations = append(w.result.Violations, Violation{checker, w.elapsed(), fmt.Sprintf(format, args...)})
	}
}

// checkLater postpones a check until the world has ended.
func (w *world) checkLater(checker string, judge func() []string) {
	at := w.elapsed()
	w.result.later = append(w.result.later, func() (found []Violation) {
		for _, text := range judge() {
			found = append(found, Violation{checker, at, text})
		}
		return found
	})
}

func (w *world) mark(m Mark) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.result.Marks = append(w.result.Marks, m)
}
