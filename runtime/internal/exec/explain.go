package exec

import (
	"context"
	"fmt"
	"strings"

	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/core/operation"
)

// Explains reports whether the log takes what is decided.
func (x *Executor) Explains() bool {
	return x.Commands.Events.Log.Enabled(logmsg.Operation, logmsg.Trace)
}

// explain logs what the decisions said about an event, and which of their rows did.
func (e *execution) explain(what operation.What) {
	Explain(e.x, e.meta.Operation, e.id, what, e.verdict.Do, e.verdict.Rows[:])
}

// explainTime does the same for what timeoutMS means to the operation.
func (e *execution) explainTime() {
	Explain(e.x, e.meta.Operation, e.id, e.op.Part, e.op.timed.Bound, e.op.timed.Rows[:])
}

// Reasoned is a row of a decision.
type Reasoned interface {
	comparable
	fmt.Stringer
	Reason() string
}

// Explain logs what decisions said about an event of an operation, or of the call that several operations belong to, and which of
// their rows did. Ask Explains first.
func Explain[R Reasoned](x *Executor, name string, id int64, event, verdict fmt.Stringer, decided []R) {
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
