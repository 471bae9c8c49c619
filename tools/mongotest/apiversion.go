package mongotest

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// checkAPIVersion holds a command against the Stable API that it declares. Servers before 5.0 know none.
func (d *Deployment) checkAPIVersion(r *request, c command) error {
	if !wire.StableAPI.In(d.config.wireVersion) {
		return nil
	}
	version := r.field("apiVersion")
	if version.IsZero() {
		if !r.field("apiStrict").IsZero() || !r.field("apiDeprecationErrors").IsZero() {
			return status.Errorf(errcode.Location4886600,
				"Provided apiStrict and/or apiDeprecationErrors without passing apiVersion")
		}
		if d.config.enabled("requireApiVersion") {
			return status.Errorf(errcode.Location498870,
				"The apiVersion parameter is required, please configure your MongoClient's API version")
		}
		return nil
	}
	name, ok := version.StringOK()
	switch {
	case !ok:
		return wrongType("APIParametersFromClient.apiVersion", version, "string")
	case name == "2" && !d.config.enabled("acceptApiVersion2"):
		return status.Errorf(errcode.APIVersionError, "Cannot accept API version 2")
	case name != "1" && name != "2":
		return status.Errorf(errcode.APIVersionError, "API version must be \"1\"")
	}
	if r.flag("apiStrict") {
		if err := r.checkStrict(c, name); err != nil {
			return err
		}
	}
	if r.flag("apiDeprecationErrors") && c.name == "testDeprecationInVersion2" && name == "2" {
		return status.Errorf(errcode.APIDeprecationError,
			"Provided apiDeprecationErrors:true, but the command %s is deprecated in API Version %s", r.name, name)
	}
	return nil
}

// checkStrict refuses a command, a field or a stage that is not in the version.
func (r *request) checkStrict(c command, version string) error {
	if inVersion := c.any(apiV1) || version == "2" && c.name == "testVersion2"; !inVersion {
		return status.Errorf(errcode.APIStrictError,
			"Provided apiStrict:true, but the command %s is not in API Version %s. Information on supported commands and migrations in API Version %s can be found at https://dochub.mongodb.org/core/manual-versioned-api.", r.name, version, version)
	}
	for key := range r.body.All() {
		if slices.Contains(unstableFields[r.name], key) {
			return status.Errorf(errcode.APIStrictError, "BSON field '%s.%s' is not allowed with apiStrict:true.", r.name, key)
		}
	}
	for _, index := range docsOf(r.field("indexes")) {
		for key := range index.All() {
			if r.name == "createIndexes" && slices.Contains(unstableIndexFields, key) {
				return status.Errorf(errcode.APIStrictError, "BSON field 'createIndexes.indexes.%s' is not allowed with apiStrict:true.", key)
			}
		}
	}
	if r.name == "aggregate" {
		return checkStages(docsOf(r.field("pipeline")), version)
	}
	return nil
}

// The fields and stages of API version 1's commands that are not in it, as the manual lists them.
var (
	unstableFields = map[string][]string{
		"aggregate": {"explain"},
		"create":    {"autoIndexId", "capped", "indexOptionDefaults", "max", "size", "storageEngine"},
		"find":      {"awaitData", "max", "min", "noCursorTimeout", "oplogReplay", "returnKey", "showRecordId", "tailable"},
	}
	unstableIndexFields = []string{"background", "bucketSize", "sparse", "storageEngine"}
	unstableStages      = []string{"$currentOp", "$indexStats", "$listLocalSessions", "$listSessions", "$planCacheStats", "$search"}
)

// checkStages refuses stages, those of inner pipelines too.
func checkStages(pipeline []bson.Raw, version string) error {
	for _, stage := range pipeline {
		for name, spec := range stage.All() {
			if slices.Contains(unstableStages, name) {
				return status.Errorf(errcode.APIStrictError, "%s is not allowed with 'apiStrict: true' in API Version %s", name, version)
			}
			inner, _ := spec.DocumentOK()
			if err := checkStages(docsOf(inner.Lookup("pipeline")), version); err != nil {
				return err
			}
			if name != "$facet" {
				continue
			}
			for _, branch := range inner.All() {
				if err := checkStages(docsOf(branch), version); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
