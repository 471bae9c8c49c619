// Package sdam decides, for the Server Discovery And Monitoring specification, what a client's view of a deployment
// becomes when a server was checked or an operation failed, and what follows from it.
//
// Everything is a pure function of values: a Model says how the client is configured; Initial gives the first topology
// description; Apply, CheckFailed, HandleError, SetHosts and Close take the current description and return the next one
// together with its Effects: the events to publish, in order, the monitors to start, stop, wake or interrupt, and the
// pools to mark ready or to clear. Descriptions are never changed after they have been returned.
//
// The package does no I/O, knows no clock and starts no goroutine: runtime/internal/topology carries the effects out.
// The tables (classification of hello replies, TopologyType transitions, error handling, messages) are generated.
package sdam
