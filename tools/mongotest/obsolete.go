// The commands getnonce and getLog.
//
// Left out: nothing uses the number any more, and the log is empty.

package mongotest

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func getNonce(r *request) (bson.Raw, error) {
	if r.d.wireAtLeast("5.0") {
		return nil, status.Errorf(errcode.CommandNotFound, "no such command: '%s'", r.name)
	}
	return newReply().str("nonce", bson.NewObjectID().Hex()[:16]).done(), nil
}

func getLog(r *request) (bson.Raw, error) {
	which, ok := r.body.Lookup("getLog").StringOK()
	switch {
	case !ok:
		return nil, status.Errorf(errcode.TypeMismatch, "Argument to getLog must be of type String; found %s of type %s", r.body.Lookup("getLog"), r.body.Lookup("getLog").Type)
	case which == "*":
		return newReply().value("names", bson.A{"global", "startupWarnings"}).done(), nil
	case which != "global" && which != "startupWarnings":
		return nil, status.Errorf(errcode.OperationFailed, "No log named '%s'", which)
	}
	return newReply().int32("totalLinesWritten", 0).value("log", bson.A{}).done(), nil
}
