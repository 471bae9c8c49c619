package mongotest

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// currentOp answers that nothing runs. Left out: the operations that do.
func currentOp(*request) (bson.Raw, error) { return newReply().value("inprog", bson.A{}).done(), nil }

// killOp answers as a server does for a number that no operation has. Left out: killing.
func killOp(r *request) (bson.Raw, error) {
	if _, ok := r.body.Lookup("op").AsInt64OK(); !ok {
		return nil, status.Errorf(errcode.Location50759, "Did not provide \"op\" field")
	}
	return newReply().str("info", "attempting to kill op").done(), nil
}
