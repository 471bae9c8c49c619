// Package sdam implements the decisions of the Server Discovery And Monitoring specification: how a client's view of
// its deployment changes after a server check or a failed operation, and what the client must do next.
//
// Everything is a pure function of values. A Model says how the client is configured. Initial gives the first topology
// description. Apply, CheckFailed, HandleError, SetHosts and Close take the current description and return the next one
// together with its Effects: the events to publish, in order, the monitors to start, stop, wake or interrupt, and the
// pools to mark ready or to clear. Descriptions never change after they have been returned.
//
// The package does no I/O, has no clock and starts no goroutine: runtime/internal/topology carries out the effects. The
// tables (classification of hello replies, TopologyType transitions, error handling, messages) are generated.
package sdam
