// Package exec carries operations out: it is the one place that selects a server, checks a connection out, writes a
// command, reads its reply, says what the outcome means, and tries again.
//
// What a command looks like and whether it may be retried is generated (generated/core/command); which server fits and
// what an error does to the topology is decided by the packages below. Package mongo, the only importer, turns the
// outcome into what its methods return.
package exec
