package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Between these lines a README shows the results of a run.
const (
	readmeBegin = "<!-- conformance: written by go run ./tools/conformance -readme FILE -->\n"
	readmeEnd   = "<!-- end of conformance -->\n"
)

// resultsFile, relative to the module root, has the counts that the README shows. The generator draws the README's
// picture from it.
const resultsFile = "tools/conformance/results.json"

// casesPass is the sentence among the README's reasons that has the same counts.
var casesPass = regexp.MustCompile(`[\d,]+ of [\d,]+(\s+cases pass)`)

// writeREADME replaces the badge, the table of suites and the counts of casesPass in a README. It also writes the same
// counts into resultsFile.
func (r *report) writeREADME(name string) error {
	if name == "" {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, found := bytes.Cut(data, []byte(readmeBegin))
	_, after, ends := bytes.Cut(rest, []byte(readmeEnd))
	if !found || !ends {
		return errors.New(name + " has no lines between which the results go: " +
			strings.TrimSpace(readmeBegin) + " and " + strings.TrimSpace(readmeEnd))
	}
	var b bytes.Buffer
	b.Write(casesPass.ReplaceAll(before, []byte(thousands(r.Totals.Passed)+" of "+thousands(r.Totals.Cases)+"$1")))
	b.WriteString(readmeBegin + r.badge() + "\n\n" + r.table() + readmeEnd)
	b.Write(after)
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(filepath.Dir(name), filepath.FromSlash(resultsFile)), r.results(), 0o644)
}

// results returns the content of resultsFile: one line for each suite.
func (r *report) results() []byte {
	var lines []string
	for _, s := range r.Suites {
		lines = append(lines, fmt.Sprintf(`  {"name": %q, "cases": %d, "passed": %d, "failed": %d, "skipped": %d}`,
			s.Name, s.Cases, s.Passed, s.Failed, s.Skipped))
	}
	return []byte("[\n" + strings.Join(lines, ",\n") + "\n]\n")
}

// badge returns a line of Markdown with the share of cases that pass.
func (r *report) badge() string {
	n := r.Totals
	color := "brightgreen"
	switch rest := n.Cases - n.Passed; {
	case rest*10 > n.Cases:
		color = "orange"
	case n.Failed > 0:
		color = "green"
	}
	text := fmt.Sprintf("%s of %s cases", thousands(n.Passed), thousands(n.Cases))
	label := strings.ReplaceAll(url.PathEscape(text), "-", "--")
	return fmt.Sprintf("![conformance: %s pass](https://img.shields.io/badge/conformance-%s-%s)", text, label, color)
}

func (r *report) table() string {
	var b strings.Builder
	b.WriteString("| suite | cases | passed | failed | skipped |\n|---|---|---|---|---|\n")
	row := func(name string, n counts) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", name, thousands(n.Cases), thousands(n.Passed),
			thousands(n.Failed), thousands(n.Skipped))
	}
	for _, s := range r.Suites {
		row(s.Name, *s)
	}
	row("all", r.Totals)
	return b.String()
}

// thousands groups digits: 4473 is 4,473.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
