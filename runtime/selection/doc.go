// Package selection chooses a server for an operation, after the Server Selection and Max Staleness specifications.
//
// Everything is a pure function of a topology description: Selector.Suitable finds the servers that may serve the
// operation, Window keeps those that answer fast enough, Choose picks one of them by their load; Selector.Select does
// all of it without allocating. Waiting for a suitable server is the business of runtime/internal/topology.
//
// The rules per topology type, read preference mode and server type are generated tables.
package selection
