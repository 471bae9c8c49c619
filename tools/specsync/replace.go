package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pendingFile is a file to be written.
type pendingFile struct {
	path string
	data []byte
}

// unfinished marks the names of files that are not whole yet.
const unfinished = ".specsync-"

// replaceFiles puts new files in the place of old ones and keeps their modes. First it removes what a killed run has left behind.
// Then it writes all new files beside the old ones, and only then renames the first: a full disk changes nothing, and at any
// moment each file is old or new, never half of either.
func replaceFiles(writes []pendingFile) (err error) {
	slices.SortFunc(writes, func(a, b pendingFile) int { return cmp.Compare(a.path, b.path) })
	var names []string
	defer func() {
		for _, name := range names {
			err = errors.Join(err, removeIfThere(name))
		}
	}()
	for _, w := range writes {
		left, err := filepath.Glob(filepath.Join(filepath.Dir(w.path), "*"+unfinished+"*"))
		if err != nil {
			return err
		}
		for _, name := range left {
			if !slices.Contains(names, name) {
				_ = os.Remove(name)
			}
		}
		name, err := writeBeside(w)
		names = append(names, name)
		if err != nil {
			return err
		}
	}
	for i, w := range writes {
		if err := os.Rename(names[i], w.path); err != nil {
			return err
		}
	}
	return nil
}

func removeIfThere(name string) error {
	if err := os.Remove(name); name != "" && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// writeBeside writes the new file under a name of its own.
func writeBeside(w pendingFile) (name string, err error) {
	old, err := os.Stat(w.path)
	if err != nil {
		return "", err
	}
	if old.Mode().Perm()&0o200 == 0 {
		return "", fmt.Errorf("%s: the file is read-only", w.path)
	}
	out, err := os.CreateTemp(filepath.Dir(w.path), strings.TrimPrefix(filepath.Base(w.path), ".")+unfinished+"*")
	if err != nil {
		return "", err
	}
	_, err = out.Write(w.data)
	return out.Name(), errors.Join(err, out.Chmod(old.Mode().Perm()), out.Sync(), out.Close())
}
