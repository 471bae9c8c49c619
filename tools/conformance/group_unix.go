//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the command end with everything that it has started: go test does not end its tests itself.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
}
