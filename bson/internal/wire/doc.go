// Package wire is the layer of bytes below package bson: the sizes of values, the ends of keys, checks of UTF-8, and
// functions that append or read a single value. It knows no Go type of a document.
//
// Only bson and the packages below it import it.
package wire
