package server

import (
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/concern"
	"github.com/specdrivers/onion/tools/mongotest/internal/replica"
	"github.com/specdrivers/onion/tools/mongotest/internal/session"
)

// request is one command on its way through a node.
type request struct {
	*call.Call
	conn    *conn
	node    *Node
	cluster *Cluster
	command *command // its row, once it is known

	hangUp    bool // the connection ends with the answer
	exhaust   bool // another answer follows
	ownsReply bool // the handler's reply is a buffer of its own that may be appended to

	session *session.Use // nil without an lsid
	term    replica.Term // the term in which the command was let in
	write   concern.Write
	read    concern.Read
}
