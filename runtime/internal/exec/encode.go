package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	selecttable "github.com/specdrivers/onion/generated/core/selection"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// encode writes the message of one try into the connection's buffer, with the fields that the verdict names.
func (e *execution) encode(ctx context.Context) error {
	if err := e.prepareSession(); err != nil {
		return err
	}
	msg, err := e.appendMessage(ctx, e.try.wire.Begin(0))
	e.try.msg = msg
	return err
}

// appendMessage writes the command, the fields that every command has, and the sections of kind 1.
func (e *execution) appendMessage(ctx context.Context, msg []byte) ([]byte, error) {
	if e.try.wire.Hello().MaxWireVersion < e.op.MinWireVersion {
		return nil, e.encodeError(e.op.TooOld)
	}
	env := e.environment(e.try.wire.Hello().MaxWireVersion)
	start := len(msg)
	encrypted := e.encrypts()
	var err error
	if encrypted {
		msg, err = e.appendEncrypted(ctx, msg, env)
	} else if msg, err = e.op.Command.Append(msg, env); err != nil {
		err = e.encodeError(err)
	}
	if err != nil {
		return nil, err
	}
	commandSize := len(msg) + 1 - start // not counting the fields that every command has
	if e.x.Commands.Tracing.Comment {
		msg = e.appendComment(ctx, msg, start)
	}
	if msg, err = e.appendGeneric(msg); err != nil {
		return nil, e.encodeError(err)
	}
	if msg, err = e.appendMaxTime(ctx, msg, env); err != nil {
		return nil, err
	}
	msg = bson.AppendDocumentEnd(msg, start)
	if err := e.checkSize(bson.Raw(msg[start:])); err != nil {
		return nil, e.encodeError(err)
	}
	if !encrypted {
		if msg, err = e.appendSequences(msg, commandSize, env); err != nil {
			return nil, e.encodeError(err)
		}
	}
	if env.Unacknowledged {
		conn.SetMoreToCome(msg)
	}
	return msg, nil
}

// environment is what the encoders of commands have to know.
func (e *execution) environment(wireVersion int32) *command.Env {
	env := &e.op.env
	*env = command.Env{
		WireVersion: wireVersion, Unacknowledged: !e.acknowledged(), Timeout: e.ignoresOldTimeouts(), Marshal: e.x.Marshal,
	}
	if e.op.Marshal != nil {
		env.Marshal = e.op.Marshal
	}
	return env
}

// retryables is a command of which some items forbid a retry. Its Meta allows a retry only if all items do.
type retryables interface {
	RetryableItems(from, n int) bool
}

// appendSequences writes the sections of kind 1. An encrypted command has none: its documents are in arrays.
func (e *execution) appendSequences(msg []byte, commandSize int, env *command.Env) ([]byte, error) {
	if ops, ok := e.op.Command.(Operations); ok {
		return e.appendOperations(msg, ops, commandSize, env)
	}
	if e.op.Batch != nil {
		return e.appendBatch(msg, env)
	}
	return msg, nil
}

// checkSize rejects a command that is too large for every server. The server would reset the connection, which looks
// like a network failure.
func (e *execution) checkSize(body bson.Raw) error {
	most := int(e.try.wire.Hello().MaxBSONObjectSize)
	if len(body) <= most {
		return nil
	}
	for key, value := range body.All() {
		if len(value.Value) > most {
			return fault.CommandTooLargeError{Command: e.meta.Command, Field: strings.Clone(key), Size: len(value.Value), Limit: most}
		}
	}
	if limit := most + wire.CommandOverhead; len(body) > limit {
		return fault.CommandTooLargeError{Command: e.meta.Command, Size: len(body), Limit: limit}
	}
	return nil
}

func (e *execution) encodeError(err error) error {
	return fmt.Errorf("mongo: %s: %w", e.meta.Operation, err)
}

// appendReadPreference uses the table that says which kind of server gets which mode.
func (e *execution) appendReadPreference(dst []byte) []byte {
	if e.meta.Access != command.Read && !e.meta.ReadPreference {
		return dst
	}
	if e.meta.Access == command.Write && !wire.OutOnSecondary.In(e.try.wire.Hello().MaxWireVersion) {
		return dst // only a primary runs it; behind a load balancer only the connection tells
	}
	given := e.try.readPreference
	topologyType := e.x.Topology.Description().Type
	mode, send := selecttable.PassReadPreference(topologyType, e.try.server.Type(), readPreferenceMode(given))
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
func (e *execution) appendBatch(msg []byte, env *command.Env) ([]byte, error) {
	hello := e.try.limits
	msg, start := conn.BeginSequence(msg, e.meta.Sequence)
	e.try.sent = 0
	for i := e.op.From; i < e.op.Batch.Items() && e.try.sent < int(hello.MaxWriteBatchSize); i++ {
		before := len(msg)
		var err error
		if msg, err = e.op.Batch.AppendItem(msg, i, env); err != nil {
			return nil, err
		}
		if size, limit := len(msg)-before, e.itemLimit(); size > limit {
			if e.try.sent > 0 { // send the earlier items first
				msg = msg[:before]
				break
			}
			return nil, fault.DocumentTooLargeError{Index: i, Size: size, Limit: limit}
		}
		if e.try.sent > 0 && len(msg) > int(hello.MaxMessageSizeBytes) {
			msg = msg[:before]
			break
		}
		e.try.sent++
		msg = growBatch(msg, len(msg)-start, e.try.sent, e.op.Batch.Items()-i-1, int(hello.MaxMessageSizeBytes))
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
func (e *execution) itemLimit() int {
	return int(e.try.limits.MaxBSONObjectSize) + e.meta.ItemOverhead
}
