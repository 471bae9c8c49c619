package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// outcome is the result of the tests of some packages.
type outcome struct {
	failed []string // packages
	broken bool     // the first of them did not compile
	tests  []string // that failed before the first package had ended
}

var (
	lineFail   = regexp.MustCompile(`^FAIL\s+(\S+)\s+(.*)`)
	lineTest   = regexp.MustCompile(`^--- FAIL: (\w+)`)
	lineBroken = regexp.MustCompile(`^\[(build|setup) failed\]`)
)

// test runs the tests of packages, to the first that fails if wanted. only names the tests to run; none means all.
func (b *bench) test(ctx context.Context, overlay string, names []string, first bool, only ...string) (*outcome, error) {
	args := []string{"test", "-short", "-vet=off", "-failfast", "-timeout=5m"}
	if len(only) > 0 {
		args = append(args, "-run=^("+strings.Join(only, "|")+")$")
	}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	cmd := b.command("go", append(args, names...)...)
	// The tests are children of the go command. They must end with it, and so must anything that it could not clean up.
	ownGroup(cmd)
	builds := filepath.Join(b.scratch, "builds")
	if err := os.MkdirAll(builds, 0o755); err != nil {
		return nil, err
	}
	defer os.RemoveAll(builds)
	cmd.Env = append(cmd.Environ(), "GOTMPDIR="+builds)
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("run the tests: %w", err)
	}
	kill := func() { killGroup(cmd) }
	defer context.AfterFunc(ctx, kill)()
	done := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		w.Close()
		done <- err
	}()
	got := &outcome{}
	stopped := false
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if stopped {
			continue
		}
		got.read(lines.Text())
		if first && len(got.failed) > 0 {
			stopped = true
			kill()
		}
	}
	_, _ = io.Copy(io.Discard, r) // a line too long for the scanner
	err := <-done
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && len(got.failed) == 0 {
		return nil, fmt.Errorf("go test failed without saying where: %w", err)
	}
	return got, nil
}

func (o *outcome) read(line string) {
	if m := lineTest.FindStringSubmatch(line); m != nil && len(o.failed) == 0 {
		o.tests = append(o.tests, m[1])
	}
	if m := lineFail.FindStringSubmatch(line); m != nil {
		o.failed = append(o.failed, m[1])
		o.broken = o.broken || len(o.failed) == 1 && lineBroken.MatchString(m[2])
	}
}
