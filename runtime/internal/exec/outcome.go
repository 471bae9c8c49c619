package exec

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// Outcome is the result of an operation.
type Outcome struct {
	Reply       bson.Raw // nil for an unacknowledged write
	Server      *topology.Server
	WireVersion int32
	Sent        int // the number of items that the command carried; if there is an error, those that a message took to a server

	// Labels are the labels of a write concern error in the reply, including the ones that the driver adds.
	Labels []string

	// MoreToCome says that the server will send another reply on Conn without being asked.
	MoreToCome bool

	// Session and Conn are set if the reply's cursor needs them. Release gives them back.
	Session *session.Client
	Conn    *topology.Pooled

	timing    timeout.State // the state of the rules about the operation's timeoutMS
	end       timeout.End
	operation string
}

// Release gives back the resources that an outcome kept for its cursor.
func (x *Executor) Release(out *Outcome) {
	if out.Conn != nil {
		out.Server.CheckIn(out.Conn)
		out.Conn = nil
	}
	if out.Session != nil {
		x.EndImplicit(out.Session)
		out.Session = nil
	}
}
