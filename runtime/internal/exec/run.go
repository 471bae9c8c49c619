package exec

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
)

// Run runs an operation and retries it as the specifications require. The outcome belongs to the operation and is good
// until the operation runs again.
//
// A write that was applied but whose write concern was not satisfied is an outcome, not an error. The reply shows the
// failure.
func (x *Executor) Run(ctx context.Context, op *Operation) (*Outcome, error) {
	if !x.Traces() {
		return x.run(ctx, op)
	}
	var out *Outcome
	err := x.RunInSpan(ctx, op, func(ctx context.Context) (err error) {
		out, err = x.run(ctx, op)
		return err
	})
	return out, err
}

func (x *Executor) run(ctx context.Context, op *Operation) (*Outcome, error) {
	e := &op.execution
	if e.op != nil { // the operation has run before
		*e = execution{}
	}
	ctx, cancel, err := x.bound(ctx, op)
	if err != nil {
		return &e.out, err
	}
	defer cancel()
	x.counters.begin()
	e.x, e.op, e.meta, e.id = x, op, op.Command.Meta(), op.ID
	if e.id == 0 {
		e.id = x.NextID()
	}
	if c, ok := op.Command.(collectionCommand); ok {
		e.collection = c.Target()
	}
	if e.explains = x.Explains(); e.explains {
		e.explainTime()
	}
	e.slot = x.running.enter(RunningOperation{
		ID: e.id, Operation: e.meta.Operation, Database: op.DB, Collection: e.collection, Began: time.Now(),
	})
	err = errPanicked
	defer func() { // a method of the program's own document may panic during encoding
		e.slot.leave()
		var reply bson.Raw
		if e.partial {
			reply = e.out.Reply
		}
		x.counters.end(err, reply)
	}()
	err = e.run(ctx)
	return &e.out, err
}
