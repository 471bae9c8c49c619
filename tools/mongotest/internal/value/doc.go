// Package value makes single BSON values. The zero bson.RawValue means a missing field throughout mongotest.
//
// It is not a codec: Go values are encoded by package bson.
package value
