// Package encrypted is the server's side of Queryable Encryption. It stores the payloads that drivers insert, counts
// them in the state collections, tags documents, turns search payloads into searches for tags, and compacts the state.
//
// It sees tokens and never a data key, as a real server does. It knows no transactions. It reaches state collections
// only through an interface that finds, adds and removes documents, which package engine implements.
// generated/core/encryption defines the formats.
package encrypted
