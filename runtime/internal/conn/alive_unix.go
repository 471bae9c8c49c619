//go:build unix

package conn

import "syscall"

// hasNothingToRead reports whether a read would have to wait. Go's sockets never block.
func hasNothingToRead(fd uintptr) bool {
	var b [1]byte
	_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK)
	return err == syscall.EAGAIN || err == syscall.EINTR
}
