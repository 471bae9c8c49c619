package agg

import (
	"maps"
	"slices"

	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// introduced holds the wire version of the first server with each stage. It leaves out the stages that 4.2 already has.
var introduced = map[string]int32{"$unionWith": wire.Server44, "$documents": wire.Server51, splits: wire.Server70,
	"$queryStats": wire.Server60, "$listSampledQueries": wire.Server70, "$querySettings": wire.Server80,
	"$listClusterCatalog": wire.Server80, "$searchMeta": wire.Server44, "$vectorSearch": wire.Server60,
	"$setWindowFields": wire.Server50, "$densify": wire.Server51, "$fill": wire.Server53,
}

// absent lists the server's stages that mongotest lacks. They fail like unknown stages, with a note that mongotest
// lacks them.
var absent = map[string]bool{
	"$rankFusion": true, "$scoreFusion": true,
}

func errUnrecognized(name string) error {
	note := ""
	if absent[name] {
		note = " (mongotest does not have it)"
	}
	return status.Errorf(errcode.Location40324, "Unrecognized pipeline stage name: '%s'%s", name, note)
}

// writes lists the stages that write the output of a pipeline.
var writes = map[string]bool{"$out": true, "$merge": true}

// initials lists the stages that create documents, and whether they run on a named collection, on {aggregate: 1}, or on
// either.
var initials = map[string]namespace{
	"$collStats": byName, "$indexStats": byName, "$listSessions": byName, "$listSearchIndexes": byName, "$documents": byNothing,
	"$currentOp": byNothing, "$listLocalSessions": byNothing, "$changeStream": byEither,
	"$search": byName, "$searchMeta": byName, "$vectorSearch": byName,
	"$geoNear": byName, "$planCacheStats": byName, "$queryStats": byNothing, "$querySettings": byNothing,
	"$listSampledQueries": byNothing, "$listClusterCatalog": byNothing, "$shardedDataDistribution": byNothing,
}

type namespace uint8

const (
	byName namespace = iota
	byNothing
	byEither
)

func isInitial(name string) bool {
	_, ok := initials[name]
	return ok
}

// splits is the stage that splits large events. The code that runs the change stream carries it out.
const splits = "$changeStreamSplitLargeEvent"

// onEvents lists the stages that a change stream may have.
var onEvents = map[string]bool{
	"$changeStream": true, "$match": true, "$project": true, "$addFields": true, "$set": true, "$unset": true, "$replaceRoot": true,
	"$replaceWith": true, "$redact": true, splits: true,
}

// Splits reports whether the pipeline splits large events of its change stream.
func (p *Pipeline) Splits() bool { return len(p.names) > 0 && p.names[len(p.names)-1] == splits }

// CheckNamespace refuses {aggregate: 1} for a pipeline that needs a collection, and a collection for one that takes
// none.
func (p *Pipeline) CheckNamespace(onDatabase bool) error {
	first := p.First()
	kind := initials[first]
	switch {
	case onDatabase && first == "":
		return status.Errorf(errcode.InvalidNamespace, "{aggregate: 1} is not valid for an empty pipeline.")
	case onDatabase && kind == byName:
		return status.Errorf(errcode.InvalidNamespace, "{aggregate: 1} is not valid for '%s'; a collection is required.", first)
	case onDatabase || kind != byNothing:
		return nil
	case first == "$listLocalSessions":
		return status.Errorf(errcode.InvalidNamespace,
			"$listLocalSessions must be run against the database with {aggregate: 1}, not a collection")
	case first == "$currentOp":
		return status.Errorf(errcode.InvalidNamespace, "$currentOp must be run against the 'admin' database with {aggregate: 1}")
	}
	return status.Errorf(errcode.InvalidNamespace, "'%s' can only be run with {aggregate: 1}", first)
}

// validate checks the positions of the stages after all of them are compiled.
func (c *compiler) validate() error {
	for _, name := range c.p.names {
		if err := c.validateNested(name); err != nil {
			return err
		}
	}
	for i, name := range c.p.names {
		switch {
		case c.p.names[0] == "$changeStream" && !onEvents[name]:
			return status.Errorf(errcode.IllegalOperation, "%s is not permitted in a $changeStream pipeline", name)
		case name == splits && c.p.names[0] != "$changeStream":
			return status.Errorf(errcode.IllegalOperation, "%s can only be used in a $changeStream pipeline", name)
		case name == splits && i < len(c.p.names)-1:
			return status.Errorf(7182802, "%s must be the last stage in the pipeline", name)
		case i > 0 && isInitial(name):
			return status.Errorf(errcode.Location40602, "%s is only valid as the first stage in a pipeline", name)
		case writes[name] && i < len(c.p.names)-1:
			return status.Errorf(errcode.Location40601, "%s can only be the final stage in the pipeline", name)
		case c.InTransaction && (writes[name] || isInitial(name) && name != "$documents" && name != "$geoNear"):
			return status.Errorf(errcode.OperationNotSupportedInTransaction,
				"Stage not supported inside of a multi-document transaction: %s", name)
		}
	}
	return nil
}

// validateNested refuses the stages that are not allowed inside another stage.
func (c *compiler) validateNested(name string) error {
	outward := writes[name] || name == "$changeStream"
	switch c.Nested {
	case "":
		return nil
	case "$lookup":
		if outward {
			return status.Errorf(errcode.Location51047, "%s is not allowed within a $lookup's sub-pipeline", name)
		}
	case "$unionWith":
		if outward {
			return status.Errorf(31441, "%s is not allowed within a $unionWith's sub-pipeline", name)
		}
	case "$facet":
		if outward || name == "$facet" || isInitial(name) {
			return status.Errorf(40600, "%s is not allowed to be used within a $facet stage", name)
		}
	default:
		if writes[name] {
			return status.Errorf(40600, "%s is not allowed to be used within a %s stage", name, c.Nested)
		}
	}
	return nil
}

// Absent lists the server's stages that mongotest lacks.
func Absent() []string { return slices.Sorted(maps.Keys(absent)) }

// SelfMade reports whether the pipeline creates its own documents instead of reading a collection.
func (p *Pipeline) SelfMade() bool { return isInitial(p.First()) }
