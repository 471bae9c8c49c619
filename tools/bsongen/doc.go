// Command bsongen writes the methods AppendBSON and DecodeBSON for structs, so package bson needs no reflection at
// run time. Marshal and Unmarshal use them wherever they meet the type. The results are the same, only faster.
//
//	//go:generate go run github.com/specdrivers/onion/tools/bsongen -type Order,Invoice
//
// Structs of the same package that they contain get methods too. Types of other packages, interfaces, and types that
// encode themselves go through package bson. The output is order_bson.go for -type Order unless -output says otherwise.
//
// With -json, fields without a bson tag take name and omitempty from their json tag, as the option UseJSONStructTags does.
//
// The methods do what Marshal and Unmarshal do without options. When the caller sets options, package bson does
// not call them and uses its plan for the struct, so options always take effect.
//
// It needs only the standard library and the go command. No package imports it.
package main
