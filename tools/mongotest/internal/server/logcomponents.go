package server

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// logComponents is the parameter with the verbosity of each log component. The log stays empty at any verbosity.
const logComponents = "logComponentVerbosity"

// components are the components of a server's log, by path.
var components = []string{
	"accessControl", "assert", "command", "control", "executor", "geo", "globalIndex", "index", "network", "network.asio", "network.bridge",
	"network.connectionPool", "processHealth", "query", "replication", "replication.election", "replication.heartbeats",
	"replication.initialSync", "replication.rollback", "sharding", "sharding.balancer", "sharding.migration", "storage",
	"storage.recovery", "storage.journal", "tenantMigration", "test", "transaction", "write",
}

// defaultVerbosity returns the initial verbosity: -1 inherits from the parent component.
func defaultVerbosity() bson.D {
	all := bson.Doc("verbosity", int32(0))
	for _, path := range components {
		all = setVerbosity(all, path, -1)
	}
	return all
}

// setVerbosity sets the verbosity of a component. The path of the whole log is "".
func setVerbosity(d bson.D, path string, level int32) bson.D {
	d = slices.Clone(d)
	at := func(name string) int { return slices.IndexFunc(d, func(e bson.E) bool { return e.Key == name }) }
	if path == "" {
		if i := at("verbosity"); i >= 0 {
			d[i].Value = level
			return d
		}
		return append(d, bson.E{Key: "verbosity", Value: level})
	}
	name, rest, _ := strings.Cut(path, ".")
	i := at(name)
	if i < 0 {
		d, i = append(d, bson.E{Key: name, Value: bson.D{}}), len(d)
	}
	inner, _ := d[i].Value.(bson.D)
	d[i].Value = setVerbosity(inner, rest, level)
	return d
}

// mergeVerbosity changes the components that a setParameter names.
func mergeVerbosity(d bson.D, path string, change bson.Raw) (bson.D, error) {
	for key, v := range change.All() {
		inner, isDocument := v.DocumentOK()
		n, isNumber := v.AsInt64OK()
		full := strings.TrimPrefix(path+"."+key, ".")
		var err error
		switch {
		case key == "verbosity" && isNumber:
			d = setVerbosity(d, path, int32(n))
		case key == "verbosity" || !slices.Contains(components, full):
			return nil, status.Errorf(errcode.BadValue, "Invalid component name %s", full)
		case isDocument:
			d, err = mergeVerbosity(d, full, inner)
		case isNumber:
			d = setVerbosity(d, full, int32(n))
		default:
			return nil, status.Errorf(errcode.BadValue, "Expected number or object for log component %s, found %s", full, v.Type)
		}
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}
