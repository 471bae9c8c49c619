package mongo

import "github.com/specdrivers/onion/runtime/internal/exec"

// explained is the number under which the log explains what is decided about a call of several operations, or 0.
type explained int64

// explain calls f with the number. The call gets one of its own when something is explained for the first time.
func (e *explained) explain(x *exec.Executor, f func(id int64)) {
	if *e == 0 {
		*e = explained(x.NextID())
	}
	f(int64(*e))
}
