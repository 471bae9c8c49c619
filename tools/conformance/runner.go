package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/suite"
)

// runner runs the compiled packages with go test.
type runner struct {
	root string
	log  io.Writer
	ctx  context.Context // of the run; ends when it is interrupted
	progress
	server  string // a deployment to run on instead of those in memory
	single  string // its load balancers
	several string
	race    bool // with the race detector
	fresh   bool // run tests again whose results go test has cached
	results map[*suite.Case]*outcome
	elapsed map[string]time.Duration // by package

	pending map[string]map[string]*suite.Case // by package and function
	output  map[string]*bytes.Buffer          // by package, and by package and function
	builds  map[string]string                 // output of the build, by package
}

// attempts bounds how often a package is started again after a test has crashed it.
const attempts = 40

// run runs every package until each of its cases has an outcome. A crash fails the case that was running; the rest
// runs again without it.
func (r *runner) run(ctx context.Context, compiled *suite.Result) error {
	r.ctx = ctx
	r.pending = map[string]map[string]*suite.Case{}
	r.elapsed = map[string]time.Duration{}
	for _, c := range compiled.Cases {
		if c.Skip != "" || r.results[c].done {
			continue
		}
		pkg := emit.Module + "/" + c.Package
		if r.pending[pkg] == nil {
			r.pending[pkg] = map[string]*suite.Case{}
		}
		r.pending[pkg][c.Func] = c
	}
	first := true
	for range attempts {
		packages := r.unfinishedPackages()
		if len(packages) == 0 || ctx.Err() != nil {
			return nil
		}
		if first {
			if err := r.test(packages, ""); err != nil {
				return err
			}
			first = false
			continue
		}
		for _, pkg := range packages {
			if ctx.Err() != nil {
				return nil
			}
			before := len(r.pending[pkg])
			if err := r.test([]string{pkg}, r.pendingPattern(pkg)); err != nil {
				return err
			}
			if len(r.pending[pkg]) == before {
				r.giveUp(pkg)
			}
		}
	}
	for _, pkg := range r.unfinishedPackages() {
		r.giveUp(pkg)
	}
	return nil
}

func (r *runner) unfinishedPackages() []string {
	var packages []string
	for pkg, cases := range r.pending {
		if len(cases) > 0 {
			packages = append(packages, pkg)
		}
	}
	slices.Sort(packages)
	return packages
}

// pendingPattern returns a pattern for the cases of a package that have no outcome yet.
func (r *runner) pendingPattern(pkg string) string {
	var names []string
	for name := range r.pending[pkg] {
		names = append(names, name)
	}
	slices.Sort(names)
	return "^(" + strings.Join(names, "|") + ")$"
}

// giveUp fails the remaining cases of a package, with the package's output as the message.
func (r *runner) giveUp(pkg string) {
	message := r.builds[pkg]
	if message == "" && r.output[pkg] != nil {
		message = r.output[pkg].String()
	}
	if message = trimOutput(message); message == "" {
		message = "the package ended before this test ran"
	}
	for name := range r.pending[pkg] {
		r.settle(pkg, name, false, message)
	}
}

// test runs packages once and reads the stream of events. Failing tests are no error.
func (r *runner) test(packages []string, pattern string) error {
	packagesAtOnce := "2"
	if r.server != "" {
		packagesAtOnce = "1" // they share the deployment
	}
	args := []string{"test", "-json", "-tags", "upstream", "-vet=off", "-p", packagesAtOnce, "-timeout", "30m"}
	if r.race {
		args = append(args, "-race")
	}
	if r.fresh {
		args = append(args, "-count=1")
	}
	if pattern != "" {
		args = append(args, "-run", pattern)
	}
	cmd := exec.CommandContext(r.ctx, "go", append(args, packages...)...)
	ownGroup(cmd)
	cmd.WaitDelay = 5 * time.Second
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), environment(r.server, r.single, r.several)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start go test: %w", err)
	}
	r.output, r.builds = map[string]*bytes.Buffer{}, map[string]string{}
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			r.handleEvent(line)
		}
		if err != nil {
			break
		}
	}
	if err := cmd.Wait(); err != nil && r.ctx.Err() == nil && len(r.output) == 0 && len(r.builds) == 0 {
		return fmt.Errorf("go test: %w\n%s", err, stderr.Bytes())
	}
	return nil
}

