package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// check compares what every module exports with the last tag.
func (r *repository) check(out io.Writer) error {
	last, err := command(r.dir, "git", "describe", "--tags", "--match", "v[0-9]*", "--abbrev=0")
	if err != nil {
		fmt.Fprintln(out, "there is no tag yet: nothing that a user has can break")
		return nil
	}
	last = strings.TrimSpace(last)
	before, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(before)
	tree := filepath.Join(before, "tree")
	if _, err := command(r.dir, "git", "worktree", "add", "--detach", tree, last); err != nil {
		return err
	}
	defer command(r.dir, "git", "worktree", "remove", "--force", tree)
	broken := 0
	for _, m := range r.modules {
		if !r.hasLibrary(m) {
			continue
		}
		n, err := r.compare(out, m, tree, filepath.Join(before, "api"))
		if err != nil {
			return err
		}
		broken += n
	}
	fmt.Fprintf(out, "%d incompatible changes since %s\n", broken, last)
	if broken > 0 {
		return errors.New("programs that compile today would not: keep the old names, or say so in CHANGELOG.md and raise the version")
	}
	return nil
}

// hasLibrary reports whether others import packages of a module. The modules below tools hold only programs; mongotest
// is in the root's module.
func (r *repository) hasLibrary(m module) bool { return !strings.HasPrefix(m.folder, "tools/") }

// compare prints the incompatible changes of one module, and counts them.
func (r *repository) compare(out io.Writer, m module, tree, export string) (int, error) {
	was := filepath.Join(tree, m.folder)
	if _, err := os.Stat(filepath.Join(was, "go.mod")); err != nil {
		return 0, nil // new since the tag
	}
	if _, err := r.apidiff(was, "-m", "-w", export, m.path); err != nil {
		return 0, err
	}
	text, err := r.apidiff(filepath.Join(r.dir, m.folder), "-m", "-incompatible", export, m.path)
	if err != nil {
		return 0, err
	}
	n := 0
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok && isPromised(name) {
			fmt.Fprintf(out, "%s: %s", m.path, line)
			n++
		}
	}
	return n, nil
}

// unpromised are the folders whose packages serve only this repository, although Go lets others import them: README.md says so. Each
// comes with the packages below it that do serve others.
var unpromised = map[string][]string{
	"./gen/": nil, "./generated/core/": nil, "./generated/conformance/": nil, "./tools/": {"./tools/mongotest", "./tools/mtest"},
}

// isPromised reports whether a name that apidiff prints belongs to a package that users may rely on.
func isPromised(name string) bool {
	for folder, except := range unpromised {
		if strings.HasPrefix(name, folder) {
			return slices.ContainsFunc(except, func(p string) bool { return strings.HasPrefix(name, p) })
		}
	}
	return true
}

// apidiff runs the version of apidiff that tools/lint pins, in a module's folder.
func (r *repository) apidiff(dir string, args ...string) (string, error) {
	pins, err := filepath.Abs(filepath.Join(r.dir, "tools", "lint", "go.mod"))
	if err != nil {
		return "", err
	}
	program, err := commandIn(r.dir, nil, "go", "tool", "-n", "-modfile="+pins, "apidiff")
	if err != nil {
		return "", err
	}
	return commandIn(dir, []string{"GOWORK=off"}, strings.TrimSpace(program), args...)
}
