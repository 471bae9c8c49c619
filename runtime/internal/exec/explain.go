package exec

import (
	"context"
	"fmt"
	"strings"

	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/core/operation"
)

// explains reports whether the log takes what is decided.
func (e *execution) explains() bool {
	return e.x.Commands.Events.Log.Enabled(logmsg.Operation, logmsg.Trace)
}

// explain logs what the decisions said about an event, and which of their rows did.
func (e *execution) explain(what operation.What) {
	explain(e, what, e.verdict.Do, e.verdict.Rows[:])
}

// explainTime does the same for what timeoutMS means to the operation.
func (e *execution) explainTime() {
	explain(e, e.op.Part, e.op.timed.Bound, e.op.timed.Rows[:])
}

// reasoned is a row of a decision.
type reasoned interface {
	comparable
	fmt.Stringer
	Reason() string
}

func explain[R reasoned](e *execution, event, verdict fmt.Stringer, decided []R) {
	var rows []string
	var none R
	for _, row := range decided {
		if row != none {
			rows = append(rows, row.String()+" ("+strings.TrimSuffix(row.Reason(), ".")+")")
		}
	}
	e.x.Commands.Events.Log.Log(context.Background(), &logmsg.OperationDecided{
		Operation: e.meta.Operation, OperationID: e.id, Event: event.String(), Verdict: verdict.String(),
		Rows: strings.Join(rows, ", "),
	})
}
