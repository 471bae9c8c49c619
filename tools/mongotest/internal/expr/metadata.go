package expr

import (
	"github.com/specdrivers/onion/bson"
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
	// Once says that the command looks at each document only once, so metadata can be dropped after use.
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
