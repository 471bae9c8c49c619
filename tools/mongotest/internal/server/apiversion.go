package server

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// checkAPIVersion checks a command against the Stable API version that it declares. Servers before 5.0 have no such
// versions.
func (r *request) checkAPIVersion() error {
	if !wire.StableAPI.In(r.Wire) {
		return nil
	}
	version := r.Field("apiVersion")
	if version.IsZero() {
		if !r.Field("apiStrict").IsZero() || !r.Field("apiDeprecationErrors").IsZero() {
			return status.Errorf(errcode.Location4886600,
				"Provided apiStrict and/or apiDeprecationErrors without passing apiVersion")
		}
		if r.cluster.isEnabled("requireApiVersion") {
			return status.Errorf(errcode.Location498870,
				"The apiVersion parameter is required, please configure your MongoClient's API version")
		}
		return nil
	}
	name, ok := version.StringOK()
	switch {
	case !ok:
		return status.WrongType("APIParametersFromClient.apiVersion", version, "string")
	case name == "2" && !r.cluster.isEnabled("acceptApiVersion2"):
		return status.Errorf(errcode.APIVersionError, "Cannot accept API version 2")
	case name != "1" && name != "2":
		return status.Errorf(errcode.APIVersionError, "API version must be \"1\"")
	}
	if r.Flag("apiStrict") {
		if err := r.checkStrict(name); err != nil {
			return err
		}
	}
	if r.Flag("apiDeprecationErrors") && name == "2" && r.command.api&deprecated2 != 0 {
		return status.Errorf(errcode.APIDeprecationError,
			"Provided apiDeprecationErrors:true, but the command %s is deprecated in API Version %s", r.Name, name)
	}
	return nil
}

// checkStrict refuses a command, a field or a stage that is not part of the version.
func (r *request) checkStrict(version string) error {
	in := api1
	if version == "2" {
		in |= api2
	}
	if r.command.api&in == 0 {
		return status.Errorf(errcode.APIStrictError,
			"Provided apiStrict:true, but the command %s is not in API Version %s. Information on supported commands and migrations "+
				"in API Version %s can be found at https://dochub.mongodb.org/core/manual-versioned-api.", r.Name, version, version)
	}
	for key, value := range r.Body.All() {
		if field := r.unstableField(key, value); field != "" {
			return status.Errorf(errcode.APIStrictError, "BSON field '%s.%s' is not allowed with apiStrict:true.", r.Name, field)
		}
	}
	if r.Name == "aggregate" {
		return checkStages(call.Documents(r.Field("pipeline")), version)
	}
	return nil
}

// unstableField returns the name of an unstable field: the field itself, or one in the documents of an array.
func (r *request) unstableField(key string, value bson.RawValue) string {
	for _, name := range r.command.unstable {
		outer, inner, nested := strings.Cut(name, ".")
		switch {
		case outer != key:
		case !nested:
			return name
		default:
			for _, doc := range call.Documents(value) {
				if !doc.Lookup(inner).IsZero() {
					return name
				}
			}
		}
	}
	return ""
}

// unstableStages are the stages that are not part of API version 1, as the manual lists them.
var unstableStages = []string{"$currentOp", "$indexStats", "$listLocalSessions", "$listSessions", "$planCacheStats", "$search"}

// checkStages refuses unstable stages, also in inner pipelines.
func checkStages(pipeline []bson.Raw, version string) error {
	for _, stage := range pipeline {
		for name, spec := range stage.All() {
			if slices.Contains(unstableStages, name) {
				return status.Errorf(errcode.APIStrictError, "%s is not allowed with 'apiStrict: true' in API Version %s", name, version)
			}
			inner, _ := spec.DocumentOK()
			if err := checkStages(call.Documents(inner.Lookup("pipeline")), version); err != nil {
				return err
			}
			if name != "$facet" {
				continue
			}
			for _, branch := range inner.All() {
				if err := checkStages(call.Documents(branch), version); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
