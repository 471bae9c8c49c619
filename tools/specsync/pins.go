package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// syncPins compares the hashes in UPSTREAM with the documents of a checkout, reports those that differ, and unless check
// is set writes the new ones. A directory of tables without UPSTREAM pins nothing.
func syncPins(from, specs string, check bool, stdout io.Writer) (behind bool, err error) {
	name := filepath.Join(specs, "UPSTREAM")
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		old, path, pinned := strings.Cut(line, "  ")
		if !pinned || len(old) != 2*sha256.Size {
			continue // a comment, the repository or the commit
		}
		document, err := os.ReadFile(filepath.Join(from, "source", filepath.FromSlash(path)))
		if err != nil {
			return false, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(document)); sum != old {
			fmt.Fprintf(stdout, "changed %s:%d %s: %.12s -> %.12s\n", name, i+1, path, old, sum)
			lines[i], behind = sum+"  "+path, true
		}
	}
	listed := func(document string) bool {
		return slices.ContainsFunc(lines, func(l string) bool { return strings.HasSuffix(l, "  "+document) })
	}
	documents, err := specifications(filepath.Join(from, "source"))
	if err != nil {
		return false, err
	}
	for _, document := range documents {
		if listed(document) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, "source", filepath.FromSlash(document)))
		if err != nil {
			return false, err
		}
		fmt.Fprintf(stdout, "added %s %s\n", name, document)
		lines, behind = slices.Insert(lines, len(lines)-1, fmt.Sprintf("%x  %s", sha256.Sum256(text), document)), true
	}
	if !behind || check {
		return behind, nil
	}
	return false, os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o644)
}

// specifications lists the documents of a checkout; those of its tests are not among them.
func specifications(root string) ([]string, error) {
	var out []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "tests":
			return fs.SkipDir
		case !d.IsDir() && path.Ext(name) == ".md":
			out = append(out, name)
		}
		return nil
	})
	return out, err
}
