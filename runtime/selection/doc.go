// Package selection chooses a server for an operation. It implements the Server Selection and Max Staleness
// specifications.
//
// Everything is a pure function of a topology description. Selector.AppendSuitable finds the servers that may run the
// operation, Window keeps the ones that answer fast enough, and Choose picks one of them by their load. Selector.Select
// does all of it without allocating. Package runtime/internal/topology waits for a suitable server.
//
// The rules per topology type, read preference mode and server type are generated tables.
package selection
