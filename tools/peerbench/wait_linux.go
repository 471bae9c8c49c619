package main

import (
	"syscall"
	"time"
)

// wait sleeps in the kernel. A timer of the Go runtime may be a millisecond late when nothing else runs.
func wait(d time.Duration) {
	if d <= 0 {
		return
	}
	left := syscall.NsecToTimespec(int64(d))
	for syscall.Nanosleep(&left, &left) == syscall.EINTR {
	}
}
