package world

import (
	"context"
	"errors"
	"time"

	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// grace is how much longer than its deadline an operation may take.
const grace = 50 * time.Millisecond

// worker carries out the operations of one workload.
type worker struct {
	*world
	plan   scenario.Worker
	client *client
}

// db returns the database of the client that is open now.
func (k *worker) db() *mongo.Database { return database(k.client.mongo()) }

// work waits for the time of each operation and has the actor do it.
func (w *world) work(ctx context.Context, plan scenario.Worker) {
	k := &worker{world: w, plan: plan, client: w.clients[plan.Client]}
	a := w.workloads[plan.Workload].start(k)
	for _, op := range w.s.Ops {
		if op.Worker != plan.Number {
			continue
		}
		if wait := op.At - w.elapsed(); wait > 0 {
			<-time.After(wait)
		}
		k.do(ctx, a, op)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	a.close(ctx)
}

// do carries out one operation and checks its time and its error.
func (k *worker) do(ctx context.Context, a actor, op scenario.Op) {
	record := Record{Worker: k.plan.Number, Workload: k.plan.Workload, Client: k.plan.Client, Op: op, Start: k.elapsed()}
	ctx, cancel := context.WithTimeout(ctx, op.Timeout)
	defer cancel()
	follow := newTrace(k.plan.Number, k.client.plan.Timeout > 0)
	record.Text, record.Err = a.do(context.WithValue(ctx, traceKey{}, follow), op)
	k.client.currentObserver().endOperation(follow)
	record.End = k.elapsed()
	k.mu.Lock()
	k.result.History = append(k.result.History, record)
	k.mu.Unlock()
	if took, allowed := record.End-record.Start, k.timeAllowed(op); took > allowed+grace {
		k.violate("deadline", "worker %d: %s took %v, %v was allowed: %v", k.plan.Number, op.Kind, took, allowed, record.Err)
	}
	if took := record.End - record.Start; took >= op.Timeout {
		k.countEffect(judgedDeadline)
	} else if timeout := k.client.plan.Timeout; timeout > 0 && took >= timeout && k.timeAllowed(op) == timeout {
		k.countEffect(judgedTimeout)
	}
	if record.Err != nil {
		k.countEffect(judgedErrors)
	}
	if errors.Is(record.Err, mongo.ErrClientClosed) {
		k.countEffect(scenario.CloseClient)
	}
	if record.Err != nil && !k.client.isExpected(record.Err, k.began.Add(record.Start)) {
		k.violate("errors", "worker %d: %s at %v: %v", k.plan.Number, op.Kind, record.Start, record.Err)
	}
}

// timeAllowed returns how long an operation may last. One that closes a cursor or aborts a transaction afterwards may last
// longer than its context. One that is a single call of the driver must keep the client's timeoutMS as well.
func (k *worker) timeAllowed(op scenario.Op) time.Duration {
	switch k.plan.Workload {
	case scenario.Cursor, scenario.Bank, scenario.Lists:
		return op.Timeout + max(2*time.Second, k.client.plan.Timeout)
	case scenario.Register, scenario.Ledger, scenario.Causal, scenario.GridFS, scenario.Vault:
		if k.client.plan.Timeout > 0 && op.Kind != "receive" && op.Kind != "huge" { // one waits before its call, the other makes two
			return min(op.Timeout, k.client.plan.Timeout)
		}
	}
	return op.Timeout
}

// callInTime checks that one call of the driver ends with its context.
func (k *worker) callInTime(ctx context.Context, what string, call func() error) error {
	err := call()
	if deadline, ok := ctx.Deadline(); ok && time.Since(deadline) > grace {
		k.violate("deadline", "worker %d: %s ended %v after its context: %v", k.plan.Number, what, time.Since(deadline), err)
	}
	return err
}

// ErrNothing is the error of an operation that had nothing to work on, or that lost against another operation, as it may.
var ErrNothing = errors.New("nothing to do")
