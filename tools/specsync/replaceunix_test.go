//go:build unix

package main

import (
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// shrinkDisk lets the process write only as much into a file as a full disk would take.
func shrinkDisk() {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 20_010, Max: 20_010} // the first files fit, the later ones do not
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		panic(err)
	}
}

// TestFullDisk: when the new tables do not fit, the old ones stay, all of them.
func TestFullDisk(t *testing.T) {
	folder := folderOf(t)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childFolder+"="+folder, smallDisk+"=1")
	out, err := child.CombinedOutput()
	if err == nil || child.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "too large") {
		t.Errorf("the child says %v, %s", err, out)
	}
	if count := wholeFiles(t, folder); count['A'] != childFiles || len(leftovers(t, folder)) > 0 {
		t.Errorf("%d of %d files are old, and %v is left", count['A'], childFiles, leftovers(t, folder))
	}
}
