// Package bsonimpl is not for users: it is what the output of tools/bsongen calls. Programs have no use for it otherwise,
// and its functions may change together with what bsongen writes.
//
// It does what Marshal and Unmarshal of package bson do without options, for types that are known when the program is
// compiled. With options, package bson does not call the methods that bsongen wrote.
package bsonimpl
