package bson

// DocumentType is the Go type that a document decodes into when the target is an any.
type DocumentType uint8

// The types that an embedded document can decode into.
const (
	DocumentD DocumentType = iota // D, the default
	DocumentM
	DocumentMap // map[string]any
	DocumentRaw
	// DocumentLikeParent is the type of the document around it, where that is a D, an M or another map of any, and D elsewhere.
	DocumentLikeParent
)
