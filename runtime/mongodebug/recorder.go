package mongodebug

import (
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongodebug/record"
	"github.com/specdrivers/onion/runtime/mongodebug/view"
)

// recorder keeps a bounded part of the client's events. Operations wait while its methods run.
type recorder struct {
	began  time.Time
	values bool
	title  string // the name of the application

	notify, closed func() // of the handler
	connecting     atomic.Bool
	client         atomic.Pointer[mongo.Client]
	isClosed       atomic.Bool // the client is closed

	ids       atomic.Int64 // the last number that a remembered operation got
	started   startedCommands
	activity  record.Activity
	durations durations
	slowest   record.Slowest[rememberedCommand]
	problems  problems
	history   record.Last[view.Change]
	pools     pools
}

func newRecorder(values bool) *recorder {
	r := &recorder{began: time.Now(), values: values, notify: func() {}, closed: func() {}}
	r.started.init()
	return r
}

// listen returns options whose monitors call the recorder in addition to the existing monitors.
func (r *recorder) listen(o *options.Client) *options.Client {
	var commands event.CommandMonitor
	if o.CommandMonitor != nil {
		commands = *o.CommandMonitor
	}
	commands.Started = bothWithContext(commands.Started, r.commandStarted)
	commands.Succeeded = bothWithContext(commands.Succeeded, r.commandSucceeded)
	commands.Failed = bothWithContext(commands.Failed, r.commandFailed)
	var connections event.PoolMonitor
	if o.PoolMonitor != nil {
		connections = *o.PoolMonitor
	}
	connections.PoolCreated = callBoth(connections.PoolCreated, r.poolCreated)
	connections.PoolReady = callBoth(connections.PoolReady, r.poolReady)
	connections.PoolCleared = callBoth(connections.PoolCleared, r.poolCleared)
	connections.PoolClosed = callBoth(connections.PoolClosed, r.poolClosed)
	connections.ConnectionCreated = callBoth(connections.ConnectionCreated, r.connectionCreated)
	connections.ConnectionClosed = callBoth(connections.ConnectionClosed, r.connectionClosed)
	connections.ConnectionCheckedOut = callBoth(connections.ConnectionCheckedOut, r.checkedOut)
	connections.ConnectionCheckOutFailed = callBoth(connections.ConnectionCheckOutFailed, r.checkOutFailed)
	var servers event.ServerMonitor
	if o.ServerMonitor != nil {
		servers = *o.ServerMonitor
	}
	servers.ServerOpening = callBoth(servers.ServerOpening, r.serverOpening)
	servers.ServerClosed = callBoth(servers.ServerClosed, r.serverClosed)
	servers.ServerDescriptionChanged = callBoth(servers.ServerDescriptionChanged, r.serverChanged)
	servers.TopologyDescriptionChanged = callBoth(servers.TopologyDescriptionChanged, r.topologyChanged)
	servers.TopologyClosed = callBoth(servers.TopologyClosed, r.topologyClosed)
	with := *o
	with.CommandMonitor, with.PoolMonitor, with.ServerMonitor = &commands, &connections, &servers
	return &with
}

// callBoth calls one function and then the other; the first may be nil.
func callBoth[E any](first, second func(E)) func(E) {
	if first == nil {
		return second
	}
	return func(e E) {
		first(e)
		second(e)
	}
}

// bothWithContext is callBoth for functions that take a context.
func bothWithContext[C, E any](first func(C, E), second func(E)) func(C, E) {
	return func(ctx C, e E) {
		if first != nil {
			first(ctx, e)
		}
		second(e)
	}
}
