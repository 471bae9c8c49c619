package main

import (
	"go/ast"
	"go/token"
	"strings"
)

// The official driver's event.PoolMonitor has one function for all events of a pool, which are one struct. Onion has a function and
// a struct for each. A helper has the old struct and calls the old function.

const poolMonitorSource = `
// poolMonitorOf calls one function with every event of a pool.
func poolMonitorOf(f func(*poolEvent)) *event.PoolMonitor {
	return &event.PoolMonitor{
		PoolCreated: func(e *event.PoolCreated) {
			f(&poolEvent{Type: "ConnectionPoolCreated", Address: e.Address, PoolOptions: poolOptionsOf(e.Options)})
		},
		PoolReady: func(e *event.PoolReady) { f(&poolEvent{Type: "ConnectionPoolReady", Address: e.Address}) },
		PoolCleared: func(e *event.PoolCleared) {
			f(&poolEvent{Type: "ConnectionPoolCleared", Address: e.Address, ServiceID: e.ServiceID,
				Interruption: e.InterruptInUseConnections, Error: e.Error})
		},
		PoolClosed: func(e *event.PoolClosed) { f(&poolEvent{Type: "ConnectionPoolClosed", Address: e.Address}) },
		ConnectionCreated: func(e *event.ConnectionCreated) {
			f(&poolEvent{Type: "ConnectionCreated", Address: e.Address, ConnectionID: e.ConnectionID})
		},
		ConnectionReady: func(e *event.ConnectionReady) {
			f(&poolEvent{Type: "ConnectionReady", Address: e.Address, ConnectionID: e.ConnectionID, Duration: e.Duration})
		},
		ConnectionClosed: func(e *event.ConnectionClosed) {
			f(&poolEvent{Type: "ConnectionClosed", Address: e.Address, ConnectionID: e.ConnectionID, Reason: string(e.Reason),
				Error: e.Error})
		},
		ConnectionCheckOutStarted: func(e *event.ConnectionCheckOutStarted) {
			f(&poolEvent{Type: "ConnectionCheckOutStarted", Address: e.Address})
		},
		ConnectionCheckOutFailed: func(e *event.ConnectionCheckOutFailed) {
			f(&poolEvent{Type: "ConnectionCheckOutFailed", Address: e.Address, Duration: e.Duration, Reason: string(e.Reason),
				Error: e.Error})
		},
		ConnectionCheckedOut: func(e *event.ConnectionCheckedOut) {
			f(&poolEvent{Type: "ConnectionCheckedOut", Address: e.Address, ConnectionID: e.ConnectionID, Duration: e.Duration})
		},
		ConnectionCheckedIn: func(e *event.ConnectionCheckedIn) {
			f(&poolEvent{Type: "ConnectionCheckedIn", Address: e.Address, ConnectionID: e.ConnectionID})
		},
	}
}

func poolOptionsOf(o event.PoolOptions) *monitorPoolOptions {
	var out monitorPoolOptions
	if o.MaxPoolSize != nil {
		out.MaxPoolSize = uint64(*o.MaxPoolSize)
	}
	if o.MinPoolSize != nil {
		out.MinPoolSize = uint64(*o.MinPoolSize)
	}
	if o.WaitQueueTimeout != nil {
		out.WaitQueueTimeoutMS = uint64(o.WaitQueueTimeout.Milliseconds())
	}
	return &out
}
`

const poolEventSource = "\n// poolEvent is any event of a pool.\ntype poolEvent struct {\n" +
	"\tType         string              `json:\"type\"`\n" +
	"\tAddress      string              `json:\"address\"`\n" +
	"\tConnectionID int64               `json:\"connectionId\"`\n" +
	"\tPoolOptions  *monitorPoolOptions `json:\"options\"`\n" +
	"\tDuration     time.Duration       `json:\"duration\"`\n" +
	"\tReason       string              `json:\"reason\"`\n" +
	"\tServiceID    *bson.ObjectID      `json:\"serviceId\"`\n" +
	"\tInterruption bool                `json:\"interruptInUseConnections\"`\n" +
	"\tError        error               `json:\"error\"`\n}\n" +
	"\n// monitorPoolOptions are the options of a pool that has been made.\ntype monitorPoolOptions struct {\n" +
	"\tMaxPoolSize        uint64 `json:\"maxPoolSize\"`\n" +
	"\tMinPoolSize        uint64 `json:\"minPoolSize\"`\n" +
	"\tWaitQueueTimeoutMS uint64 `json:\"maxIdleTimeMS\"`\n}\n"

// poolTypes are the structs of the events, with the names of the helpers that take their places.
var poolTypes = map[string]string{"event.PoolEvent": "poolEvent", "event.MonitorPoolOptions": "monitorPoolOptions"}

// poolWords are the official driver's names of the events and of their reasons that are not what they stand for.
var poolWords = map[string]string{
	"PoolCreated": "ConnectionPoolCreated", "PoolReady": "ConnectionPoolReady", "PoolCleared": "ConnectionPoolCleared",
	"PoolClosedEvent": "ConnectionPoolClosed", "GetStarted": "ConnectionCheckOutStarted", "GetFailed": "ConnectionCheckOutFailed",
	"GetSucceeded": "ConnectionCheckedOut", "ConnectionReturned": "ConnectionCheckedIn", "ReasonIdle": "idle",
	"ReasonPoolClosed": "poolClosed", "ReasonStale": "stale", "ReasonConnectionErrored": "connectionError",
	"ReasonTimedOut": "timeout", "ReasonError": "error",
}

// renamePoolEvent rewrites one of these types, one of their fields, or one of these words.
func (f *file) renamePoolEvent(n *ast.SelectorExpr, key string) bool {
	if to := poolTypes[key]; to != "" {
		f.useHelper("poolEvent")
		f.replace(n, to)
		return true
	}
	if f.pkg.TypesInfo.Selections[n] != nil {
		owner := key[:strings.LastIndexByte(key, '.')]
		if poolTypes[owner] == "" {
			return false
		}
		if key == "event.PoolEvent.ConnectionID" {
			f.renameField(n, typeText(f.typeOf(n)), "int64", "ConnectionID")
		}
		return true
	}
	word, ok := strings.CutPrefix(key, "event.")
	if !ok || f.pkg.TypesInfo.Types[n].Value == nil {
		return false
	}
	if to := poolWords[word]; to != "" {
		word = to
	} else if !strings.HasPrefix(word, "Connection") {
		return false
	}
	f.replace(n, `"`+word+`"`)
	return true
}

// rewritePoolMonitor rewrites the literal of a monitor.
func (f *file) rewritePoolMonitor(n *ast.CompositeLit) bool {
	if len(n.Elts) != 1 {
		return len(n.Elts) == 0
	}
	value := n.Elts[0]
	if kv, ok := value.(*ast.KeyValueExpr); ok {
		value = kv.Value
	}
	text := f.useHelper("poolMonitorOf") + "(" + f.text(value) + ")"
	if u, ok := f.parents[n].(*ast.UnaryExpr); ok && u.Op == token.AND {
		f.replace(u, text)
		return true
	}
	f.replace(n, "*"+text)
	return true
}
