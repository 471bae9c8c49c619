package topology

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/selection"
)

// Request says what server an operation needs.
type Request struct {
	Operation      string // for errors
	Command        string // for logs. Server Selection, "Common Fields": operation is the name of the command
	OperationID    int64  // 0 when the operation has none
	Write          bool
	ReadPreference *options.ReadPreference // nil means primary

	// PrimaryOnly reports whether the deployment, as it is now, requires the primary whatever ReadPreference says.
	// SelectServer then sets ReadPreference to nil. A nil PrimaryOnly means that ReadPreference always counts.
	PrimaryOnly func(*description.Topology) bool

	// Avoid is the server that a failed try used. Deprioritized has the addresses of more such servers. They are chosen
	// only if no other server is suitable.
	Avoid         *Server
	Deprioritized []string

	// Chosen is set by SelectServer: the description that led to the choice. It must not be changed. A failed check may
	// clear the current one before the operation needs it. Client Side Operations Timeout, "Command Execution".
	Chosen *description.Server
}

// SelectServer finds a server for an operation. It waits for one until serverSelectionTimeoutMS has passed or ctx ends.
// It then returns a fault.ServerSelectionError. It returns fault.ErrClientClosed if the topology is closed.
//
// Server Selection, "Server Selection Algorithm".
func (t *Topology) SelectServer(ctx context.Context, r *Request) (*Server, error) {
	now := t.current.Load()
	if now.closed {
		return nil, fault.ErrClientClosed
	}
	selector := t.selector(r)
	if t.logsSelection() {
		return t.selectLogging(ctx, r, &selector)
	}
	found, err := now.find(r, &selector, t.cfg.random)
	if found != nil {
		return found, nil
	}
	if err != nil {
		return nil, t.selectionError(r, &selector, now, 0, err)
	}
	return t.await(ctx, r, selector, now, nil) // passed by value, so that without a wait the selector stays on the stack
}

// find chooses one of the snapshot's servers. It returns nil when none is suitable.
func (now *snapshot) find(r *Request, selector *selection.Selector, random func(int) int) (*Server, error) {
	if r.PrimaryOnly != nil {
		selector.ReadPreference = r.ReadPreference
		if r.PrimaryOnly(&now.description) {
			selector.ReadPreference = nil
		}
	}
	load := func(address string) int64 { return now.servers[address].operations.Load() }
	chosen, err := selector.Select(&now.description, load, random)
	if chosen == nil {
		return nil, err
	}
	r.ReadPreference, r.Chosen = selector.ReadPreference, chosen
	return now.servers[chosen.Address], nil
}

func (t *Topology) selector(r *Request) selection.Selector {
	s := selection.Selector{
		Write:              r.Write,
		ReadPreference:     r.ReadPreference,
		Deprioritized:      r.Deprioritized,
		Custom:             t.set.selector,
		LocalThreshold:     t.set.localThreshold,
		HeartbeatFrequency: t.set.heartbeatFrequency,
	}
	if r.Avoid != nil {
		s.Deprioritized = append([]string{r.Avoid.address}, r.Deprioritized...)
	}
	return s
}

// await waits for a suitable server. It calls onWait once, if it is not nil, with the longest time that the wait may
// take.
func (t *Topology) await(
	ctx context.Context, r *Request, selector selection.Selector, now *snapshot, onWait func(time.Duration),
) (*Server, error) {
	began := time.Now()
	timeout := t.set.serverSelectionTimeout
	if timeout <= 0 {
		return nil, t.selectionError(r, &selector, now, time.Since(began), nil)
	}
	if onWait != nil {
		onWait(timeLeft(ctx, timeout))
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for {
		for _, s := range now.servers {
			s.requestCheck()
		}
		select {
		case <-now.changed:
		case <-ctx.Done():
			return nil, t.selectionError(r, &selector, t.current.Load(), time.Since(began), ctx.Err())
		case <-timer.C:
			return nil, t.selectionError(r, &selector, t.current.Load(), time.Since(began), nil)
		}
		now = t.current.Load()
		if now.closed {
			return nil, fault.ErrClientClosed
		}
		found, err := now.find(r, &selector, t.cfg.random)
		if found != nil {
			return found, nil
		}
		if err != nil {
			return nil, t.selectionError(r, &selector, now, time.Since(began), err)
		}
	}
}

// timeLeft returns how long server selection may still wait.
func timeLeft(ctx context.Context, timeout time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(timeout, time.Until(deadline))
	}
	return timeout
}

// selectionError says why there is no server. reason is the error of the context, or why there can never be a server.
// It is nil when serverSelectionTimeoutMS has passed.
func (t *Topology) selectionError(
	r *Request, selector *selection.Selector, now *snapshot, waited time.Duration, reason error,
) error {
	e := fault.ServerSelectionError{
		Operation: r.Operation,
		Selector:  selector.String(),
		Waited:    waited,
		Topology:  now.description,
		Err:       reason,
	}
	if reason == nil || errors.Is(reason, context.DeadlineExceeded) {
		e.Waited = max(waited, 1) // a timeout of zero has passed even without a wait
		e.Hints = selector.Hints(&now.description)
	}
	return e
}

// HasReachableServer reports whether any server of the topology is available.
func (t *Topology) HasReachableServer() bool {
	return slices.ContainsFunc(t.Description().Servers, func(s description.Server) bool { return s.Type.IsAvailable() })
}
