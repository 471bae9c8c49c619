package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// buildBoth builds the program counted with another revision of the driver, in a worktree, and with this one. remove deletes both
// builds and the worktree.
func buildBoth(revision string) (base, now string, remove func() error, err error) {
	top, err := output("git", "rev-parse", "--show-toplevel")
	if err != nil {
		return "", "", nil, err
	}
	dir, err := os.MkdirTemp("", "peerbench")
	if err != nil {
		return "", "", nil, err
	}
	tree := filepath.Join(dir, "tree")
	if err := command("", "git", "worktree", "add", "--detach", tree, revision); err != nil {
		return "", "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	remove = func() error {
		return errors.Join(command("", "git", "worktree", "remove", "--force", tree), os.RemoveAll(dir))
	}
	base, now = filepath.Join(dir, "base"), filepath.Join(dir, "now")
	err = errors.Join(copyProgram(tree, top), buildCounted(tree, base), buildCounted(top, now))
	if err != nil {
		return "", "", nil, errors.Join(err, remove())
	}
	return base, now, remove, nil
}

// The program counted, and the module it belongs to.
var (
	ownModule     = filepath.Join("tools", "peerbench")
	countedFolder = filepath.Join(ownModule, "counted")
)

// copyProgram gives a tree today's program, so only the driver differs.
func copyProgram(tree, from string) error {
	to := filepath.Join(tree, countedFolder)
	return errors.Join(os.RemoveAll(to), os.CopyFS(to, os.DirFS(filepath.Join(from, countedFolder))))
}

// buildCounted builds without the path of the tree, so the files of both revisions have the same names.
func buildCounted(tree, program string) error {
	return command(filepath.Join(tree, ownModule), "go", "build", "-trimpath", "-o", program, "./counted")
}

func output(name string, arguments ...string) (string, error) {
	out, err := exec.Command(name, arguments...).Output()
	return strings.TrimSpace(string(out)), err
}

func command(dir, name string, arguments ...string) error {
	c := exec.Command(name, arguments...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", c, err, out)
	}
	return nil
}
