//go:build purego

package wire

// AliasString returns b as a string. This is alias.go without unsafe: it copies.
func AliasString(b []byte) string { return string(b) }

// AliasBytes returns the bytes of s.
func AliasBytes(s string) []byte { return []byte(s) }
