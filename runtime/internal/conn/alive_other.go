//go:build !unix

package conn

// nothingToRead cannot check the socket here, so the next operation finds out.
func nothingToRead(uintptr) bool { return true }
