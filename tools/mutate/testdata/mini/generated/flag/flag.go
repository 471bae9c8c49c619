// Package flag is generated.
package flag

// Watched has a test.
func Watched() bool { return true }

// Alone has none.
func Alone() bool { return true }
