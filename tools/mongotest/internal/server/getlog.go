// The commands getnonce and getLog.
//
// Left out: nothing uses the nonce any more, and the log is empty.

package server

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func getNonce(context.Context, *request) (bson.Raw, error) {
	return reply.New().String("nonce", bson.NewObjectID().Hex()[:16]).Done(), nil
}

func getLog(_ context.Context, r *request) (bson.Raw, error) {
	which, ok := r.Value().StringOK()
	switch {
	case !ok:
		return nil, status.Errorf(errcode.TypeMismatch,
			"Argument to getLog must be of type String; found %s of type %s", r.Value(), r.Value().Type)
	case which == "*":
		return reply.New().Value("names", bson.A{"global", "startupWarnings"}).Done(), nil
	case which != "global" && which != "startupWarnings":
		return nil, status.Errorf(errcode.OperationFailed, "No log named '%s'", which)
	}
	return reply.New().Int32("totalLinesWritten", 0).Value("log", bson.A{}).Done(), nil
}
