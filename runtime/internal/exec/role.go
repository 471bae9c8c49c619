package exec

import (
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/runtime/concern"
)

// isAcknowledged reports whether the server replies to the operation.
func (e *execution) isAcknowledged() bool {
	return !e.meta.WriteConcern || concern.IsAcknowledged(e.op.WriteConcern) || e.inTransaction()
}

// inTransaction reports whether the operation's session has a transaction. Commands of a transaction carry no write
// concern.
func (e *execution) inTransaction() bool {
	s := e.op.Session
	return s != nil && !e.op.endsTransaction() && s.Transaction().Active()
}

// endsTransaction reports whether the operation commits or aborts the transaction of its session.
func (op *Operation) endsTransaction() bool {
	switch op.Command.(type) {
	case *command.CommitTransaction, *command.AbortTransaction:
		return true
	}
	return false
}

// belongsToTransaction reports whether the operation is part of a transaction, or ends one.
func (e *execution) belongsToTransaction() bool { return e.course.State.Role > operation.OnCursor }
