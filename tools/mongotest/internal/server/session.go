package server

import (
	"github.com/specdrivers/onion/tools/mongotest/internal/session"
)

// statement returns the request as its session sees it.
func (r *request) statement() *session.Statement {
	process, _, _ := r.node.TopologyVersion()
	return &session.Statement{
		Call: r.Call, Use: r.session, Owner: r.conn.owner(), Node: r.node.Index, Process: process, Term: r.term, ReadAt: r.read.At,
	}
}
