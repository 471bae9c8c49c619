package mongo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// RunCommand sends a command as it is and returns the server's reply. The command's first field must be its name: pass
// a bson.D, a bson.Raw or a struct. The read preference of the options selects the server; without one, that is the
// primary. The read preference, read concern and write concern of the client do not apply.
//
// The driver does not look into the command. It adds the fields that every command has, such as $db, lsid,
// $readPreference and the fields of the stable API. If the command already has one of them, the effect is undefined. A
// command is retried only when the server was too busy to begin it, and only with both RetryReads and RetryWrites on,
// as they are by default.
//
// If the command has a maxTimeMS, it goes to the server as it is. The deadline of ctx adds none. A Timeout does add
// one, whether it comes from the options, the database or the client, so do not combine a Timeout with your own
// maxTimeMS.
func (d *Database) RunCommand(ctx context.Context, runCommand any, opts ...*options.RunCommand) *SingleResult {
	if err := d.check(ctx); err != nil {
		return &SingleResult{err: err}
	}
	var o options.RunCommand
	if given := mergeOptions(opts); given != nil {
		o = *given
	}
	cmd := &rawCommand{timeout: o.Timeout}
	op := &exec.Operation{Command: cmd, DB: d.name, ReadPreference: o.ReadPreference}
	return runSingleInSpan(ctx, d.client, op, func(ctx context.Context) *SingleResult {
		if err := cmd.encode(d.scope, runCommand); err != nil {
			return &SingleResult{err: err}
		}
		out, err := d.run(ctx, op)
		if err != nil {
			return &SingleResult{err: err}
		}
		return &SingleResult{doc: out.Reply, unmarshal: d.scope.unmarshal}
	})
}

// RunCursorCommand sends a command whose reply opens a cursor, and returns the cursor. It treats the command as
// RunCommand does. BatchSize, MaxAwaitTime and Comment of the options are for later batches: write the values for the
// first batch into the command. CursorType must match the command's tailable and awaitData; otherwise the effect is
// undefined.
func (d *Database) RunCursorCommand(ctx context.Context, runCommand any, opts ...*options.RunCursorCommand) (*Cursor, error) {
	if err := d.check(ctx); err != nil {
		return nil, err
	}
	var o options.RunCursorCommand
	if given := mergeOptions(opts); given != nil {
		o = *given
	}
	cmd := &rawCommand{timeout: o.Timeout}
	op := &exec.Operation{Command: cmd, DB: d.name, ReadPreference: o.ReadPreference, Answer: exec.OpenCursor}
	return runInSpan(ctx, d.client, op, func(ctx context.Context) (*Cursor, error) {
		bounds, err := newCursorTimeout(ctx, cursorOptions{
			origin: timeout.OwnCommand, own: o.Timeout, inherited: d.scope.timeout,
			mode: o.TimeoutMode, kind: o.CursorType, maxAwait: o.MaxAwaitTime,
		})
		if err != nil {
			return nil, err
		}
		if err := cmd.encode(d.scope, runCommand); err != nil {
			return nil, err
		}
		comment, err := d.scope.comment(o.Comment)
		if err != nil {
			return nil, err
		}
		bounds.adjustOpening(op)
		out, err := d.run(ctx, op)
		if err != nil {
			return nil, err
		}
		settings := cursorSettings{
			comment: comment, tailable: isTailable(o.CursorType), batchSize: option.Or(o.BatchSize, 0),
			maxAwaitTime: option.Or(o.MaxAwaitTime, 0), timeout: bounds,
		}
		cursor, err := newCursor(d.client, d.name, d.scope, out, settings)
		if err != nil {
			return nil, fmt.Errorf("mongo: the reply to %s has no cursor: use RunCommand: %w", cmd.name, err)
		}
		return cursor, nil
	})
}

// rawCommand is a command that a program wrote itself.
type rawCommand struct {
	name    string
	body    bson.Raw
	timeout *time.Duration
}

func (c *rawCommand) encode(s scope, runCommand any) (err error) {
	if err := encode.RefuseUnordered("cmd", runCommand); err != nil {
		return err
	}
	if c.body, err = encode.Document(s.marshal, "command", runCommand); err != nil {
		return err
	}
	if c.name = encode.FirstKey(c.body); c.name == "" {
		return errors.New("mongo: the command is empty")
	}
	return nil
}

// Append writes the command and leaves its document open.
func (c *rawCommand) Append(dst []byte, _ *emitted.Env) ([]byte, error) {
	return append(dst, c.body[:len(c.body)-1]...), nil
}

// Timeout returns the timeout of the options.
func (c *rawCommand) Timeout() *time.Duration { return c.timeout }

// Meta leaves Access open, since the driver does not look into the command. Server selection treats the command as a
// read.
func (c *rawCommand) Meta() command.Meta {
	return command.Meta{Command: c.name, Operation: "runCommand", ReadPreference: true}
}
