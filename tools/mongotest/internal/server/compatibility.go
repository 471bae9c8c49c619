// The commands setFeatureCompatibilityVersion and rotateCertificates.
//
// Left out: a lower version does not turn off features of the server's own version.

package server

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// before are the older versions that a server can be compatible with.
var before = map[string]string{
	"4.4": "4.2", "5.0": "4.4", "6.0": "5.0", "7.0": "6.0", "8.0": "7.0", "8.1": "8.0", "8.2": "8.0", "9.0": "8.0", "4.2": "4.0",
}

// compatibility is the parameter that setFeatureCompatibilityVersion changes.
const compatibility = "featureCompatibilityVersion"

func setFeatureCompatibilityVersion(_ context.Context, r *request) (bson.Raw, error) {
	version, ok := r.Value().StringOK()
	switch {
	case !ok:
		return nil, status.WrongType(r.Name+"."+r.Name, r.Value(), "string")
	case version != r.cluster.Version && version != before[r.cluster.Version]:
		return nil, status.Errorf(errcode.Code(4926900), "Invalid feature compatibility version value '%s'; expected '%s' or '%s'. See "+
			"https://docs.mongodb.com/master/release-notes/%s-compatibility/#feature-compatibility.",
			version, before[r.cluster.Version], r.cluster.Version, r.cluster.Version)
	case r.Wire >= wire.Server70 && !r.Flag("confirm"):
		return nil, status.Errorf(errcode.Code(7369100), "Once you have changed the feature compatibility version to %s, you may not be "+
			"able to go back without support assistance. Please re-run this command with 'confirm: true' to acknowledge this and "+
			"continue.", version)
	}
	r.cluster.parameters.set(compatibility, bson.Doc("version", version))
	return reply.OK(), nil
}

// rotateCertificates reloads no files: the test owns the TLS configuration.
func rotateCertificates(_ context.Context, r *request) (bson.Raw, error) {
	if r.cluster.TLS == nil {
		return nil, status.Errorf(errcode.OperationFailed, "Cannot rotate certificates: TLS is not enabled")
	}
	return reply.OK(), nil
}
