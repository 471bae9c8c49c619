package exec

import (
	"context"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// encode writes the message of one try into the connection's buffer, with the fields that the verdict names.
func (e *execution) encode(ctx context.Context) error {
	e.began = time.Now()
	if err := e.prepareSession(); err != nil {
		return err
	}
	msg, err := e.appendMessage(ctx, e.try.wire.Begin(0))
	e.try.msg = msg
	return err
}

// appendMessage writes the command, the fields that every command has, and the sections of kind 1.
func (e *execution) appendMessage(ctx context.Context, msg []byte) ([]byte, error) {
	if e.try.limits.MaxWireVersion < e.op.MinWireVersion {
		return nil, e.encodeError(e.op.TooOld)
	}
	env := e.environment(e.try.limits.MaxWireVersion)
	start := len(msg)
	encrypted := e.encrypts()
	if e.op.Part == timeout.GetMore {
		e.shortenAwait(ctx)
	}
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
		if msg, err = e.appendSequences(msg, inSections, commandSize, env); err != nil {
			return nil, e.encodeError(err)
		}
	}
	if env.Unacknowledged {
		conn.SetMoreToCome(msg)
	}
	return msg, nil
}

// environment returns what the encoders of commands have to know.
func (e *execution) environment(wireVersion int32) *emitted.Env {
	env := &e.op.env
	*env = emitted.Env{
		WireVersion: wireVersion, Unacknowledged: !e.isAcknowledged(), Timeout: e.ignoresOldTimeouts(), Marshal: e.x.Marshal,
	}
	if e.op.Marshal != nil {
		env.Marshal = e.op.Marshal
	}
	return env
}

// checkSize rejects a command that is too large for every server. The server would reset the connection, which looks
// like a network failure.
func (e *execution) checkSize(body bson.Raw) error {
	most := int(e.try.limits.MaxBSONObjectSize)
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