// event is a line of go test -json.
type event struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string
}

func (r *runner) handleEvent(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil || r.ctx.Err() != nil { // output that was cut off is not a failure
		return
	}
	switch e.Action {
	case "build-output":
		r.buffer(e.ImportPath).WriteString(e.Output)
	case "output":
		r.buffer(e.Package + " " + e.Test).WriteString(e.Output)
		r.buffer(e.Package).WriteString(e.Output)
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.packageDone(e)
		} else if test, where, part := strings.Cut(e.Test, "/"); part {
			r.partDone(e, test, where)
		} else {
			r.testDone(e)
		}
	}
}

// partDone records how a case did on one deployment.
func (r *runner) partDone(e event, test, where string) {
	c := r.pending[e.Package][test]
	if c == nil || strings.Contains(where, "/") {
		return
	}
	o := r.results[c]
	if o.runs == nil {
		o.runs = map[string]*caseRun{}
	}
	o.runs[where] = &caseRun{
		passed: e.Action == "pass", elapsed: seconds(e.Elapsed), message: trimOutput(r.buffer(e.Package + " " + e.Test).String()),
	}
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func (r *runner) testDone(e event) {
	message := r.buffer(e.Package + " " + e.Test).String()
	if e.Action == "skip" {
		if why := reasonToSkip(message, r.server != ""); why != "" {
			r.skip(e, message, why)
			return
		}
		message = "skipped itself, and only specs/skips.yaml may skip:\n" + message
	}
	c := r.pending[e.Package][e.Test]
	r.settle(e.Package, e.Test, e.Action == "pass", trimOutput(message))
	if c != nil {
		r.results[c].finish(seconds(e.Elapsed))
	}
}

// skip records a case that the deployment cannot run, or that no deployment in memory can. The words before the reason
// tell such a case from one that skips itself.
func (r *runner) skip(e event, message, before string) {
	c := r.pending[e.Package][e.Test]
	_, why, found := strings.Cut(message, before)
	if c == nil || !found {
		r.settle(e.Package, e.Test, false, trimOutput(message))
		return
	}
	why, _, _ = strings.Cut(why, "\n")
	c.Skip = before + why
	r.settle(e.Package, e.Test, true, "")
}

func (r *runner) packageDone(e event) {
	r.elapsed[e.Package] += seconds(e.Elapsed)
	if e.FailedBuild != "" {
		r.failUnbuilt(e.Package, r.buffer(e.FailedBuild).String())
	}
	r.clear()
	fmt.Fprintf(r.log, "%-4s %s\n", e.Action, strings.TrimPrefix(e.Package, emit.Module+"/"+upstream+"/"))
}

func (r *runner) settle(pkg, name string, passed bool, message string) {
	c := r.pending[pkg][name]
	if c == nil {
		return
	}
	delete(r.pending[pkg], name)
	r.count(passed)
	o := r.results[c]
	o.done, o.passed = true, passed
	if !passed {
		o.message = message
	}
}

func (r *runner) buffer(key string) *bytes.Buffer {
	if r.output[key] == nil {
		r.output[key] = &bytes.Buffer{}
	}
	return r.output[key]
}

// messageLimit is the maximal length of a message in the report.
const messageLimit = 4000

// trimOutput drops what go test says about every test, and bounds what is left.
func trimOutput(message string) string {
	var kept []string
	for line := range strings.Lines(message) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "=== ") || strings.HasPrefix(trimmed, "--- ") {
			continue
		}
		kept = append(kept, strings.TrimRight(line, "\n"))
	}
	text := strings.TrimSpace(strings.Join(kept, "\n"))
	if len(text) > messageLimit {
		text = strings.ToValidUTF8(text[:messageLimit], "") + " ..."
	}
	return text
}
