// Package extjson converts between extended JSON and BSON, bytes to bytes: [Parse] and [Append] are its two directions.
// It knows no Go type of a document; package bson puts those on either end.
//
// Only bson imports it.
package extjson
