// Package encrypted is the server's side of Queryable Encryption: it stores the payloads that drivers insert, counts them in
// the state collections, tags documents, turns payloads of searches into searches for tags, and compacts the state.
//
// It sees tokens and never a data key, as a real server does. It knows no transactions and no collections beyond an
// interface that finds, adds and removes documents of the state; package engine gives it that. The formats are those of
// generated/core/encryption.
package encrypted
