package expr

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// These are the kinds of metadata that a query attaches to the documents it finds.
const (
	TextScore    = "textScore"
	GeoDistance  = "geoNearDistance"
	GeoPoint     = "geoNearPoint"
	IndexKey     = "indexKey"
	RecordNumber = "recordId"
	SortKey      = "sortKey"
	RandomValue  = "randVal"
)

// Metadata holds what a command knows about documents beyond their fields. It identifies a document by its address in
// memory. It belongs to one command. The nil *Metadata is empty.
type Metadata struct {
	wanted map[string]bool
	of     map[*byte]map[string]bson.RawValue
	// Once says that the command looks at each document only once, so that metadata can be dropped after use.
	Once bool
}

// Has reports whether any document has metadata of a kind.
func (m *Metadata) Has(kind string) bool {
	for _, of := range m.of {
		if !of[kind].IsZero() {
			return true
		}
	}
	return false
}

// Want records that something asks for metadata of a kind.
func (m *Metadata) Want(kind string) {
	if m.wanted == nil {
		m.wanted = map[string]bool{}
	}
	m.wanted[kind] = true
}

// Wants reports whether something asks for metadata of a kind, or of any kind if kind is "".
func (m *Metadata) Wants(kind string) bool {
	return m != nil && (m.wanted[kind] || kind == "" && len(m.wanted) > 0)
}

// Set stores metadata for a document.
func (m *Metadata) Set(doc bson.Raw, kind string, v bson.RawValue) {
	if m.of == nil {
		m.of = map[*byte]map[string]bson.RawValue{}
	}
	if m.of[&doc[0]] == nil {
		m.of[&doc[0]] = map[string]bson.RawValue{}
	}
	m.of[&doc[0]][kind] = v
}

// Of returns the metadata of a document, or a missing value.
func (m *Metadata) Of(doc bson.Raw, kind string) bson.RawValue {
	if m == nil || len(doc) == 0 {
		return bson.RawValue{}
	}
	return m.of[&doc[0]][kind]
}

// Sorting returns a function that finds metadata to sort by, or nil if there is none.
func (m *Metadata) Sorting() func(doc bson.Raw, kind string) bson.RawValue {
	if m == nil {
		return nil
	}
	return m.Of
}

// Copy gives a new document the metadata of the one that it was made from.
func (m *Metadata) Copy(to, from bson.Raw) {
	if len(to) > 0 && len(from) > 0 && m.of[&from[0]] != nil {
		m.of[&to[0]] = m.of[&from[0]]
	}
}

// Forget drops the metadata of a document.
func (m *Metadata) Forget(doc bson.Raw) { delete(m.of, &doc[0]) }

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
			"query requires %s metadata, but it is not available (mongotest has no Atlas Search)", spelled(kind))
	case !slices.Contains([]string{TextScore, GeoDistance, GeoPoint, IndexKey, RecordNumber, SortKey, RandomValue,
		"timeseriesBucketMinTime", "timeseriesBucketMaxTime"}, kind):
		return "", status.Errorf(17308, "Unsupported argument to $meta: %s", kind)
	}
	return kind, nil
}

// Missing returns the error for metadata that no part of the query produces.
func Missing(kind string) error {
	return status.Errorf(40218, "query requires %s metadata, but it is not available", spelled(kind))
}

// spelled returns a kind as messages spell it.
func spelled(kind string) string {
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

// meta compiles $meta.
func (c *compiler) meta(arg bson.RawValue) (eval, error) {
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
