//go:build !unix

package conn

// hasNothingToRead cannot check the socket here, so the next operation finds out.
func hasNothingToRead(uintptr) bool { return true }
