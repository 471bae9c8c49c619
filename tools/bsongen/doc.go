// Command bsongen writes the methods AppendBSON and DecodeBSON for structs, so that package bson need not look at them at
// run time. Marshal and Unmarshal use them wherever they meet the type. The results are the same, only faster.
//
//	//go:generate go run github.com/specdrivers/onion/tools/bsongen -type Order,Invoice
//
// The structs of the same package that these contain get methods too. Types of other packages, interfaces, and types that
// encode themselves go through package bson. The output is order_bson.go for -type Order unless -output says otherwise.
//
// With -json, fields without a bson tag take name and omitempty from their json tag, as the option UseJSONTags does.
//
// The methods do what Marshal and Unmarshal do without options. When the caller sets options, package bson does
// not call them and uses its plan for the struct, so that options always take effect.
//
// It needs nothing but the standard library and the go command, and is imported by nothing.
package main
