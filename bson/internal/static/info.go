// Package static describes the methods that bsongen writes. Package bson uses the description to tell them from
// methods that were written by hand.
//
// Only bson and bsonimpl import it.
package static

import "reflect"

// Info says what the methods AppendBSON and DecodeBSON of a type do.
type Info struct {
	// Type is the type that the methods were written for. A struct that embeds it inherits them.
	Type reflect.Type
	// JSONTags says that fields without a bson tag have their json tag.
	JSONTags bool
	// Depth is how many levels of documents and arrays a value has at most; 0 if there is no limit.
	Depth int
}
