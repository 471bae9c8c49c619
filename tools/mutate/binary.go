package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/specdrivers/onion/tools/mutate/source"
)

// binary holds the tests of one package, built with all mutants.
type binary struct {
	dir, file string
	took      map[string]time.Duration // by test, without a mutant
	reach     map[int][]string         // from a mutant to the tests that reach its place, the fastest first
	failing   []string                 // tests that fail without a mutant
	inlined   []string                 // tests that do so only because the mutants are woven
	refused   map[int][]string         // from a mutant to the tests of both kinds that reach its place
	digest    string                   // what the explorations write without a mutant
}

// measure runs each test by itself. It writes down how long the test takes and which mutants it reaches.
func (b *binary) measure(ctx context.Context) error {
	out, err := b.run(ctx, time.Minute, nil, "-test.list=.")
	if err != nil {
		return fmt.Errorf("list the tests of %s: %w\n%s", b.dir, err, out)
	}
	for _, name := range strings.Fields(string(out)) {
		if strings.HasPrefix(name, "Benchmark") {
			continue
		}
		if err := b.measureTests(ctx, "^"+name+"$"); err != nil {
			return err
		}
	}
	b.sort()
	return nil
}

var lineResult = regexp.MustCompile(`(?m)^--- (PASS|FAIL): (\w+) \(([0-9.]+s)\)`)

// measureTests runs tests in one process. Each of them counts as reaching what any of them reaches.
func (b *binary) measureTests(ctx context.Context, pattern string) error {
	hits := b.file + ".hits"
	_ = os.Remove(hits)
	out, _ := b.run(ctx, 20*time.Minute, []string{source.Hits + "=" + hits}, "-test.v", "-test.run="+pattern) // tests may fail
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var passed, failed []string
	for _, m := range lineResult.FindAllSubmatch(out, -1) {
		name := string(m[2])
		if string(m[1]) == "FAIL" {
			failed = append(failed, name)
			continue
		}
		passed = append(passed, name)
		took, err := time.ParseDuration(string(m[3]))
		if err != nil {
			return err
		}
		b.took[name] = took
	}
	b.failing = append(b.failing, failed...)
	data, err := os.ReadFile(hits)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, field := range strings.Fields(string(data)) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return err
		}
		b.reach[n] = append(b.reach[n], passed...)
		b.refused[n] = append(b.refused[n], failed...)
	}
	return nil
}

// sort puts the fastest tests first.
func (b *binary) sort() {
	for _, names := range b.reach {
		slices.SortFunc(names, func(x, y string) int { return cmp.Or(cmp.Compare(b.took[x], b.took[y]), cmp.Compare(x, y)) })
	}
}

// inlinedFor lists the tests that reach a mutant and must be asked in a build of their own.
func (b *binary) inlinedFor(n int) []string {
	return slices.DeleteFunc(b.refused[n], func(test string) bool { return !slices.Contains(b.inlined, test) })
}

var lineFailed = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// kills runs the tests that reach a mutant in groups of growing size, until one fails twice.
func (b *binary) kills(ctx context.Context, n int) (bool, error) {
	for tests, size := b.reach[n], 4; len(tests) > 0; size *= 4 {
		group := tests[:min(size, len(tests))]
		tests = tests[len(group):]
		out, err := b.runMutated(ctx, n, group)
		if err == nil {
			continue
		}
		if found := lineFailed.FindAllSubmatch(out, -1); len(found) > 0 {
			group = nil
			for _, m := range found {
				group = append(group, string(m[1]))
			}
		}
		if _, err = b.runMutated(ctx, n, group); err != nil {
			return true, ctx.Err()
		}
	}
	return false, ctx.Err()
}

// digestVariable names the environment variable with the file into which tests that explore all states write a checksum of the decisions.
const digestVariable = "EXPLORE_DIGEST"

// explores reports whether the package's explorations make the same decisions with a mutant as without it, in every state that they
// reach. It is false if the package has no explorations.
func (b *binary) explores(ctx context.Context, n int) (same bool, err error) {
	sum := func(n int) (string, error) {
		name := b.file + ".digest"
		_ = os.Remove(name)
		env := []string{source.On + "=" + strconv.Itoa(n), digestVariable + "=" + name}
		if out, err := b.run(ctx, 10*time.Minute, env, "-test.run=^TestExplore"); err != nil {
			return "", fmt.Errorf("explore: %w\n%s", err, out)
		}
		data, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			return "", nil
		}
		return string(data), err
	}
	if b.digest == "" {
		if b.digest, err = sum(0); err != nil || b.digest == "" {
			return false, err
		}
	}
	with, err := sum(n)
	return with == b.digest, err
}

// runMutated runs tests with a mutant. Their time limit is much longer than they need without it.
func (b *binary) runMutated(ctx context.Context, n int, tests []string) ([]byte, error) {
	limit := 10 * time.Second
	for _, name := range tests {
		limit += 5 * b.took[name]
	}
	run := "-test.run=^(" + strings.Join(tests, "|") + ")$"
	return b.run(ctx, limit, []string{source.On + "=" + strconv.Itoa(n)}, run, "-test.failfast")
}

// run runs the binary. A mutant may allocate without end, so memory is limited where the shell can do that.
func (b *binary) run(ctx context.Context, limit time.Duration, env []string, args ...string) ([]byte, error) {
	args = append([]string{b.file, "-test.short", "-test.timeout=" + limit.String()}, args...)
	if runtime.GOOS != "windows" {
		args = append([]string{"sh", "-c", `ulimit -v 8000000; exec "$@"`, "sh"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = b.dir
	cmd.Env = append(cmd.Environ(), env...)
	ownGroup(cmd)
	file, err := os.Create(b.file + ".out")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	cmd.Stdout, cmd.Stderr = file, file
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	kill := func() { killGroup(cmd) }
	defer context.AfterFunc(ctx, kill)()
	defer time.AfterFunc(limit+5*time.Second, kill).Stop()
	failed := cmd.Wait()
	out, err := os.ReadFile(filepath.Clean(file.Name()))
	return out, errors.Join(failed, err)
}
