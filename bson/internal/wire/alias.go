//go:build !purego

package wire

import "unsafe"

// AliasString returns b as a string without copying it. The bytes must not change while the string is in use.
func AliasString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// AliasBytes returns the bytes of s without copying them. They must not be changed.
func AliasBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
