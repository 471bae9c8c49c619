// Package observe reports what the driver does: it sends events to listeners and messages to a slog.Logger. It
// publishes commands, pools, servers and topologies by the same rules. Without a listener there is no cost. If a
// listener or a handler panics, the panic is logged and the driver goes on.
//
// The messages and events are generated (generated/core/logmsg, generated/event). Packages pool, topology and exec
// decide when they occur. Only packages of the driver above this one import it.
package observe
