package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const proseTable = "sync/prosetests.yaml"

// listedTests are sections whose numbered list is a list of tests. Everywhere else a heading is the test, and the numbers
// below it are its steps.
var listedTests = []struct{ path, section string }{
	{"causal-consistency/causal-consistency.md", "Test Plan"},
	{"change-streams/tests/README.md", "Prose Tests"},
	{"transactions/tests/README.md", "Mongos Pinning Prose Tests"},
	{"server-discovery-and-monitoring/tests/README.md", "RTT Tests"},
	{"server-discovery-and-monitoring/tests/README.md", "Heartbeat Tests"},
	{"socks5-support/tests/README.md", "Prose Tests"},
}

var numberedItem = regexp.MustCompile(`^(\d+)\. `)

// readProseTests yields a row for each heading of a document about tests. A heading that is no test says so in the
// table, so nothing new upstream goes unseen.
func readProseTests(from string, l *library) reader {
	return func(open openFunc) ([]table, error) {
		paths, err := l.specifications(from)
		if err != nil {
			return nil, err
		}
		out := table{file: proseTable, list: "rows", key: "document+section+number"}
		for _, p := range paths {
			d, err := open(p)
			if err != nil {
				return nil, err
			}
			out.rows = append(out.rows, d.proseTests()...)
		}
		return []table{out}, nil
	}
}

// testHeading is the heading of a part about tests in a document about something else.
var testHeading = regexp.MustCompile(`(?i)^(\w+ )*(test plan|tests|testing)$`)

// deployments are the documents about tests of a whole deployment, or of other programs. One row is enough for each.
var deployments = []string{
	"atlas-sfp-testing/atlas-sfp-testing.md", "faas-automated-testing/faas-automated-testing.md",
	"serverless-testing/README.md", "benchmarking/odm-benchmarking.md",
}

// testSections lists the sections that describe tests: all of them, the title alone, or those below the heading of such a part.
func (d *document) testSections() []span {
	all := d.sections()
	switch {
	case isAboutTests(d.path):
		return all
	case slices.Contains(deployments, d.path):
		return all[:1]
	case strings.HasPrefix(d.path, "unified-test-format/"):
		return nil // it describes the format of the suites
	}
	var out []span
	level := 0 // the level of the part's heading, 0 outside of a part
	for _, s := range all {
		if level == 0 || s.level <= level {
			level = 0
			if testHeading.MatchString(s.title) {
				level = s.level
			}
		}
		if level > 0 {
			out = append(out, s)
		}
	}
	return out
}

// isAboutTests reports whether a document describes tests and nothing else.
func isAboutTests(name string) bool {
	return slices.Contains(strings.Split(name, "/"), "tests") || strings.HasSuffix(name, "-tests.md")
}

// proseTests returns a row for each section of a document, and for each number in a section that lists tests.
func (d *document) proseTests() []row { return remember(d, "prose tests", d.findProseTests) }

func (d *document) findProseTests() []row {
	var out []row
	add := func(section, number string) {
		key := strings.TrimSpace(fmt.Sprint(d.path, " ", section, " ", number))
		out = append(out, row{key: key, facts: []fact{{"document", d.path}, {"section", section}, {"number", number}}})
	}
	for _, s := range d.testSections() {
		add(s.name, "")
		if !slices.ContainsFunc(listedTests,
			func(l struct{ path, section string }) bool { return l.path == d.path && l.section == s.name }) {
			continue
		}
		for _, line := range d.lines[s.from:s.to] {
			if m := numberedItem.FindStringSubmatch(line); m != nil {
				add(s.name, m[1])
			}
		}
	}
	return out
}
