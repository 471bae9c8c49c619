package bson

// DocumentType is the Go type that a document decodes into when the target is an any.
type DocumentType uint8

// The types that an embedded document can decode into.
const (
	DocumentD DocumentType = iota // D, the default
	DocumentM
	DocumentMap // map[string]any
	DocumentRaw
)
