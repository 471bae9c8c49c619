// The commands getnonce and getLog.
//
// Left out: nothing uses the nonce any more. The log has only the startup lines.

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
	lines := bson.A{}
	if which == "global" {
		began := r.cluster.clock.StartTime().UTC().Format("2006-01-02T15:04:05.000+00:00")
		for _, line := range []string{`"id":23403,"ctx":"initandlisten","msg":"Build Info"`,
			`"id":23016,"ctx":"listener","msg":"Waiting for connections"`} {
			lines = append(lines, `{"t":{"$date":"`+began+`"},"s":"I","c":"CONTROL",`+line+`}`)
		}
	}
	return reply.New().Int32("totalLinesWritten", int32(len(lines))).Value("log", lines).Done(), nil
}
