package main

// target is a table and what to run over its mutants.
type target struct {
	file     string   // below specs
	only     string   // the entries of gen that read it
	packages []string // whose tests must notice
}

const conformance = "./generated/conformance/"

var (
	sdamTests      = []string{conformance + "server-discovery-and-monitoring/...", "./runtime/sdam"}
	selectionTests = []string{conformance + "server-selection/...", conformance + "max-staleness/...", "./runtime/selection"}
	uriTests       = []string{
		conformance + "uri-options/...", conformance + "connection-string/...", conformance + "read-write-concern/...",
		conformance + "initial-dns-seedlist-discovery/...", "./runtime/uri", "./generated/core/uri",
	}
)

// targets are the tables that the suites without a server cover.
var targets = []target{
	{"server/transitions.yaml", "sdam", sdamTests},
	{"server/hello.yaml", "sdam", sdamTests},
	{"server/errors.yaml", "sdam", sdamTests},
	{"selection/rules.yaml", "selection", selectionTests},
	{"selection/values.yaml", "selection-values", selectionTests},
	{"options/uri.yaml", "uri", uriTests},
	{"pool/states.yaml", "cmap", []string{conformance + "connection-monitoring-and-pooling/...", "./runtime/pool"}},
	{"auth/mechanisms.yaml", "auth", []string{conformance + "auth/...", "./generated/core/auth"}},
	{"auth/properties.yaml", "auth", []string{conformance + "auth/...", "./generated/core/auth"}},
	{"bson/types.yaml", "bsontype", []string{conformance + "bson-corpus/...", "./bson"}},
}
