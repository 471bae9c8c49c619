package topology

import (
	"context"

	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/event"
)

// poolMonitor returns what the pools publish to: the listener of the client and its log. It is nil when there is
// neither, so that pools need not even look at the clock.
func (t *Topology) poolMonitor() *event.PoolMonitor {
	user := t.cfg.Options.PoolMonitor
	logs := t.cfg.Log != nil && t.cfg.Log.Enabled(logmsg.Connection, logmsg.Debug)
	if user == nil && !logs {
		return nil
	}
	if user == nil {
		user = &event.PoolMonitor{}
	}
	p := &poolPublisher{t: t, logs: logs}
	return &event.PoolMonitor{
		PoolCreated:               publisher(p, user.PoolCreated, p.poolCreated),
		PoolReady:                 publisher(p, user.PoolReady, p.poolReady),
		PoolCleared:               publisher(p, user.PoolCleared, p.poolCleared),
		PoolClosed:                publisher(p, user.PoolClosed, p.poolClosed),
		ConnectionCreated:         publisher(p, user.ConnectionCreated, p.connectionCreated),
		ConnectionReady:           publisher(p, user.ConnectionReady, p.connectionReady),
		ConnectionClosed:          publisher(p, user.ConnectionClosed, p.connectionClosed),
		ConnectionCheckOutStarted: publisher(p, user.ConnectionCheckOutStarted, p.checkOutStarted),
		ConnectionCheckOutFailed:  publisher(p, user.ConnectionCheckOutFailed, p.checkOutFailed),
		ConnectionCheckedOut:      publisher(p, user.ConnectionCheckedOut, p.checkedOut),
		ConnectionCheckedIn:       publisher(p, user.ConnectionCheckedIn, p.checkedIn),
	}
}

// poolPublisher turns the events of pools into log messages.
//
// CMAP, "Connection Pool Logging".
type poolPublisher struct {
	t    *Topology
	logs bool
}

// publisher logs an event and delivers it; nil when nobody wants it.
func publisher[E any](p *poolPublisher, listener func(*E), message func(*E) logmsg.Message) func(*E) {
	if !p.logs {
		if listener == nil {
			return nil
		}
		return func(e *E) { deliver(listener, e) }
	}
	return func(e *E) {
		p.t.log(context.Background(), message(e))
		deliver(listener, e)
	}
}

func (*poolPublisher) poolCreated(e *event.PoolCreated) logmsg.Message {
	host, port := hostPort(e.Address)
	return &logmsg.PoolCreated{
		ServerHost: host, ServerPort: port,
		MaxIdleTime: e.Options.MaxIdleTime, MinPoolSize: e.Options.MinPoolSize, MaxPoolSize: e.Options.MaxPoolSize,
		MaxConnecting: e.Options.MaxConnecting, WaitQueueTimeout: e.Options.WaitQueueTimeout,
	}
}

func (*poolPublisher) poolReady(e *event.PoolReady) logmsg.Message {
	host, port := hostPort(e.Address)
	return &logmsg.PoolReady{ServerHost: host, ServerPort: port}
}

func (*poolPublisher) poolCleared(e *event.PoolCleared) logmsg.Message {
	host, port := hostPort(e.Address)
	return &logmsg.PoolCleared{ServerHost: host, ServerPort: port, ServiceID: e.ServiceID}
}

func (*poolPublisher) poolClosed(e *event.PoolClosed) logmsg.Message {
	host, port := hostPort(e.Address)
	return &logmsg.PoolClosed{ServerHost: host, ServerPort: port}
}

func (*poolPublisher) connectionCreated(e *event.ConnectionCreated) logmsg.Message {
	host, port := hostPort(e.Address)
	return &logmsg.ConnectionCreated{ServerHost: host, ServerPort: port, DriverConnectionID: e.ConnectionID}
}

func (*poolPublisher) connectionReady(e *event.ConnectionReady) logmsg.Message {
	host, port := hostPort(e.Address)
	return &logmsg.ConnectionReady{
		ServerHost: host, ServerPort: port, DriverConnectionID: e.ConnectionID, Duration: e.Duration,
	}
}

func (*poolPublisher) connectionClosed(e *event.ConnectionClosed) logmsg.Message {
	host, port := hostPort(e.Address)
	return &logmsg.ConnectionClosed{
		ServerHost: host, ServerPort: port, DriverConnectionID: e.ConnectionID, Reason: e.Reason, Error: e.Error,
	}
}

func (*poolPublisher) checkOutStarted(e *event.ConnectionCheckOutStarted) logmsg.Message {
	host, port := hostPort(e.Address)
	return &logmsg.ConnectionCheckoutStarted{ServerHost: host, ServerPort: port}
}

func (*poolPublisher) checkOutFailed(e *event.ConnectionCheckOutFailed) logmsg.Message {
	host, port := hostPort(e.Address)
	return &logmsg.ConnectionCheckoutFailed{
		ServerHost: host, ServerPort: port, Reason: e.Reason, Error: e.Error, Duration: e.Duration,
	}
}

func (*poolPublisher) checkedOut(e *event.ConnectionCheckedOut) logmsg.Message {
	host, port := hostPort(e.Address)
	return &logmsg.ConnectionCheckedOut{
		ServerHost: host, ServerPort: port, DriverConnectionID: e.ConnectionID, Duration: e.Duration,
	}
}

func (*poolPublisher) checkedIn(e *event.ConnectionCheckedIn) logmsg.Message {
	host, port := hostPort(e.Address)
	return &logmsg.ConnectionCheckedIn{ServerHost: host, ServerPort: port, DriverConnectionID: e.ConnectionID}
}
