// Package observe carries what the driver does to those who watch it: it decides which log messages are wanted and hands
// them to a slog.Logger, and it keeps the panic of a listener from reaching the driver.
//
// What the messages and events are is generated (generated/core/logmsg, generated/event); where they arise is decided by
// the pool, topology and exec packages, which import this one together with mongo.
package observe
