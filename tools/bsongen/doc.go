// Command bsongen writes the methods AppendBSON and DecodeBSON for structs, so that package bson need not look at them at
// run time. The methods encode and decode exactly as bson.Marshal and bson.Unmarshal do without options, only faster, and
// those two use them wherever they meet the type.
//
//	//go:generate go run github.com/specdrivers/onion/tools/bsongen -type Order,Invoice
//
// The structs of the same package that these contain get methods too. Types of other packages, interfaces, and types that
// encode themselves go through package bson. The output is order_bson.go for -type Order unless -output says otherwise.
//
// With -json, fields without a bson tag take name and omitempty from their json tag, as the option UseJSONTags does. Other options
// of Marshal and Unmarshal do not reach the methods: they were fixed when the code was written. Of an option that a type needs
// always, the tags omitempty, minsize and truncate are the equivalent.
//
// It needs nothing but the standard library and the go command, and is imported by nothing.
package main
