package server

import (
	"github.com/specdrivers/onion/tools/mongotest/internal/failpoint"
)

// target returns the request as a fail point sees it.
func (r *request) target() failpoint.Target {
	return failpoint.Target{Call: r.Call, AppName: func() string {
		if failpoint.KnowsFirstHello(r.Wire) {
			r.noteApplication()
		}
		return r.conn.application()
	}}
}
