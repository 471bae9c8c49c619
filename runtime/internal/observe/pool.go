package observe

import (
	"context"

	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/event"
)

// Pools returns the monitor that pools publish to. It serves the client's listener and log. It is nil when there is
// neither: then pools need not even read the clock.
//
// CMAP, "Connection Pool Logging".
func Pools(user *event.PoolMonitor, l *Logger) *event.PoolMonitor {
	logs := l.Enabled(logmsg.Connection, logmsg.Debug)
	if user == nil && !logs {
		return nil
	}
	if user == nil {
		user = &event.PoolMonitor{}
	}
	p := &pools{l: l, logs: logs}
	return &event.PoolMonitor{
		PoolCreated:               publisher(p, user.PoolCreated, poolCreated),
		PoolReady:                 publisher(p, user.PoolReady, poolReady),
		PoolCleared:               publisher(p, user.PoolCleared, poolCleared),
		PoolClosed:                publisher(p, user.PoolClosed, poolClosed),
		ConnectionCreated:         publisher(p, user.ConnectionCreated, connectionCreated),
		ConnectionReady:           publisher(p, user.ConnectionReady, connectionReady),
		ConnectionClosed:          publisher(p, user.ConnectionClosed, connectionClosed),
		ConnectionCheckOutStarted: publisher(p, user.ConnectionCheckOutStarted, checkOutStarted),
		ConnectionCheckOutFailed:  publisher(p, user.ConnectionCheckOutFailed, checkOutFailed),
		ConnectionCheckedOut:      publisher(p, user.ConnectionCheckedOut, checkedOut),
		ConnectionCheckedIn:       publisher(p, user.ConnectionCheckedIn, checkedIn),
	}
}

type pools struct {
	l    *Logger
	logs bool
}

// publisher logs an event and delivers it. It is nil when there is no log and no listener.
func publisher[E any](p *pools, listener func(*E), message func(*E) Message) func(*E) {
	if !p.logs {
		if listener == nil {
			return nil
		}
		return func(e *E) { Deliver(p.l, listener, e) }
	}
	return func(e *E) {
		p.l.Log(context.Background(), message(e))
		Deliver(p.l, listener, e)
	}
}

func poolCreated(e *event.PoolCreated) Message {
	host, port := HostPort(e.Address)
	return &logmsg.PoolCreated{
		ServerHost: host, ServerPort: port,
		MaxIdleTime: e.Options.MaxIdleTime, MinPoolSize: e.Options.MinPoolSize, MaxPoolSize: e.Options.MaxPoolSize,
		MaxConnecting: e.Options.MaxConnecting, WaitQueueTimeout: e.Options.WaitQueueTimeout,
	}
}

func poolReady(e *event.PoolReady) Message {
	host, port := HostPort(e.Address)
	return &logmsg.PoolReady{ServerHost: host, ServerPort: port}
}

func poolCleared(e *event.PoolCleared) Message {
	host, port := HostPort(e.Address)
	return &logmsg.PoolCleared{ServerHost: host, ServerPort: port, ServiceID: e.ServiceID}
}

func poolClosed(e *event.PoolClosed) Message {
	host, port := HostPort(e.Address)
	return &logmsg.PoolClosed{ServerHost: host, ServerPort: port}
}

func connectionCreated(e *event.ConnectionCreated) Message {
	host, port := HostPort(e.Address)
	return &logmsg.ConnectionCreated{ServerHost: host, ServerPort: port, DriverConnectionID: e.ConnectionID}
}

func connectionReady(e *event.ConnectionReady) Message {
	host, port := HostPort(e.Address)
	return &logmsg.ConnectionReady{
		ServerHost: host, ServerPort: port, DriverConnectionID: e.ConnectionID, Duration: e.Duration,
	}
}

func connectionClosed(e *event.ConnectionClosed) Message {
	host, port := HostPort(e.Address)
	return &logmsg.ConnectionClosed{
		ServerHost: host, ServerPort: port, DriverConnectionID: e.ConnectionID, Reason: e.Reason, Error: e.Error,
	}
}

func checkOutStarted(e *event.ConnectionCheckOutStarted) Message {
	host, port := HostPort(e.Address)
	return &logmsg.ConnectionCheckoutStarted{ServerHost: host, ServerPort: port}
}

func checkOutFailed(e *event.ConnectionCheckOutFailed) Message {
	host, port := HostPort(e.Address)
	return &logmsg.ConnectionCheckoutFailed{
		ServerHost: host, ServerPort: port, Reason: e.Reason, Error: e.Error, Duration: e.Duration,
	}
}

func checkedOut(e *event.ConnectionCheckedOut) Message {
	host, port := HostPort(e.Address)
	return &logmsg.ConnectionCheckedOut{
		ServerHost: host, ServerPort: port, DriverConnectionID: e.ConnectionID, Duration: e.Duration,
	}
}

func checkedIn(e *event.ConnectionCheckedIn) Message {
	host, port := HostPort(e.Address)
	return &logmsg.ConnectionCheckedIn{ServerHost: host, ServerPort: port, DriverConnectionID: e.ConnectionID}
}
