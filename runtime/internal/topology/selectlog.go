package topology

import (
	"context"
	"errors"
	"time"

	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/observe"
	"github.com/specdrivers/onion/runtime/sdam"
	"github.com/specdrivers/onion/runtime/selection"
)

// logsSelection reports whether the log wants messages about server selection.
func (t *Topology) logsSelection() bool {
	return t.cfg.Log.Enabled(logmsg.ServerSelection, logmsg.Debug) ||
		t.cfg.Log.Enabled(logmsg.ServerSelection, logmsg.Informational)
}

// selectLogging is SelectServer with the messages of the component serverSelection.
//
// Server Selection, "Logging".
func (t *Topology) selectLogging(ctx context.Context, r *Request, selector *selection.Selector) (*Server, error) {
	wanted := selector.String()
	now := t.current.Load()
	t.cfg.Log.Log(ctx, &logmsg.ServerSelectionStarted{
		Selector: wanted, Operation: r.Command, OperationID: r.OperationID, TopologyDescription: now.String(),
	})
	found, err := now.find(r, selector, t.cfg.random)
	switch {
	case err != nil:
		err = t.selectionError(r, selector, now, 0, err)
	case found == nil:
		found, err = t.await(ctx, r, *selector, now, func(left time.Duration) {
			t.cfg.Log.Log(ctx, &logmsg.WaitingForServer{
				Selector: wanted, Operation: r.Command, OperationID: r.OperationID,
				TopologyDescription: now.String(), RemainingTime: &left,
			})
		})
	}
	now = t.current.Load()
	if err != nil {
		t.cfg.Log.Log(ctx, &logmsg.ServerSelectionFailed{
			Selector: wanted, Operation: r.Command, OperationID: r.OperationID,
			TopologyDescription: now.String(), Failure: summary(err),
		})
		return nil, err
	}
	host, port := observe.HostPort(found.address)
	t.cfg.Log.Log(ctx, &logmsg.ServerSelectionSucceeded{
		Selector: wanted, Operation: r.Command, OperationID: r.OperationID,
		TopologyDescription: now.String(), ServerHost: host, ServerPort: port,
	})
	return found, nil
}

// summary is the error without the description of the topology, which the message already has.
func summary(err error) error {
	if e, ok := errors.AsType[fault.ServerSelectionError](err); ok {
		return errors.New(e.Summary())
	}
	return err
}

// String is the description for log messages.
func (now *snapshot) String() string { return sdam.Format(&now.description) }
