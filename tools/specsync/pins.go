package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
	if !behind || check {
		return behind, nil
	}
	return false, os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o644)
}
