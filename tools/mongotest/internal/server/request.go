package server

import (
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/concern"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/replica"
	"github.com/specdrivers/onion/tools/mongotest/internal/session"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// request is one command that a node handles.
type request struct {
	*call.Call
	conn    *conn
	node    *Node
	cluster *Cluster
	command *command // its row in the table, once it is found

	hangUp    bool // close the connection after the answer
	exhaust   bool // another answer follows
	ownsReply bool // the reply is a buffer that the caller may append to

	arrived store.Timestamp // the node's last write when an aggregate arrived

	outcomes []engine.Outcome // of the statements, if the profiler is on

	session *session.Use // nil without an lsid
	term    replica.Term // the term in which the checks passed
	write   concern.Write
	read    concern.Read
}
