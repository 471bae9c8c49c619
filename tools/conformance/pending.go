package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/specdrivers/onion/gen/suite"
)

// pending is specs/pending.yaml: the cases that fail today. It makes a new failure, or a new pass, show at once.
type pending struct {
	Table string        `yaml:"table"`
	Doc   string        `yaml:"doc"`
	Rows  []*pendingRow `yaml:"rows"`
}

// pendingRow is cases of one file that fail for one reason; all cases of the file when it names none.
type pendingRow struct {
	Suite  string   `yaml:"suite"`
	File   string   `yaml:"file"`
	Reason string   `yaml:"reason"`
	Cases  []string `yaml:"cases,omitempty"`
}

const pendingDoc = "Every case of the upstream tests that fails today, with the reason. CI is red when a case fails that is " +
	"not listed, and when one passes that is. `go run ./tools/conformance -specs DIR -rewrite-pending` writes the list."

func readPending(name string) (*pending, error) {
	p := &pending{}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("specs/pending.yaml: %w", err)
	}
	return p, nil
}

func (p *pending) write(name string) error {
	p.Table, p.Doc = "pending", pendingDoc
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(p), e.Close()); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// caseNames gives each case of a result a name that no other case of its file has.
func caseNames(compiled *suite.Result) map[*suite.Case]string {
	names := map[*suite.Case]string{}
	seen := map[string]int{}
	for _, c := range compiled.Cases {
		key := c.File.Path + "\n" + c.Name
		seen[key]++
		names[c] = c.Name
		if n := seen[key]; n > 1 {
			names[c] = fmt.Sprintf("%s (%d)", c.Name, n)
		}
	}
	return names
}

// row finds the row of a case.
func (p *pending) row(c *suite.Case, name string) *pendingRow {
	for _, r := range p.Rows {
		if r.Suite == c.File.Suite && r.File == c.File.Name() && (len(r.Cases) == 0 || slices.Contains(r.Cases, name)) {
			return r
		}
	}
	return nil
}

// judge compares the outcomes with the list: failures that are not listed, and listed cases that do not fail.
func (p *pending) judge(compiled *suite.Result, results map[*suite.Case]*outcome) (fails, passes []string) {
	names := caseNames(compiled)
	for _, c := range compiled.Cases {
		if c.Skip != "" {
			continue
		}
		r := p.row(c, names[c])
		label := c.File.Suite + "/" + c.File.Name() + ": " + names[c]
		switch passed := results[c].passed; {
		case !passed && r == nil:
			fails = append(fails, label)
		case passed && r != nil:
			passes = append(passes, label)
		}
	}
	return fails, passes
}

// update replaces the rows of the files that were run by what fails now.
func (p *pending) update(compiled *suite.Result, results map[*suite.Case]*outcome) {
	names := caseNames(compiled)
	type file struct{ suite, name string }
	ran, total := map[file]bool{}, map[file]int{}
	for _, c := range compiled.Cases {
		f := file{c.File.Suite, c.File.Name()}
		ran[f] = true
		if c.Skip == "" {
			total[f]++
		}
	}
	p.Rows = slices.DeleteFunc(p.Rows, func(r *pendingRow) bool { return ran[file{r.Suite, r.File}] })
	fresh := map[[3]string]*pendingRow{}
	for _, c := range compiled.Cases {
		if c.Skip != "" || results[c].passed {
			continue
		}
		key := [3]string{c.File.Suite, c.File.Name(), reasonOf(results[c].message)}
		if fresh[key] == nil {
			fresh[key] = &pendingRow{Suite: key[0], File: key[1], Reason: key[2]}
		}
		fresh[key].Cases = append(fresh[key].Cases, names[c])
	}
	for _, r := range fresh {
		if len(r.Cases) == total[file{r.Suite, r.File}] {
			r.Cases = nil
		}
		p.Rows = append(p.Rows, r)
	}
	slices.SortStableFunc(p.Rows, func(a, b *pendingRow) int {
		return strings.Compare(a.Suite+"\n"+a.File+"\n"+a.Reason, b.Suite+"\n"+b.File+"\n"+b.Reason)
	})
}

// These match text that differs between two runs of the same failure, and the place where it was seen.
var (
	place   = regexp.MustCompile(`^\S+_test\.go:\d+: |^\S+\.(json|yml):\d+: `)
	varying = regexp.MustCompile(`(127\.0\.0\.1|localhost):\d+|\b[0-9a-f]{24}\b|0x[0-9a-f]+`)
)

// reasonLimit bounds a reason in the list.
const reasonLimit = 140

// reasonOf returns the first line of a message, without the parts that change from run to run.
func reasonOf(message string) string {
	for line := range strings.Lines(message) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "on ") && strings.HasSuffix(line, ":") {
			continue
		}
		line = varying.ReplaceAllString(place.ReplaceAllString(line, ""), "...")
		if line == "" {
			continue
		}
		if len(line) > reasonLimit {
			line = strings.ToValidUTF8(line[:reasonLimit], "") + "..."
		}
		return line
	}
	return "fails without a message"
}
