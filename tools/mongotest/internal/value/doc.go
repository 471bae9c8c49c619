// Package value makes single BSON values. The zero bson.RawValue stands for a missing field throughout mongotest.
//
// It is not a codec: Go values are encoded by package bson.
package value
