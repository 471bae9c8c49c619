package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	selecttable "github.com/specdrivers/onion/generated/core/selection"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// encode writes the message of one try into the connection's buffer. A second pass adds the number of a retryable write
// if only the first one could tell that the message may have one.
func (t *try) encode(ctx context.Context) ([]byte, error) {
	msg, err := t.encodeOnce(ctx)
	items, ok := t.op.Command.(retryables)
	switch {
	case err != nil || !ok:
		return msg, err
	case t.retry == command.RetryWrite && t.retries > 0 && !items.RetryableItems(t.op.From, t.sent):
		return nil, errNoRetryHere // this server takes longer messages, so the message is not the same
	case t.mayRetry() && items.RetryableItems(t.op.From, t.sent):
		t.retry = command.RetryWrite
		return t.encodeOnce(ctx)
	}
	return msg, nil
}

// retryables is a command of which some items forbid a retry. Its Meta allows a retry only if all items do.
type retryables interface {
	RetryableItems(from, n int) bool
}

// mayRetry reports whether nothing but its items forbids a retry of the command. The message may leave those items to later
// ones: each command of a bulk write counts by itself. So does a command that is sent again because a server was overloaded:
// that server has written nothing.
//
// Retryable Writes, "Supported Write Operations".
func (t *try) mayRetry() bool {
	return t.retry == command.RetryNone && t.x.RetryWrites && !t.inTxn && t.acknowledged() && t.takesTxnNumbers()
}

// encodeOnce writes the command, the fields that every command has, and the sections of kind 1.
func (t *try) encodeOnce(ctx context.Context) ([]byte, error) {
	if t.wire.Hello().MaxWireVersion < t.op.MinWireVersion {
		return nil, t.encodeError(t.op.TooOld)
	}
	env := &t.op.env
	*env = command.Env{
		WireVersion: t.wire.Hello().MaxWireVersion, Unacknowledged: !t.acknowledged(), Timeout: t.op.csot,
		Marshal: t.x.Marshal,
	}
	if t.op.Marshal != nil {
		env.Marshal = t.op.Marshal
	}
	msg := t.wire.Begin(0)
	start := len(msg)
	encrypted := t.encrypts()
	var err error
	if encrypted {
		msg, err = t.appendEncrypted(ctx, msg, env)
	} else if msg, err = t.op.Command.Append(msg, env); err != nil {
		err = t.encodeError(err)
	}
	if err != nil {
		return nil, err
	}
	commandSize := len(msg) + 1 - start // not counting the fields that every command has
	if t.x.Commands.Tracing.Comment {
		msg = t.appendComment(ctx, msg, start)
	}
	if msg, err = t.appendGeneric(msg); err != nil {
		return nil, t.encodeError(err)
	}
	if msg, err = t.appendMaxTime(ctx, msg, env); err != nil {
		return nil, err
	}
	msg = bson.AppendDocumentEnd(msg, start)
	if err := t.checkSize(bson.Raw(msg[start:])); err != nil {
		return nil, t.encodeError(err)
	}
	if !encrypted {
		if msg, err = t.appendSequences(msg, commandSize, env); err != nil {
			return nil, t.encodeError(err)
		}
	}
	if env.Unacknowledged {
		conn.SetMoreToCome(msg)
	}
	return msg, nil
}

// appendSequences writes the sections of kind 1. An encrypted command has none: its documents are in arrays.
func (t *try) appendSequences(msg []byte, commandSize int, env *command.Env) ([]byte, error) {
	if ops, ok := t.op.Command.(Operations); ok {
		return t.appendOperations(msg, ops, commandSize, env)
	}
	if t.op.Batch != nil {
		return t.appendBatch(msg, env)
	}
	return msg, nil
}

