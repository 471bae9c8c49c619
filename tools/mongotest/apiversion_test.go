package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestAPIVersionOfACommand(t *testing.T) {
	stages := func(stages ...any) bson.D {
		return bson.Doc("aggregate", "c", "pipeline", bson.A(stages), "cursor", bson.D{})
	}
	sessions := bson.Doc("$listLocalSessions", bson.D{})
	one, strict := bson.Doc("apiVersion", "1"), bson.Doc("apiVersion", "1", "apiStrict", true)
	for _, test := range []struct {
		name    string
		command bson.D
		api     bson.D
		want    errcode.Code
	}{
		{"none", bson.Doc("distinct", "c", "key", "a"), bson.D{}, 0},
		{"version 1", bson.Doc("distinct", "c", "key", "a"), one, 0},
		{"version 2", bson.Doc("ping", 1), bson.Doc("apiVersion", "2"), errcode.APIVersionError},
		{"version 3", bson.Doc("ping", 1), bson.Doc("apiVersion", "3"), errcode.APIVersionError},
		{"a number", bson.Doc("ping", 1), bson.Doc("apiVersion", 1), errcode.TypeMismatch},
		{"strict alone", bson.Doc("ping", 1), bson.Doc("apiStrict", true), errcode.Location4886600},
		{"deprecation errors alone", bson.Doc("ping", 1), bson.Doc("apiDeprecationErrors", false), errcode.Location4886600},
		{"deprecation errors", bson.Doc("ping", 1), append(bson.Doc("apiDeprecationErrors", true), one...), 0},
		{"strict, in it", bson.Doc("find", "c"), strict, 0},
		{"strict, count", bson.Doc("count", "c"), strict, 0},
		{"strict, hello", bson.Doc("hello", 1), strict, 0},
		{"strict, legacy hello", bson.Doc("isMaster", 1), strict, errcode.APIStrictError},
		{"strict, distinct", bson.Doc("distinct", "c", "key", "a"), strict, errcode.APIStrictError},
		{"strict, buildInfo", bson.Doc("buildInfo", 1), strict, errcode.APIStrictError},
		{"strict, testVersion2", bson.Doc("testVersion2", 1), strict, errcode.APIStrictError},
		{"strict, unknown", bson.Doc("nothing", 1), strict, errcode.CommandNotFound},
		{"strict, refreshSessions", bson.Doc("refreshSessions", bson.A{}), strict, 0},
		{"not strict", bson.Doc("distinct", "c", "key", "a"), bson.Doc("apiVersion", "1", "apiStrict", false), 0},
		{"strict, a field", bson.Doc("find", "c", "showRecordId", true), strict, errcode.APIStrictError},
		{"not strict, a field", bson.Doc("find", "c", "showRecordId", true), one, 0},
		{"strict, capped", bson.Doc("create", "d", "capped", true, "size", 4096), strict, errcode.APIStrictError},
		{"strict, an index", bson.Doc("createIndexes", "c", "indexes", bson.A{bson.Doc("key", bson.Doc("a", 1), "name", "a")}), strict, 0},
		{"strict, a sparse index", bson.Doc("createIndexes", "c", "indexes", bson.A{bson.Doc("key", bson.Doc("b", 1), "name", "b", "sparse", true)}), strict, errcode.APIStrictError},
		{"strict, stages", stages(bson.Doc("$match", bson.D{}), bson.Doc("$group", bson.Doc("_id", nil))), strict, 0},
		{"strict, a stage", stages(sessions), strict, errcode.APIStrictError},
		{"strict, a stage of a branch", stages(bson.Doc("$facet", bson.Doc("a", bson.A{sessions}))), strict, errcode.APIStrictError},
		{"strict, a stage of a union", stages(bson.Doc("$unionWith", bson.Doc("coll", "c", "pipeline", bson.A{sessions}))), strict, errcode.APIStrictError},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connectRaw(t, mongotest.Start(t), 0)
			checkRefused(t, c.runAdmin(pairs(append(test.command, test.api...))...), test.want)
		})
	}
}

