// Package exec runs operations. It is the only place that selects a server, checks out a connection, writes a command,
// reads its reply, decides what the outcome means, and tries again.
//
// The form of a command and whether it may be retried are generated (generated/core/command). The packages below decide
// which server fits and what an error does to the topology. Package mongo, the only importer, turns the outcome into
// the results of its methods.
package exec