// checkSize rejects a command that is too large for every server. The server would reset the connection, which looks
// like a network failure.
func (t *try) checkSize(body bson.Raw) error {
	most := int(t.wire.Hello().MaxBSONObjectSize)
	if len(body) <= most {
		return nil
	}
	for key, value := range body.All() {
		if len(value.Value) > most {
			return fault.CommandTooLargeError{Command: t.meta.Command, Field: strings.Clone(key), Size: len(value.Value), Limit: most}
		}
	}
	if limit := most + wire.CommandOverhead; len(body) > limit {
		return fault.CommandTooLargeError{Command: t.meta.Command, Size: len(body), Limit: limit}
	}
	return nil
}

func (t *try) encodeError(err error) error {
	return fmt.Errorf("mongo: %s: %w", t.meta.Operation, err)
}

// appendGeneric writes the fields that every command may carry.
func (t *try) appendGeneric(dst []byte) ([]byte, error) {
	dst, err := t.appendConcerns(dst)
	if err != nil {
		return dst, err
	}
	dst = bson.AppendStringElement(dst, "$db", t.op.DB)
	dst = t.appendSession(dst)
	dst = t.appendReadPreference(dst)
	return append(dst, t.x.ServerAPI...), nil
}

// appendConcerns writes the read and write concern. Inside a transaction only the transaction's concerns count.
func (t *try) appendConcerns(dst []byte) ([]byte, error) {
	if t.inTxn {
		return t.appendTransactionConcern(dst)
	}
	if t.meta.ReadConcern || t.snapshots() {
		var err error
		if dst, err = t.appendReadConcern(dst); err != nil {
			return dst, err
		}
	}
	if t.meta.AfterClusterTime && t.session != nil && !t.session.Snapshot() {
		dst = command.AppendReadConcern(dst, "readConcern", nil, t.after(), bson.Timestamp{})
	}
	if t.meta.WriteConcern {
		return command.AppendWriteConcern(dst, "writeConcern", t.op.WriteConcern, t.op.csot)
	}
	return dst, nil
}

// snapshots reports whether the command of a snapshot session starts a read of its own. A command that does not read
// also carries the read concern, so that the server rejects it. A command that continues a cursor does not.
//
// Snapshot Sessions, "Sending readConcern to the server on all commands".
func (t *try) snapshots() bool {
	return t.op.Server == nil && t.session != nil && t.session.Snapshot()
}

// appendReadConcern adds the time that a causally consistent session or a snapshot requires.
//
// Causal Consistency, "readConcern changes"; Snapshot Sessions, "Sending readConcern to the server on all commands".
func (t *try) appendReadConcern(dst []byte) ([]byte, error) {
	rc := t.op.ReadConcern
	s := t.session
	if s == nil || s.Implicit() {
		return command.AppendReadConcern(dst, "readConcern", rc, bson.Timestamp{}, bson.Timestamp{}), nil
	}
	if s.Snapshot() {
		if t.wire.Hello().MaxWireVersion < snapshotReads {
			return dst, errors.New(txn.SnapshotReadsUnsupported("5.0"))
		}
		return command.AppendReadConcern(dst, "readConcern", snapshotConcern, bson.Timestamp{}, s.SnapshotTime()), nil
	}
	return command.AppendReadConcern(dst, "readConcern", rc, t.after(), bson.Timestamp{}), nil
}

// after is the latest time that a causally consistent session has seen. A standalone server has no cluster time to wait
// for.
//
// Causal Consistency, "Causally consistent read and write commands".
func (t *try) after() bson.Timestamp {
	if t.server.Type() == description.Standalone {
		return bson.Timestamp{}
	}
	return t.session.After()
}

var (
	snapshotConcern = &options.ReadConcern{Level: "snapshot"}

	// snapshotReads is the first wire version with snapshot reads outside of transactions.
	snapshotReads = int32(wire.Server50)
)

