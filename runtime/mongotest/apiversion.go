package mongotest

import (
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// checkAPIVersion holds a command against the Stable API that it declares.
func (d *Deployment) checkAPIVersion(r *request, c command) error {
	version := r.body.Lookup("apiVersion")
	if version.IsZero() {
		required, _ := d.config.parameters["requireApiVersion"].(bool)
		if required && r.session.mayOmitAPI() && !c.any(neverFails) {
			return status.Errorf(errcode.Location498870,
				"The apiVersion parameter is required, please configure your MongoClient's API version")
		}
		if !r.body.Lookup("apiStrict").IsZero() || !r.body.Lookup("apiDeprecationErrors").IsZero() {
			return status.Errorf(errcode.InvalidOptions,
				"Provided apiStrict and/or apiDeprecationErrors without passing apiVersion")
		}
		return nil
	}
	name, _ := version.StringOK()
	accepts2, _ := d.config.parameters["acceptApiVersion2"].(bool)
	if name != "1" && !(name == "2" && accepts2) {
		return status.Errorf(errcode.APIVersionError, "API version must be \"1\"")
	}
	inVersion := c.any(apiV1) || name == "2" && c.name == "testVersion2"
	if r.flag("apiStrict") && !inVersion {
		return status.Errorf(errcode.APIStrictError,
			"Provided apiStrict:true, but the command %s is not in API Version %s. Information on supported commands and migrations in API Version %s can be found at https://dochub.mongodb.org/core/manual-versioned-api", r.name, name, name)
	}
	if r.flag("apiDeprecationErrors") && c.name == "testDeprecationInVersion2" && name == "2" {
		return status.Errorf(errcode.APIDeprecationError,
			"Provided apiDeprecationErrors:true, but the command %s is deprecated in API Version %s.", r.name, name)
	}
	return nil
}

// mayOmitAPI: a command that continues a transaction inherits the API of its first command.
func (u *sessionUse) mayOmitAPI() bool { return u == nil || !u.inTransaction || u.startsTxn }
