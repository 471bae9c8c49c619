package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// buildBoth builds the benchmarks with another revision of the driver, in a worktree, and returns that program, this one, and
// what removes the worktree.
func buildBoth(revision string) (base, now string, remove func() error, err error) {
	if now, err = os.Executable(); err != nil {
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
	base = filepath.Join(dir, "base")
	if err := buildBase(tree, base); err != nil {
		return "", "", nil, errors.Join(err, remove())
	}
	return base, now, remove, nil
}

// buildBase builds today's benchmarks in a tree of another revision, so that only the driver differs. If they do not fit its
// driver, it builds the revision's own.
func buildBase(tree, program string) error {
	own := filepath.Join(tree, "tools", "peerbench")
	top, err := output("git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	if err := overlay(own, filepath.Join(top, "tools", "peerbench")); err != nil {
		return err
	}
	err = command(own, "go", "build", "-o", program, ".")
	if err == nil {
		return nil
	}
	say("these benchmarks do not fit the base's driver, so the base has its own: %v", err)
	if err := errors.Join(command(own, "git", "clean", "-fdq", "."), command(own, "git", "checkout", "-q", ".")); err != nil {
		return err
	}
	return command(own, "go", "build", "-o", program, ".")
}

// overlay replaces the Go files in a folder by those of another one. What bsongen wrote stays: it belongs to the driver.
func overlay(to, from string) error {
	for _, step := range []struct {
		dir string
		do  func(name string) error
	}{
		{to, func(name string) error { return os.Remove(filepath.Join(to, name)) }},
		{from, func(name string) error { return copyFile(filepath.Join(to, name), filepath.Join(from, name)) }},
	} {
		entries, err := os.ReadDir(step.dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_bson.go") {
				if err := step.do(name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
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
