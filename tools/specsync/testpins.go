package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/specdrivers/onion/gen/suite"
)

// testPins is the file with the fingerprints of upstream's test files.
const testPins = "UPSTREAM-TESTS"

// allTests stands for the test files of a suite, where -acknowledge wants a section.
const allTests = "the tests"

// syncTestFiles compares upstream's test files with their pins, case by case. Acknowledging a suite says that somebody
// has run it. Without pins there is nothing to compare.
func (s *session) syncTestFiles(stdout io.Writer) (behind bool, err error) {
	path := filepath.Join(s.specs, testPins)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	was, err := suite.ParsePins(string(data))
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	files, err := s.library.testFiles(s.from)
	if err != nil {
		return false, err
	}
	now := suite.PinFiles(files)
	byPath := map[string]*suite.File{}
	suites := map[string]bool{}
	for _, f := range files {
		byPath[f.Path] = f
	}
	for _, path := range append(was.Paths(""), now.Paths("")...) {
		if a, b := was.Files[path], now.Files[path]; a.Print != b.Print {
			suites[now.Suite(path)] = true
		}
	}
	moved := false
	for _, name := range slices.Sorted(maps.Keys(suites)) {
		_, agreed := s.acknowledgementOf(name, allTests)
		if !agreed || s.agree {
			reportTests(stdout, was, now, name, byPath)
		}
		if !agreed {
			s.unread, behind = append(s.unread, name+", "+allTests), true
			continue
		}
		for _, path := range was.Paths(name) {
			delete(was.Files, path)
		}
		for _, path := range now.Paths(name) {
			was.Files[path] = now.Files[path]
		}
		moved = true
	}
	if moved {
		s.texts = append(s.texts, pendingFile{path, []byte(was.Text())})
	}
	return behind, nil
}

// reportTests names what is different in a suite: its files, and their cases.
func reportTests(stdout io.Writer, was, now suite.Pins, name string, files map[string]*suite.File) {
	gone := map[string]string{} // paths of files that are gone, by fingerprint
	for _, path := range was.Paths(name) {
		if _, there := now.Files[path]; !there {
			gone[was.Files[path].Print] = path
		}
	}
	for _, path := range now.Paths(name) {
		a, known := was.Files[path]
		b := now.Files[path]
		from, moved := gone[b.Print]
		switch {
		case known && a.Print == b.Print:
		case known:
			fmt.Fprintf(stdout, "changed tests %s%s\n", path, newVersion(a.Version, b.Version))
			reportCases(stdout, a.Cases, b.Cases, files[path].NamedCases())
		case moved:
			fmt.Fprintf(stdout, "moved tests %s: they were %s\n", path, from)
			delete(gone, b.Print)
		default:
			fmt.Fprintf(stdout, "added tests %s: %d cases\n", path, len(b.Cases))
		}
	}
	for _, path := range was.Paths(name) {
		if gone[was.Files[path].Print] == path {
			fmt.Fprintf(stdout, "removed tests %s: %d cases\n", path, len(was.Files[path].Cases))
		}
	}
}

func newVersion(a, b string) string {
	if a == b {
		return ""
	}
	return fmt.Sprintf(": schema version %s -> %s", a, b)
}

// reportCases names the cases of one file that are new, changed or in other places. It counts the cases that are gone, because
// only their fingerprints are known.
func reportCases(stdout io.Writer, was, now []suite.CasePin, named []suite.NamedCase) {
	left := slices.Clone(was)
	var fresh []int
	for i, c := range now {
		if at := slices.Index(left, c); at >= 0 {
			left = slices.Delete(left, at, at+1)
		} else {
			fresh = append(fresh, i)
		}
	}
	if len(fresh) == 0 && len(left) == 0 {
		fmt.Fprintln(stdout, "    ~ what is beside the cases, or their order")
	}
	for _, i := range fresh {
		sign := "+"
		if at := slices.IndexFunc(left, func(c suite.CasePin) bool { return c.Name == now[i].Name }); at >= 0 {
			sign = "~"
			left = slices.Delete(left, at, at+1)
		}
		fmt.Fprintf(stdout, "    %s case %q\n", sign, named[i].Name)
	}
	if len(left) > 0 {
		fmt.Fprintf(stdout, "    - (%d cases)\n", len(left))
	}
}
