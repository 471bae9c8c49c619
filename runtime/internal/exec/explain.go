package exec

import (
	"context"
	"strings"

	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/core/operation"
)

// explain logs what the decisions said about an event, and which of their rows did.
func (e *execution) explain(what operation.What) {
	var rows []string
	for _, row := range e.verdict.Rows {
		if row != 0 {
			rows = append(rows, row.String()+" ("+strings.TrimSuffix(row.Reason(), ".")+")")
		}
	}
	e.x.Commands.Events.Log.Log(context.Background(), &logmsg.OperationDecided{
		Operation: e.meta.Operation, OperationID: e.id, Event: what.String(), Verdict: e.verdict.Do.String(),
		Rows: strings.Join(rows, ", "),
	})
}
