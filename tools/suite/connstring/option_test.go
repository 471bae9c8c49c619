package connstring

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

func TestLookUpFindsOptionsByTheirNamesInURIs(t *testing.T) {
	o := &options.Client{
		HeartbeatFrequency: new(750 * time.Millisecond), ReplicaSet: new("rs"), TLS: new(true), ZlibLevel: new(3),
		WriteConcern: &options.WriteConcern{W: "majority", WTimeout: new(2 * time.Second)},
		ReadPreference: &options.ReadPreference{
			Mode: options.Nearest, MaxStaleness: new(90 * time.Second), TagSets: []options.TagSet{{{Name: "dc", Value: "x"}}, {}},
		},
		Auth:        &options.Credential{AuthMechanismProperties: map[string]string{"SERVICE_NAME": "s"}},
		Compressors: []string{"zlib"},
	}
	tests := map[string]struct {
		name  string
		want  any
		equal bool
	}{
		"milliseconds":       {"heartbeatFrequencyMS", 750, true},
		"a double":           {"heartbeatFrequencyMS", 750.0, true},
		"a fraction":         {"heartbeatFrequencyMS", 750.5, false},
		"seconds":            {"maxStalenessSeconds", 90, true},
		"case":               {"REPLICASET", "rs", true},
		"alias":              {"ssl", true, true},
		"grouped":            {"w", "majority", true},
		"old name":           {"wtimeout", 2000, true},
		"tags":               {"readPreferenceTags", bson.A{bson.Doc("dc", "x"), bson.D{}}, true},
		"other tags":         {"readPreferenceTags", bson.A{bson.Doc("dc", "x")}, false},
		"properties by case": {"authMechanismProperties", bson.Doc("service_name", "s"), true},
		"list":               {"compressors", bson.A{"zlib"}, true},
		"level":              {"zlibCompressionLevel", 3, true},
		"another value":      {"replicaSet", "r", false},
		"unset":              {"appName", "x", false},
		"unset is nil":       {"appName", nil, true},
	}
	for name, tt := range tests {
		got, ok := lookUp(o, tt.name)
		if !ok || equal(got, tt.want) != tt.equal {
			t.Errorf("%s: %v is %v", name, tt.name, got)
		}
	}
	if _, ok := lookUp(o, "soup"); ok {
		t.Error("an option that does not exist is found")
	}
}
