// Package session holds the logical sessions of a deployment: what each remembers of its retryable writes, its open
// transaction, and the commands that start and end sessions and transactions.
//
// It decides whether a command runs, gets its earlier answer again, or is refused. Package server calls it. All nodes
// of a deployment share one Registry, as the members of a cluster share their sessions. What a router
// knows of a session's transactions no other router knows; see routed.
package session
