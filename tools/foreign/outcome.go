package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// state is how a test ended.
type state string

const (
	passed  state = "pass"
	failed  state = "fail"
	skipped state = "skip" // by the suite itself
)

// outcome is one test and how it ended. The message says why it failed or was skipped.
type outcome struct {
	name    string
	state   state
	message string
}

// keptLines is how many lines of a test's output a message holds: the last ones, which say why it failed.
const keptLines = 15

// goRun collects what `go test -json` prints.
type goRun struct {
	records map[string]*record
	order   []string // keys of records
	broken  []string // packages that failed
	// failures has the packages in which a test failed, and output what packages print beside their tests.
	failures map[string]bool
	output   map[string][]string
}

// record is one test of a goRun.
type record struct {
	outcome
	parent bool // it has subtests
	lines  []string
}

// event is one line of `go test -json`. `go doc test2json` has the other fields.
type event struct{ Action, Package, Test, Output string }

// parseGo reads the output of `go test -json`. A test with subtests counts only when it fails without any of them. One
// that began and never ended has failed.
func parseGo(in io.Reader) ([]outcome, error) {
	run := goRun{records: map[string]*record{}, failures: map[string]bool{}, output: map[string][]string{}}
	err := eachLine(in, func(line []byte) {
		var e event
		if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &e) != nil {
			return // what the build prints
		}
		if e.Test == "" {
			run.addPackage(e)
		} else {
			run.addTest(e)
		}
	})
	return run.outcomes(), err
}

func (g *goRun) addPackage(e event) {
	switch e.Action {
	case "output":
		g.output[e.Package] = append(g.output[e.Package], e.Output)
	case "fail":
		g.broken = append(g.broken, e.Package)
	}
}

func (g *goRun) addTest(e event) {
	key := e.Package + "." + e.Test
	r := g.records[key]
	if r == nil {
		r = &record{outcome: outcome{name: e.Test, state: failed, message: "it did not end"}}
		g.records[key] = r
		g.order = append(g.order, key)
		for cut := strings.LastIndexByte(e.Test, '/'); cut > 0; cut = strings.LastIndexByte(e.Test[:cut], '/') {
			if parent := g.records[e.Package+"."+e.Test[:cut]]; parent != nil {
				parent.parent = true
			}
		}
	}
	switch e.Action {
	case "output":
		if r.lines = append(r.lines, e.Output); len(r.lines) > keptLines {
			r.lines = r.lines[1:]
		}
	case "pass", "fail", "skip":
		r.state, r.message = state(e.Action), strings.Join(r.lines, "")
		g.failures[e.Package] = g.failures[e.Package] || e.Action == "fail"
	}
}

// outcomes returns the tests, and the packages that failed without a test that did.
func (g *goRun) outcomes() []outcome {
	blamed := map[string]bool{} // a parent fails with its child
	for _, key := range g.order {
		if g.records[key].state != failed {
			continue
		}
		for cut := strings.LastIndexByte(key, '/'); cut > 0; cut = strings.LastIndexByte(key[:cut], '/') {
			blamed[key[:cut]] = true
		}
	}
	var all []outcome
	for _, key := range g.order {
		if r := g.records[key]; !r.parent || r.state == failed && !blamed[key] {
			all = append(all, r.outcome)
		}
	}
	for _, name := range g.broken {
		if !g.failures[name] {
			lines := g.output[name]
			all = append(all, outcome{name, failed, strings.Join(lines[max(0, len(lines)-keptLines):], "")})
		}
	}
	return all
}

// line matches what the scripts print: "ok - NAME", "not ok - NAME", or either with "# SKIP why". Lines that begin with #
// explain the test before them.
var line = regexp.MustCompile(`^(not ok|ok) - (.*?)(?: # SKIP ?(.*))?$`)

// parseLines reads the output of a script, in the form of the Test Anything Protocol. The last line, "1..N", says that the
// script came to its end and how many tests it had.
func parseLines(in io.Reader) (all []outcome, complete bool, err error) {
	err = eachLine(in, func(text []byte) {
		if note, ok := bytes.CutPrefix(text, []byte("# ")); ok && len(all) > 0 {
			last := &all[len(all)-1]
			last.message += string(note) + "\n"
			return
		}
		if count, ok := bytes.CutPrefix(text, []byte("1..")); ok {
			complete = len(all) > 0 && string(count) == strconv.Itoa(len(all))
			return
		}
		m := line.FindSubmatch(text)
		if m == nil {
			return
		}
		o := outcome{name: string(m[2]), state: passed, message: string(m[3])}
		switch {
		case bytes.Contains(text, []byte(" # SKIP")):
			o.state = skipped
		case string(m[1]) == "not ok":
			o.state = failed
		}
		all = append(all, o)
	})
	return all, complete, err
}

// eachLine calls fn with each line, without its end.
func eachLine(in io.Reader, fn func([]byte)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20) // a test may print long lines
	for lines.Scan() {
		fn(bytes.TrimRight(lines.Bytes(), "\r"))
	}
	return lines.Err()
}
