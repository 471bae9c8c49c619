//go:build !linux

package main

import "time"

// wait sleeps.
func wait(d time.Duration) { time.Sleep(d) }
