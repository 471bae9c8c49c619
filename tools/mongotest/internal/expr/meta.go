package expr

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// atlas lists the metadata that only Atlas Search produces.
var atlas = []string{
	"searchScore", "searchHighlights", "searchScoreDetails", "searchSequenceToken", "vectorSearchScore", "score", "scoreDetails",
}

// CheckMeta reads the argument of $meta.
func CheckMeta(v bson.RawValue) (kind string, err error) {
	kind, ok := v.StringOK()
	switch {
	case !ok:
		return "", status.Errorf(17307, "$meta only supports string arguments")
	case slices.Contains(atlas, kind):
		return "", status.Errorf(40218,
			"query requires %s metadata, but it is not available (mongotest has no Atlas Search)", spellKind(kind))
	case !slices.Contains([]string{TextScore, GeoDistance, GeoPoint, IndexKey, RecordNumber, SortKey, RandomValue,
		"timeseriesBucketMinTime", "timeseriesBucketMaxTime"}, kind):
		return "", status.Errorf(17308, "Unsupported argument to $meta: %s", kind)
	}
	return kind, nil
}

// Missing returns the error for metadata that no part of the query produces.
func Missing(kind string) error {
	return status.Errorf(40218, "query requires %s metadata, but it is not available", spellKind(kind))
}

// spellKind returns a kind as messages spell it.
func spellKind(kind string) string {
	switch kind {
	case TextScore:
		return "text score"
	case GeoDistance:
		return "$geoNear distance"
	case GeoPoint:
		return "$geoNear point"
	}
	return kind
}

// compileMeta compiles $meta.
func (c *compiler) compileMeta(arg bson.RawValue) (eval, error) {
	kind, err := CheckMeta(arg)
	if err != nil {
		return nil, err
	}
	c.varys = true
	if c.scope == nil || c.scope.Meta == nil {
		return nil, Missing(kind)
	}
	m := c.scope.Meta
	m.Want(kind)
	return func(env *Env) (bson.RawValue, error) { return m.Of(bson.Raw(env.root.Value), kind), nil }, nil
}
