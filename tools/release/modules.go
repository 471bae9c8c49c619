package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// repository holds the modules below a directory, first the module at its root. A go.mod without packages only keeps data out of the
// module around it, and is not published.
type repository struct {
	dir     string
	modules []module
}

// module is one go.mod: its folder below the root, with slashes, and the path of the module.
type module struct{ folder, path string }

func open(dir string) (*repository, error) {
	files, err := command(dir, "git", "ls-files", "go.mod", "*/go.mod")
	if err != nil {
		return nil, err
	}
	r := &repository{dir: dir}
	for name := range strings.FieldsSeq(files) {
		if slices.Contains(strings.Split(name, "/"), "testdata") {
			continue
		}
		source, err := command(dir, "git", "ls-files", path.Join(path.Dir(name), "*.go"))
		if err != nil {
			return nil, err
		}
		if source == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		first, _, _ := strings.Cut(string(text), "\n")
		modulePath, ok := strings.CutPrefix(first, "module ")
		if !ok {
			return nil, fmt.Errorf("%s does not begin with its module's path", name)
		}
		r.modules = append(r.modules, module{folder: path.Dir(name), path: modulePath})
	}
	slices.SortFunc(r.modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	if len(r.modules) == 0 || r.modules[0].folder != "." {
		return nil, fmt.Errorf("%s has no go.mod that git knows", dir)
	}
	return r, nil
}

// write puts the version in place of the placeholders and replace directives that nested modules use during development.
func (r *repository) write(out io.Writer, version string) error {
	for _, m := range r.modules {
		required, err := r.requires(m)
		if err != nil {
			return err
		}
		for _, p := range required {
			_, err := command(filepath.Join(r.dir, m.folder), "go", "mod", "edit", "-require="+p+"@"+version, "-dropreplace="+p)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s/go.mod requires %s %s\n", m.folder, p, version)
		}
	}
	return nil
}

// develop lets the nested modules use this tree again, as they did before write. The versions stay: they are those of the last
// release.
func (r *repository) develop(out io.Writer) error {
	for _, m := range r.modules {
		required, err := r.requires(m)
		if err != nil {
			return err
		}
		for _, p := range required {
			at := slices.IndexFunc(r.modules, func(m module) bool { return m.path == p })
			there, err := filepath.Rel(m.folder, r.modules[at].folder)
			if err != nil {
				return err
			}
			there = filepath.ToSlash(there)
			if _, err := command(filepath.Join(r.dir, m.folder), "go", "mod", "edit", "-replace="+p+"="+there); err != nil {
				return err
			}
			fmt.Fprintf(out, "%s/go.mod takes %s from %s\n", m.folder, p, there)
		}
	}
	return nil
}

// requires lists the modules of this repository that a module requires.
func (r *repository) requires(m module) ([]string, error) {
	text, err := command(filepath.Join(r.dir, m.folder), "go", "mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var file struct{ Require []struct{ Path string } }
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		return nil, err
	}
	var paths []string
	for _, req := range file.Require {
		if slices.ContainsFunc(r.modules, func(m module) bool { return m.path == req.Path }) {
			paths = append(paths, req.Path)
		}
	}
	return paths, nil
}

// tag makes one tag for each module in the form that Go requires: the module's folder, then the version. It signs them if git
// has a key to sign with.
func (r *repository) tag(out io.Writer, version string) error {
	if changed, err := command(r.dir, "git", "status", "--porcelain"); err != nil || changed != "" {
		return fmt.Errorf("commit what has changed first:\n%s%w", changed, err)
	}
	kind, done := "-a", "tagged"
	if key, err := command(r.dir, "git", "config", "--default", "", "user.signingkey"); err != nil {
		return err
	} else if strings.TrimSpace(key) != "" {
		kind, done = "-s", "tagged and signed"
	}
	for _, m := range r.modules {
		name := strings.TrimPrefix(path.Join(m.folder, version), "./")
		if _, err := command(r.dir, "git", "tag", kind, name, "-m", m.path+" "+version); err != nil {
			return err
		}
		fmt.Fprintln(out, done, name)
	}
	return nil
}

// command runs a program and returns what it printed.
func command(dir, name string, args ...string) (string, error) {
	return commandIn(dir, nil, name, args...)
}

func commandIn(dir string, env []string, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, errs.String())
	}
	return string(out), nil
}