// appendSession writes lsid, the number of a transaction or retryable write, and $clusterTime.
func (t *try) appendSession(dst []byte) []byte {
	if t.session != nil {
		dst = bson.AppendDocumentElement(dst, "lsid", t.session.Server().ID())
		switch {
		case t.inTxn:
			dst = t.appendTransaction(dst)
		case t.retry == command.RetryWrite:
			if t.txnNumber == 0 {
				t.txnNumber = t.session.Server().NextTxnNumber()
			}
			dst = bson.AppendInt64Element(dst, "txnNumber", t.txnNumber)
		}
	}
	if now := t.clusterTime(); now != nil {
		dst = bson.AppendDocumentElement(dst, "$clusterTime", now)
	}
	return dst
}

// clusterTime is the later time of the client's and the session's. A standalone server has none, so the driver sends
// none. Sessions, "Gossipping the cluster time".
func (t *try) clusterTime() bson.Raw {
	if t.server.Type() == description.Standalone {
		return nil
	}
	if t.session == nil {
		return t.x.Clock.Now()
	}
	return t.x.Clock.Later(t.session.Clock())
}

// appendReadPreference uses the table that says which kind of server gets which mode.
func (t *try) appendReadPreference(dst []byte) []byte {
	if t.meta.Access != command.Read && !t.meta.ReadPreference {
		return dst
	}
	if t.meta.Access == command.Write && t.wire.Hello().MaxWireVersion < writesOnSecondaries {
		return dst // only a primary runs it; behind a load balancer only the connection tells
	}
	given := t.readPreference
	topologyType := t.x.Topology.Description().Type
	mode, send := selecttable.PassReadPreference(topologyType, t.server.Type(), readPreferenceMode(given))
	if !send {
		return dst
	}
	if given == nil || given.Mode != mode {
		changed := options.ReadPreference{Mode: mode}
		if given != nil && given.Mode != 0 {
			changed = *given
			changed.Mode = mode
		}
		given = &changed
	}
	return command.AppendReadPreference(dst, "$readPreference", given)
}

// appendBatch writes as many items as the server accepts in one message.
func (t *try) appendBatch(msg []byte, env *command.Env) ([]byte, error) {
	hello := t.wire.Hello()
	msg, start := conn.BeginSequence(msg, t.meta.Sequence)
	t.sent = 0
	for i := t.op.From; i < t.op.Batch.Items() && t.sent < int(hello.MaxWriteBatchSize); i++ {
		before := len(msg)
		var err error
		if msg, err = t.op.Batch.AppendItem(msg, i, env); err != nil {
			return nil, err
		}
		if size, limit := len(msg)-before, t.itemLimit(); size > limit {
			if t.sent > 0 { // send the earlier items first
				msg = msg[:before]
				break
			}
			return nil, fault.DocumentTooLargeError{Index: i, Size: size, Limit: limit}
		}
		if t.sent > 0 && len(msg) > int(hello.MaxMessageSizeBytes) {
			msg = msg[:before]
			break
		}
		t.sent++
		msg = growBatch(msg, len(msg)-start, t.sent, t.op.Batch.Items()-i-1, int(hello.MaxMessageSizeBytes))
	}
	return conn.EndSequence(msg, start), nil
}

// growBatch makes room for the items that remain, as far as the ones before let it guess. Growing in the usual steps of
// a quarter would copy the start of a message of 48 MB twenty times. A wrong guess costs three times the memory at most.
func growBatch(msg []byte, size, sent, remain, limit int) []byte {
	average := size/sent + 1
	if remain == 0 || cap(msg)-len(msg) >= average {
		return msg
	}
	return slices.Grow(msg, min(average*remain, 3*len(msg), max(limit-len(msg), 0)+average))
}

// itemLimit is the maximum size of an item. A document to insert may be as large as any document. A statement may also
// have the bytes that it adds to the document inside it.
func (t *try) itemLimit() int {
	return int(t.wire.Hello().MaxBSONObjectSize) + t.meta.ItemOverhead
}
