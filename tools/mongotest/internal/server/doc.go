// Package server is the nodes of a deployment. They accept connections, read requests, check each command as a real
// server does, run it and answer.
//
// The table has one row for each command: in table.go, tabledata.go, tablesharding.go or tableusers.go. The packages below
// do the work: engine for documents, login for users, session for sessions and transactions, replica for the replica set,
// failpoint for fail points. Only the public package imports this one.
//
// To add a command, add its row and a file that starts with what the command does and what it leaves out. The row has the
// privileges that the command needs, and its fields: takes declares those of a command of which servers are known to
// refuse any other, takesAtLeast those of a command for which nothing public says so. A command of the engine declares its
// fields there. A field that a version of the server added is declared with that version.
//
// Tests name what is missing: needs (privileges_test.go), fields (fields_test.go), and in package mongotest the file
// (commands_test.go) and the line of a command that refuses fields (commandfields_test.go), with the version since when and
// what shows it. If mongotest lacked the command until now, known.go lists it; a test asks for the removal.
package server
