package exec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/retry"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
)

// facts are what one walk over a reply finds out about the command.
type facts struct {
	ok                bool
	writeConcernError bool
	writeErrors       bool
	errorLabels       bool
}

// news are what an intact reply says to the operation, its session and the client.
type news struct {
	partial                                                          bool // see execution
	clusterTime, operationTime, recoveryToken, atClusterTime, cursor bson.RawValue
}

// read walks over a reply once. It finds out whether the reply is intact and ok, and whether a write concern failed. If
// the reply is intact, read passes its news on to the session and the client.
func (e *execution) read(reply bson.Raw) (facts, error) {
	var f facts
	var told news
	size := emptyDocumentSize
	for key, value := range reply.All() {
		size += elementSize(key, value)
		if !isIntactInside(key, value, bson.DefaultMaxDepth-1) {
			return facts{}, e.malformedError(errMalformed)
		}
		switch key {
		case "ok":
			n, _ := value.AsFloat64OK()
			f.ok = n == 1
		case wire.FieldClusterTime:
			told.clusterTime = value
		case "operationTime":
			told.operationTime = value
		case wire.FieldRecoveryToken:
			told.recoveryToken = value
		case wire.FieldAtClusterTime:
			told.atClusterTime = value
		case wire.FieldCursor:
			told.cursor = value
		case wire.FieldWriteConcernError:
			f.writeConcernError, told.partial = true, true
		case wire.FieldWriteErrors:
			f.writeErrors, told.partial = true, true
		case wire.FieldNErrors:
			told.partial = true
		case wire.FieldErrorLabels:
			f.errorLabels = true
		}
	}
	if !isFramed(reply) || size != len(reply) {
		return facts{}, e.malformedError(errMalformed)
	}
	e.learn(&told)
	if f.ok {
		return f, nil
	}
	reply, err := fault.ReadReply(reply)
	if err != nil {
		return f, e.malformedError(err)
	}
	return f, fault.NewCommandError(e.meta.Command, e.try.server.Address(), reply)
}

// learn keeps the news of a reply.
func (e *execution) learn(told *news) {
	e.partial = e.partial || told.partial
	clusterTime, _ := told.clusterTime.DocumentOK()
	if clusterTime != nil && !e.x.Clock.Advance(clusterTime) {
		e.warnTooLarge(wire.FieldClusterTime, len(clusterTime))
	}
	if e.session == nil {
		return
	}
	if clusterTime != nil && !e.session.IsImplicit() { // an implicit session never knows more than the client
		e.session.Clock().Advance(clusterTime)
	}
	if at, ok := timestampOf(told.operationTime); ok {
		e.session.AdvanceOperationTime(at)
	}
	if !told.recoveryToken.IsZero() && e.belongsToTransaction() {
		e.noteRecoveryToken(told.recoveryToken)
	}
	if e.session.Snapshot() {
		e.noteSnapshot(told.atClusterTime)
		cursor, _ := told.cursor.DocumentOK()
		e.noteSnapshot(cursor.Lookup(wire.FieldAtClusterTime))
	}
}

// noteSnapshot keeps the point in time that the first read of a snapshot session saw.
//
// Snapshot Sessions, "Sending readConcern to the server on all commands".
func (e *execution) noteSnapshot(value bson.RawValue) {
	if at, ok := timestampOf(value); ok {
		e.session.SetSnapshotTime(at)
	}
}

func timestampOf(value bson.RawValue) (bson.Timestamp, bool) {
	t, i, ok := value.TimestampOK()
	return bson.Timestamp{T: t, I: i}, ok
}

// noteRecoveryToken keeps the latest token of a mongos. It ignores an empty token in the reply to a commit: a mongos
// that recovers the commit of another mongos sends one, because it does not know the transaction. If the driver sent
// that token on, the next mongos would answer that the transaction has written nothing, and withTransaction would run
// it twice.
//
// Transactions, "recoveryToken field".
func (e *execution) noteRecoveryToken(value bson.RawValue) {
	token, _ := value.DocumentOK()
	if e.course.State.Role == operation.Commit && len(token) <= emptyDocumentSize {
		return
	}
	if len(token) > txn.MaxRecoveryTokenSize {
		// The token before it might say that nothing was written, which is no longer true. Without one, a router that
		// does not know the transaction refuses to end it. departures.yaml, large-recovery-tokens.
		e.keepRecoveryToken(nil)
		e.warnTooLarge(wire.FieldRecoveryToken, len(token))
		return
	}
	e.keepRecoveryToken(bytes.Clone(token)) // a copy: the reply may be large, and its memory may be reused
}

// keepRecoveryToken keeps a token for the command that ends the transaction. If that command is this operation, its
// next try sends the token.
func (e *execution) keepRecoveryToken(token bson.Raw) {
	e.session.Transaction().RecoveryToken = token
	switch end := e.op.Command.(type) {
	case *command.CommitTransaction:
		end.RecoveryToken = token
	case *command.AbortTransaction:
		end.RecoveryToken = token
	}
}

// warnTooLarge logs, once per client, that a server sent a field that is too large to be sent back.
func (e *execution) warnTooLarge(field string, size int) {
	e.x.warned.Do(func() {
		e.x.Commands.Events.Log.Warn(context.Background(), fmt.Sprintf(
			"%s sent a %s of %d bytes, too large to send with later commands: the driver ignores it "+
				"and will not log this again", e.try.server.Address(), field, size))
	})
}

// reportedFailure returns the failure that a reply with ok: 1 reports: a write concern that was not satisfied or, if
// the server has labelled the reply, statements that failed. Without labels, failed statements stay in the reply for
// the operation's result.
func (e *execution) reportedFailure(f facts) error {
	failed := fault.WriteException{Address: e.try.server.Address(), Raw: e.try.reply}
	switch {
	case f.writeConcernError:
		if failed.WriteConcernError = fault.NewWriteConcernError(e.try.reply); failed.WriteConcernError == nil {
			return nil
		}
		failed.Labels = failed.WriteConcernError.Labels
		return failed
	case f.writeErrors && f.errorLabels:
		failed.WriteErrors, failed.Labels = fault.NewWriteErrors(e.try.reply, 0), fault.LabelsOf(e.try.reply)
		return failed
	}
	return nil
}

// adviseOnEngine says what to do if a storage engine has no retryable writes. Only the server's text identifies this
// error. Retryable Writes, "Behavioral Changes for Write Commands".
func adviseOnEngine(err error) error {
	c, ok := errors.AsType[fault.CommandError](err)
	if ok && c.Code == errcode.IllegalOperation && strings.HasPrefix(c.Message, retry.TransactionNumbers()) {
		c.Message = retry.RetryableWritesUnsupported()
		return c
	}
	return err
}
