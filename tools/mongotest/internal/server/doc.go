// Package server is the nodes of a deployment. They accept connections, read requests, check each command as a real
// server does, run it and answer.
//
// table.go has one row for each command. The packages below it do the work: engine for documents, login for users,
// session for sessions and transactions, replica for the replica set, failpoint for fail points. To add a command, add
// its row, with the privileges that it needs, and a file that starts with what the command does and what it leaves out.
// Only the public package imports this one.
package server
