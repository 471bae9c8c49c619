package mongo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/exec"
)

// run runs an operation, in the session of its context if there is one.
func (c *Client) run(ctx context.Context, op *exec.Operation) (*exec.Outcome, error) {
	if err := c.check(ctx); err != nil {
		return &exec.Outcome{}, err
	}
	if c.closed.Load() && !isCleaning(ctx) {
		return &exec.Outcome{}, fault.ErrClientClosed
	}
	if err := c.joinSession(ctx, op); err != nil {
		return &exec.Outcome{}, err
	}
	out, err := c.exec.Run(ctx, op)
	if err != nil && c.closed.Load() {
		err = wrapClientClosed(err)
	}
	return out, err
}

// wrapClientClosed says that Close ended an operation, if its error is a network error. Any other error stays: a
// server's reply is still true, and so is the end of a context.
func wrapClientClosed(err error) error {
	if errors.Is(err, fault.ErrClientClosed) || !fault.IsNetworkError(err) {
		return err
	}
	return fmt.Errorf("%w while the operation was under way: %w", fault.ErrClientClosed, err)
}

// joinSession makes an operation part of the session that its context carries.
func (c *Client) joinSession(ctx context.Context, op *exec.Operation) error {
	if op.Session != nil || op.Implicit == exec.NoSession {
		return nil
	}
	s := SessionFromContext(ctx)
	if s == nil {
		return nil
	}
	if s.client.shared != c.shared {
		return ErrWrongClient
	}
	op.Session = s.state
	return nil
}

// Ping waits until a server that the read preference allows has answered. A nil rp means the client's read preference.
func (c *Client) Ping(ctx context.Context, rp *options.ReadPreference) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	if rp == nil {
		rp = c.scope.readPreference
	}
	call := c.calls.ping.get()
	defer c.calls.ping.put(call)
	op := &call.op
	op.Command, op.DB, op.ReadPreference, op.Timeout = &call.cmd, "admin", rp, c.scope.timeout
	_, err := c.run(ctx, op)
	return err
}

// addLabels adds the labels of an outcome to those of earlier ones, each once. An outcome has labels at the top of its
// reply and in its write concern error, to which the driver adds its own.
//
// Transactions, "Error Labels".
func addLabels(labels []string, out *exec.Outcome) []string {
	for _, list := range [][]string{out.Labels, fault.LabelsOf(out.Reply)} {
		for _, label := range list {
			if !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
	}
	return labels
}

// writeException reads the failures in a reply.
func writeException(out *exec.Outcome) fault.WriteException {
	failed := fault.WriteException{
		WriteConcernError: fault.NewWriteConcernError(out.Reply), Address: out.Server.Address(), Raw: out.Reply,
		Labels: addLabels(nil, out),
	}
	failed.WriteErrors = fault.NewWriteErrors(out.Reply, 0)
	for i := range failed.WriteErrors {
		failed.WriteErrors[i].Index = 0 // there is only one statement, whatever index the server names
	}
	return failed
}

// writeConcernError returns the error of a command that succeeded although its write concern was not satisfied.
func writeConcernError(out *exec.Outcome) error {
	if out.Reply == nil {
		return nil
	}
	if out.Reply.Lookup(wire.FieldWriteConcernError).IsZero() {
		return nil
	}
	return out.AsTimeout(writeException(out))
}
