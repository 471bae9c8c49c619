// Package observe carries what the driver does to those who watch it: events to listeners, messages to a slog.Logger. It
// publishes commands, pools, servers and topologies, each by the same rules: nobody pays for what nobody listens to, and a
// listener or a handler that panics is logged while the driver goes on.
//
// What the messages and events are is generated (generated/core/logmsg, generated/event); when they arise is decided by
// packages pool, topology and exec. Only packages of the driver above it import it.
package observe
