package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Initial runs the stages that make documents.
func (x *access) Initial(name string, spec bson.RawValue) ([]bson.Raw, bool, error) {
	d, isDocument := spec.DocumentOK()
	switch name {
	case "$listLocalSessions", "$listSessions":
		docs, err := x.listSessions(name, spec)
		return docs, true, err
	case "$shardedDataDistribution":
		docs, err := callHook(x.e.hooks.Distribution, x.r, d)
		return docs, true, err
	case "$currentOp":
		docs, err := x.currentOp(spec)
		return docs, true, err
	case "$collStats":
		if !isDocument {
			return nil, true, status.Errorf(5447000, "$collStats must take a nested object but found: $collStats: %s", status.TextOf(spec))
		}
		if x.missing {
			return nil, true, status.Errorf(errcode.NamespaceNotFound, "Collection [%s.%s] not found.", x.r.DB, x.collection)
		}
		docs, err := x.e.collStatsStage(x, d)
		return docs, true, err
	case "$queryStats":
		return nil, true, x.queryStats(spec)
	case "$planCacheStats", "$querySettings", "$listSampledQueries":
		return nil, true, nil // nothing is collected
	case "$listClusterCatalog":
		docs, err := x.listClusterCatalog(spec)
		return docs, true, err
	case "$indexStats":
		if d.Len() > 0 || spec.Type != bsontype.EmbeddedDocument {
			return nil, true, status.Errorf(28803, "The $indexStats stage specification must be an empty object")
		}
		return x.e.indexStats(x), true, nil
	case "$listSearchIndexes":
		if x.r.WireVersion < wire.Server70 {
			return nil, false, nil
		}
		if level := x.r.ReadLevel; level != "" && level != "local" {
			return nil, true, status.Errorf(errcode.InvalidOptions, "Aggregation stage $listSearchIndexes cannot run with a readConcern "+
				"other than 'local', or in a multi-document transaction. Current readConcern: { level: \"%s\" }", level)
		}
		if x.e.hooks.SearchIndexes != nil {
			docs, err := x.e.hooks.SearchIndexes(x.r, d)
			return docs, true, err
		}
		return nil, true, x.r.errSearchNotEnabled(6047401, "$listSearchIndexes stage is only allowed on MongoDB Atlas")
	case "$search", "$searchMeta", "$vectorSearch":
		return nil, true, x.errSearchRefused(name, spec)
	case "$geoNear":
		docs, err := x.geoNear(d)
		return docs, true, err
	case "$changeStream":
		f, err := x.changeStream(spec)
		x.follows = f
		return nil, true, err
	}
	return nil, false, nil
}

// queryStats checks $queryStats. Nothing is collected, so it has no documents.
func (x *access) queryStats(spec bson.RawValue) error {
	d, ok := spec.DocumentOK()
	switch {
	case !ok:
		return status.Errorf(errcode.FailedToParse, "$queryStats value must be an object. Found: %s", value.TypeName(spec))
	case x.r.DB != "admin":
		return status.Errorf(errcode.InvalidNamespace, "$queryStats must be run against the 'admin' database with {aggregate: 1}")
	}
	a, err := x.r.parseStatement("$queryStats", d, []field{{"transformIdentifiers", 0, document}})
	if err != nil || !a.has("transformIdentifiers") {
		return err
	}
	const owner = "$queryStats.transformIdentifiers"
	a, err = x.r.parseStatement(owner, a.document("transformIdentifiers"),
		[]field{{"algorithm", 0, text | required}, {"hmacKey", 0, anything}})
	if err != nil {
		return err
	}
	return checkChoice(owner, a, "algorithm", "hmac-sha-256")
}
