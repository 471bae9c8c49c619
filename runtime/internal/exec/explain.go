package exec

import (
	"context"
	"fmt"
	"strings"

	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/core/operation"
)

// Explains reports whether the log wants explanations of decisions.
func (x *Executor) Explains() bool {
	return x.Commands.Events.Log.Enabled(logmsg.Operation, logmsg.Trace)
}

// explain logs the verdict on an event, and the rows that led to it.
func (e *execution) explain(what operation.What) {
	Explain(e.x, e.meta.Operation, e.id, what, e.verdict.Do, e.verdict.Rows[:])
}

// explainTime does the same for the verdict on timeoutMS.
func (e *execution) explainTime() {
	Explain(e.x, e.meta.Operation, e.id, e.op.Part, e.op.timeVerdict.Bound, e.op.timeVerdict.Rows[:])
}

// Number returns the number under which the log explains the decisions about a call that sends several operations. It allots
// one if the call has none yet.
func (x *Executor) Number(call *int64) int64 {
	if *call == 0 {
		*call = x.NextID()
	}
	return *call
}

// Reasoner is a row of a decision, which states its reason.
type Reasoner interface {
	comparable
	fmt.Stringer
	Reason() string
}

// Explain logs the verdict on an event of an operation, or of a call with several operations, and the rows that led to
// it. Ask Explains first.
func Explain[R Reasoner](x *Executor, name string, id int64, event, verdict fmt.Stringer, decided []R) {
	var rows []string
	var none R
	for _, row := range decided {
		if row != none {
			rows = append(rows, row.String()+" ("+strings.TrimSuffix(row.Reason(), ".")+")")
		}
	}
	x.Commands.Events.Log.Log(context.Background(), &logmsg.OperationDecided{
		Operation: name, OperationID: id, Event: event.String(), Verdict: verdict.String(), Rows: strings.Join(rows, ", "),
	})
}
