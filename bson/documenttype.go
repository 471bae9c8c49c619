package bson

// DocumentType says what a document becomes that is decoded into an any.
type DocumentType uint8

// The types that an embedded document can decode into.
const (
	DocumentD DocumentType = iota // D, the default
	DocumentM
	DocumentMap // map[string]any
	DocumentRaw
)
