package server

import (
	"maps"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/concern"
	"github.com/specdrivers/onion/tools/mongotest/internal/failpoint"
	"github.com/specdrivers/onion/tools/mongotest/internal/frame"
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

func newRequest(c *conn, msg *frame.Message) *request {
	return &request{Call: call.New(msg, c.node.cluster.Wire, &c.index), conn: c, node: c.node, cluster: c.node.cluster}
}

// statement is the request as its session sees it.
func (r *request) statement() *session.Statement {
	return &session.Statement{
		Call: r.Call, Use: r.session, Owner: r.conn.owner(), Node: r.node.Index, Term: r.term, ReadAt: r.read.At,
	}
}

// target is the request as a fail point sees it.
func (r *request) target() failpoint.Target {
	return failpoint.Target{Call: r.Call, AppName: func() string {
		if failpoint.KnowsFirstHello(r.Wire) {
			r.noteApplication()
		}
		return r.conn.application()
	}}
}

// received is the request as a test sees it, without credentials.
func (r *request) received() Command {
	body := r.Body
	if logmsg.Sensitive(r.Name, true) && (logmsg.Sensitive(r.Name, false) || r.Has("speculativeAuthenticate")) {
		body = withoutSecrets(body)
	}
	return Command{
		Node: r.node.Index, Name: r.Name, DB: r.DB, Body: body, Sequences: maps.Clone(r.Sequences),
		ConnectionID: r.conn.id, AppName: r.conn.application(),
	}
}

// withoutSecrets leaves out the fields that hold credentials.
func withoutSecrets(body bson.Raw) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	for key, value := range body.All() {
		switch key {
		case "payload", "pwd", "key", "nonce":
		case "speculativeAuthenticate":
			if inner, ok := value.DocumentOK(); ok {
				dst = bson.AppendDocumentElement(dst, key, withoutSecrets(inner))
			}
		default:
			dst = bson.AppendRawValueElement(dst, key, value)
		}
	}
	return bson.AppendDocumentEnd(dst, start)
}
