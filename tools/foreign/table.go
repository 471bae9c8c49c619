package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// suite is one file of the folder suites.
type suite struct {
	Name   string `yaml:"name"`
	Title  string `yaml:"title"`
	Source source `yaml:"source"`
	Run    runner `yaml:"run"`
	// Needs are programs that must be installed.
	Needs   []string          `yaml:"needs"`
	Env     map[string]string `yaml:"env"`
	Servers []server          `yaml:"servers"`
	Timeout time.Duration     `yaml:"timeout"`
	// Sample is what a landing runs: a name for each part of the runner that it knows.
	Sample []string `yaml:"sample"`
	// Unrun says why the suite has never run. Its servers have no numbers then.
	Unrun   string         `yaml:"unrun"`
	LeftOut []omittedTest  `yaml:"leftOut"`
	Failing []knownFailure `yaml:"failing"`
}

// source says where the files come from. One of the first three fields is set.
type source struct {
	Go      string `yaml:"go"`      // path of a module
	Apt     string `yaml:"apt"`     // name of a Debian source package
	Npm     string `yaml:"npm"`     // folder with package.json and package-lock.json
	Version string `yaml:"version"` // for npm the package and the version that the lock file pins
	Suites  string `yaml:"suites"`  // Debian releases that have the version
}

// runner says how the tests start: a Go package, Python's unittest, Perl's test files, or scripts of ours for Node and mongosh.
type runner struct {
	Kind     string   `yaml:"kind"`
	Packages []string `yaml:"packages"` // Go packages, Python modules, patterns of Perl files, or scripts
	Folder   string   `yaml:"folder"`   // where Python or Perl runs, inside the source
	Imports  []string `yaml:"imports"`  // modules of Python or Perl that must be installed
	BlackBox []string `yaml:"blackBox"` // packages whose tests from outside (package x_test) are moved, each in internal/blackbox
	Tags     string   `yaml:"tags"`     // build tags of Go tests
	Untagged []string `yaml:"untagged"` // build tags to remove from the files of the packages, because every run wants these files
	Beside   []string `yaml:"beside"`   // packages that are moved with those of a moved suite, which import them
	Specs    string   `yaml:"specs"`    // where the source expects the specifications
	Replace  []string `yaml:"replace"`  // pairs of texts: what is put into the files in place of what
	Patterns []string `yaml:"patterns"` // the same with expressions, before the texts
	Names    []string `yaml:"names"`    // "event eventtest": what eventtest of ours exports takes the place of event's
}

// server is a mongotestd that the suite runs against, and the number of tests that passed there last time.
type server struct {
	Topology string `yaml:"topology"`
	Nodes    int    `yaml:"nodes"`
	Version  string `yaml:"version"`
	// Args are further arguments of mongotestd.
	Args   []string `yaml:"args"`
	Passed int      `yaml:"passed"`
}

func (s server) String() string { return s.Topology + " " + s.Version }

// omittedTest is a test that is not run. Its name is an expression.
type omittedTest struct {
	Tests string `yaml:"tests"`
	Why   string `yaml:"why"`
}

// knownFailure is a test that is known to fail, or all tests below one if its name ends with a slash and a star.
type knownFailure struct {
	Test string `yaml:"test"`
	// On limits the row to servers: topologies, or topologies with a version.
	On   []string `yaml:"on"`
	Kind string   `yaml:"kind"`
	Why  string   `yaml:"why"`
	// Sometimes marks a test whose outcome depends on time.
	Sometimes bool `yaml:"sometimes"`
}

// kinds are the reasons for which a test may fail.
var kinds = map[string]string{
	"ours":    "ours and open",
	"outside": "needs something from outside",
	"flaw":    "flaw of the test",
	// Of a suite that was moved to this driver:
	"difference": "the drivers differ, and PARITY.md or the reason says how",
	"white box":  "looks inside the other driver",
}

func (f knownFailure) appliesTo(s server) bool {
	return len(f.On) == 0 || slices.Contains(f.On, s.Topology) || slices.Contains(f.On, s.String())
}

// isPattern reports whether the row is about all tests below one.
func (f knownFailure) isPattern() bool { return strings.HasSuffix(f.Test, "/*") }

// covers reports whether the row is about a test.
func (f knownFailure) covers(name string) bool {
	if f.isPattern() {
		return strings.HasPrefix(name, strings.TrimSuffix(f.Test, "*"))
	}
	return name == f.Test
}

// loadSuites reads every file of the folder.
func loadSuites(folder string) ([]suite, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no suite in %s", folder)
	}
	var suites []suite
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var s suite
		decoder := yaml.NewDecoder(bytes.NewReader(data))
		decoder.KnownFields(true)
		if err := decoder.Decode(&s); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		suites = append(suites, s)
	}
	return suites, nil
}

// check finds what a row lacks. Every exception needs a reason.
func (s *suite) check() error {
	sources := 0
	for _, from := range []string{s.Source.Go, s.Source.Apt, s.Source.Npm} {
		if from != "" {
			sources++
		}
	}
	switch {
	case s.Name == "" || s.Title == "":
		return errors.New("a suite has a name and a title")
	case sources != 1:
		return errors.New("a source is one of go, apt and npm")
	case s.Source.Version == "":
		return errors.New("a source has a version")
	case !slices.Contains([]string{"go", "moved", "unittest", "perl", "node", "mongosh"}, s.Run.Kind):
		return fmt.Errorf("the kind of runner %q is not known", s.Run.Kind)
	case len(s.Run.Packages) == 0 || len(s.Servers) == 0 || s.Timeout == 0:
		return errors.New("a suite has packages, servers and a timeout")
	}
	for _, sv := range s.Servers {
		if (sv.Passed == 0) != (s.Unrun != "") {
			return fmt.Errorf("%v: either tests have passed, or unrun says why none have", sv)
		}
	}
	for _, l := range s.LeftOut {
		if _, err := regexp.Compile(l.Tests); err != nil || l.Tests == "" || l.Why == "" {
			return fmt.Errorf("leftOut %q: it has an expression and a reason", l.Tests)
		}
	}
	seen := map[string]bool{}
	for _, f := range s.Failing {
		if f.Test == "" || f.Why == "" || kinds[f.Kind] == "" {
			return fmt.Errorf("failing %q: it has a kind and a reason", f.Test)
		}
		key := fmt.Sprint(f.Test, f.On)
		if seen[key] {
			return fmt.Errorf("failing %q is listed twice", f.Test)
		}
		seen[key] = true
	}
	return nil
}
