package mongo

import "github.com/specdrivers/onion/runtime/internal/exec"

// explanationID is the number under which the log explains the decisions about a call that sends several operations. It
// is 0 until the first explanation.
type explanationID int64

// explain calls f with the number, which it allots first if there is none.
func (e *explanationID) explain(x *exec.Executor, f func(id int64)) {
	if *e == 0 {
		*e = explanationID(x.NextID())
	}
	f(int64(*e))
}
