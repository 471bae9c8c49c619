package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The change that the demo makes: reads are retried after one more error.
const (
	tableFile = "specs/errors/codes.yaml"
	goFile    = "generated/errcode/class.go"
	rowBefore = "{code: 43, name: CursorNotFound, classes: [Resumable]"
	rowAfter  = "{code: 43, name: CursorNotFound, classes: [Resumable, RetryableRead]"
	rowBroken = "{code: 6, name: CursorNotFound, classes: [Resumable, RetryableReads]"
)

// showTable changes a row in a copy of the tables and prints what the generator makes of it.
func showTable(ctx context.Context, p *printer, root string) error {
	scratch, err := os.MkdirTemp("", "onion-demo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	for _, dir := range []string{"specs", "generated/errcode"} {
		if err := os.CopyFS(filepath.Join(scratch, dir), os.DirFS(filepath.Join(root, dir))); err != nil {
			return fmt.Errorf("run it from the top of the module: %w", err)
		}
	}
	p.say("Building the generator. The first time, Go downloads and compiles what it needs, which can take minutes.")
	p.say("")
	generator := filepath.Join(scratch, "gen")
	if out, err := command(ctx, root, "go", "build", "-o", generator, "./gen"); err != nil {
		return fmt.Errorf("building the generator: %w: %s", err, out)
	}
	p.say("%s says which errors make a driver read again:", tableFile)
	p.say("  - %s, ...}", rowBefore)
	p.say("Let CursorNotFound be one of them, in a copy of the tables:")
	p.say("  + %s, ...}", rowAfter)
	before, err := os.ReadFile(filepath.Join(scratch, goFile))
	if err != nil {
		return err
	}
	if err := edit(filepath.Join(scratch, tableFile), rowBefore, rowAfter); err != nil {
		return err
	}
	if out, err := command(ctx, scratch, generator, "-write", "-only", "errors"); err != nil {
		return fmt.Errorf("generating: %w: %s", err, out)
	}
	after, err := os.ReadFile(filepath.Join(scratch, goFile))
	if err != nil {
		return err
	}
	p.say("")
	p.say("$ go run ./gen -write")
	p.say("%s", goFile)
	for _, line := range difference(string(before), string(after)) {
		p.say("%s", line)
	}
	p.say("")
	p.say("A table with mistakes gives all of them at once, each with its place:")
	if err := edit(filepath.Join(scratch, tableFile), rowAfter, rowBroken); err != nil {
		return err
	}
	out, err := command(ctx, scratch, generator, "-only", "errors")
	if err == nil {
		return errors.New("the generator accepted a broken table")
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		p.say("%s", line)
	}
	return nil
}

func command(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	return c.CombinedOutput()
}

func edit(file, from, to string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !bytes.Contains(data, []byte(from)) {
		return fmt.Errorf("%s has no row %s", file, from)
	}
	return os.WriteFile(file, bytes.Replace(data, []byte(from), []byte(to), 1), 0o600)
}

// difference lists the lines that only one of two texts has, with the lines around them. The texts are alike up to one
// place, which is all that the demo needs.
func difference(before, after string) []string {
	old, now := strings.Split(before, "\n"), strings.Split(after, "\n")
	first := 0
	for first < min(len(old), len(now)) && old[first] == now[first] {
		first++
	}
	last := 0
	for last < min(len(old), len(now))-first && old[len(old)-1-last] == now[len(now)-1-last] {
		last++
	}
	var lines []string
	add := func(mark string, from []string) {
		for _, line := range from {
			lines = append(lines, mark+strings.ReplaceAll(line, "\t", "    "))
		}
	}
	add("  ", now[max(0, first-3):first])
	add("- ", old[first:len(old)-last])
	add("+ ", now[first:len(now)-last])
	add("  ", now[len(now)-last:min(len(now), len(now)-last+2)])
	return lines
}
