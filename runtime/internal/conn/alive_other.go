//go:build !unix

package conn

// nothingToRead cannot tell here; the next operation finds out.
func nothingToRead(uintptr) bool { return true }