// A server can be configured to require an API version, and to accept a second one.
func TestAPIParameters(t *testing.T) {
	c := connectRaw(t, mongotest.Start(t, mongotest.Parameter("requireApiVersion", true), mongotest.Parameter("acceptApiVersion2", true)), 0)
	for _, test := range []struct {
		command bson.D
		want    errcode.Code
	}{
		{bson.Doc("ping", 1), errcode.Location498870},
		{bson.Doc("hello", 1), errcode.Location498870},
		{bson.Doc("ping", 1, "apiVersion", "1"), 0},
		{bson.Doc("testVersion2", 1, "apiVersion", "2", "apiStrict", true), 0},
		{bson.Doc("testVersion2", 1, "apiVersion", "1", "apiStrict", true), errcode.APIStrictError},
		{bson.Doc("testDeprecationInVersion2", 1, "apiVersion", "1", "apiDeprecationErrors", true), 0},
		{bson.Doc("testDeprecationInVersion2", 1, "apiVersion", "2", "apiDeprecationErrors", true), errcode.APIDeprecationError},
		{bson.Doc("testDeprecationInVersion2", 1, "apiVersion", "2"), 0},
	} {
		if reply := c.runAdmin(pairs(test.command)...); codeOf(reply) != test.want {
			t.Errorf("%v: %v, want code %d", test.command, reply, test.want)
		}
	}
}

func TestReadPreferenceOfACommand(t *testing.T) {
	deployments := map[string]*mongotest.Deployment{
		"mongod": mongotest.Start(t, mongotest.ReplicaSet(1)), "mongos": mongotest.Start(t, mongotest.Sharded(1)),
	}
	tags := bson.A{bson.Doc("dc", "ny")}
	for _, test := range []struct {
		name  string
		value any
		want  errcode.Code
	}{
		{"primary", bson.Doc("mode", "primary"), 0},
		{"primaryPreferred", bson.Doc("mode", "primaryPreferred"), 0},
		{"secondary", bson.Doc("mode", "secondary"), 0},
		{"secondaryPreferred", bson.Doc("mode", "secondaryPreferred"), 0},
		{"nearest", bson.Doc("mode", "nearest", "tags", tags, "maxStalenessSeconds", 90, "hedge", bson.Doc("enabled", true)), 0},
		{"primary, the wildcard", bson.Doc("mode", "primary", "tags", bson.A{bson.D{}}), 0},
		{"primary, no hedge", bson.Doc("mode", "primary", "hedge", bson.Doc("enabled", false)), 0},
		{"no document", "primary", errcode.TypeMismatch},
		{"no mode", bson.D{}, errcode.NoSuchKey},
		{"a mode that is a number", bson.Doc("mode", 1), errcode.TypeMismatch},
		{"an unknown mode", bson.Doc("mode", "Primary"), errcode.BadValue},
		{"primary, tags", bson.Doc("mode", "primary", "tags", tags), errcode.BadValue},
		{"tags that are no array", bson.Doc("mode", "nearest", "tags", 1), errcode.TypeMismatch},
		{"primary, staleness", bson.Doc("mode", "primary", "maxStalenessSeconds", 100), errcode.BadValue},
		{"a negative staleness", bson.Doc("mode", "nearest", "maxStalenessSeconds", -1), errcode.BadValue},
		{"a small staleness", bson.Doc("mode", "nearest", "maxStalenessSeconds", 89), errcode.MaxStalenessOutOfRange},
		{"a staleness that is no number", bson.Doc("mode", "nearest", "maxStalenessSeconds", "90"), errcode.TypeMismatch},
		{"primary, hedge", bson.Doc("mode", "primary", "hedge", bson.D{}), errcode.InvalidOptions},
		{"a hedge that is no document", bson.Doc("mode", "nearest", "hedge", true), errcode.TypeMismatch},
	} {
		for kind, d := range deployments {
			t.Run(test.name+" "+kind, func(t *testing.T) {
				checkRefused(t, connectRaw(t, d, 0).run(bson.Doc("count", "c", "$readPreference", test.value, "$db", "db")), test.want)
			})
		}
	}
	old := connectRaw(t, mongotest.Start(t, mongotest.Sharded(1), mongotest.Version("4.2")), 0)
	checkRefused(t, old.run(bson.Doc("count", "c", "$readPreference", bson.Doc("mode", "some"), "$db", "db")), errcode.FailedToParse)
}
