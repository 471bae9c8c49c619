package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/specdrivers/onion/tools/mutate/planted"
)

// bench is where mutants are tried: gen, built once, and a copy of the tables that gen reads.
type bench struct {
	root, scratch, gen string
	packages           *packages
	kills              kills
	trusted            map[string]bool // packages whose tests pass without a mutant
	equivalents        map[identity]string
	changed            string // the group of tables that a mutant has changed the Go of
}

// newScratch makes a bench without gen.
func newScratch(root string) (*bench, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	list, err := listPackages(root)
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "onion-mutate-")
	if err != nil {
		return nil, err
	}
	return &bench{
		root: root, scratch: scratch, gen: filepath.Join(scratch, "generator"), packages: list,
		kills: kills{}, trusted: map[string]bool{},
	}, nil
}

func newBench(root string) (*bench, error) {
	b, err := newScratch(root)
	if err != nil {
		return nil, err
	}
	if out, err := b.command("go", "build", "-o", b.gen, "./gen").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build gen: %w\n%s", err, out)
	}
	return b, b.copyInput()
}

// copyInput copies what gen reads.
func (b *bench) copyInput() error {
	return os.CopyFS(filepath.Join(b.scratch, "specs"), os.DirFS(filepath.Join(b.root, "specs")))
}

func (b *bench) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = b.root
	return cmd
}

// checkBaseline checks that the checkout matches its tables and, if wanted, that its tests pass. Otherwise the tests would
// kill every mutant.
func (b *bench) checkBaseline(ctx context.Context, tests bool) error {
	if out, err := b.generate(""); err != nil {
		return fmt.Errorf("the tables are wrong without any mutant: %w\n%s", err, out)
	}
	files, err := b.differingFiles()
	if err != nil {
		return err
	}
	if len(files) > 0 {
		return fmt.Errorf("generated files are not what the tables yield, %s the first: run `make generate`", files[0])
	}
	if !tests {
		return nil
	}
	var names []string
	for name := range b.packages.tests {
		names = append(names, name)
	}
	slices.Sort(names)
	got, err := b.test(ctx, "", names, false)
	if err != nil {
		return err
	}
	if len(got.failed) > 0 {
		return fmt.Errorf("tests fail without any mutant: %s", strings.Join(got.failed, ", "))
	}
	return nil
}

// generate lets gen write the Go of one table, or of all tables.
func (b *bench) generate(only string) ([]byte, error) {
	args := []string{"-root", b.scratch, "-write"}
	if only != "" {
		args = append(args, "-only", only)
	}
	return b.command(b.gen, args...).CombinedOutput()
}

// change writes the mutant's table and generates. It lists the Go files that differ then, with tests among them, and those
// without. The fate has a verdict if that is all there is to know.
func (b *bench) change(m *mutant) (f *fate, files, code []string, err error) {
	f = m.fate()
	table := filepath.Join(b.scratch, "specs", filepath.FromSlash(m.table.name))
	if err := b.restore(b.group(m)); err != nil {
		return nil, nil, nil, err
	}
	if err := os.WriteFile(table, []byte(m.text()), 0o644); err != nil {
		return nil, nil, nil, err
	}
	out, refusal := b.generate(b.group(m))
	if err := os.WriteFile(table, []byte(m.table.text), 0o644); err != nil {
		return nil, nil, nil, err
	}
	if refusal != nil {
		first, _, _ := strings.Cut(string(out), "\n")
		f.Verdict, f.By = refused, first
		return f, nil, nil, nil
	}
	if files, err = b.differingFiles(); err != nil {
		return nil, nil, nil, err
	}
	code = slices.DeleteFunc(slices.Clone(files), func(f string) bool { return strings.HasSuffix(f, "_test.go") })
	if len(code) == 0 {
		f.Verdict = idle
	}
	return f, files, code, nil
}

// group returns the group of tables that a mutant belongs to, if the Go that it changes comes from that group only. To generate one
// group takes a tenth of the time.
func (b *bench) group(m *mutant) string {
	group, _, _ := strings.Cut(m.table.name, "/")
	if _, err := os.Stat(filepath.Join(b.root, "specs", group, "decisions")); err != nil {
		return ""
	}
	return group
}

// restore writes the original Go of a group that another mutant has changed, before a mutant of the given group is tried.
func (b *bench) restore(group string) error {
	was := b.changed
	b.changed = group
	if was == "" || was == group {
		return nil
	}
	if out, err := b.generate(was); err != nil {
		return fmt.Errorf("the tables of %s without a mutant: %w\n%s", was, err, out)
	}
	return nil
}

// try changes a table and runs the tests of what depends on the difference.
func (b *bench) try(ctx context.Context, m *mutant) (*fate, error) {
	f, files, code, err := b.change(m)
	if err != nil || f.Verdict != "" {
		return f, err
	}
	return f, b.ask(ctx, f, files, code, "")
}

// ask runs the tests of the packages that depend on changed code and whose paths contain one of the texts.
func (b *bench) ask(ctx context.Context, f *fate, files, code []string, texts string) error {
	overlay, err := b.writeOverlay(files)
	if err != nil {
		return err
	}
	size := func(name string) int { return len(b.packages.tests[name]) }
	names := b.kills.order(b.packages.affectedBy(code), f.File, size)
	names = slices.DeleteFunc(names, func(name string) bool { return !matches(name, texts) })
	return b.judge(ctx, f, overlay, names)
}

// judge runs the tests of packages, to the first that fails. It runs the first package by itself, because it takes
// the go command a second just to look at all the others.
func (b *bench) judge(ctx context.Context, f *fate, overlay string, names []string) error {
	first := min(1, len(names))
	for _, stage := range [][]string{names[:first], names[first:]} {
		for len(stage) > 0 {
			got, err := b.test(ctx, overlay, stage, true)
			if err != nil {
				return err
			}
			if len(got.failed) == 0 {
				break
			}
			by := got.failed[0]
			if kills, err := b.failsAgain(ctx, overlay, got); err != nil {
				return err
			} else if kills {
				f.Verdict, f.By = killed, by
				if got.broken {
					f.Verdict = uncompiled
				}
				b.kills.add(f)
				return nil
			}
			stage = stage[slices.Index(stage, by)+1:] // those before it have passed
		}
	}
	f.Verdict = survived
	if because := b.equivalents[f.identity()]; because != "" {
		f.Verdict, f.By = equivalent, because
	}
	return nil
}

// failsAgain reports whether the tests that failed fail once more. On a busy machine a test may fail without any mutant.
func (b *bench) failsAgain(ctx context.Context, overlay string, was *outcome) (bool, error) {
	if was.broken {
		return true, nil
	}
	got, err := b.test(ctx, overlay, was.failed[:1], true, was.tests...)
	if err != nil || len(got.failed) == 0 {
		return false, err
	}
	return true, b.checkSound(ctx, was.failed[0])
}

// checkSound checks that the tests of a package pass without a mutant, before the package kills its first one. With -trust, no
// earlier run has shown that.
func (b *bench) checkSound(ctx context.Context, name string) error {
	if b.trusted[name] {
		return nil
	}
	got, err := b.test(ctx, "", []string{name}, true)
	if err != nil {
		return err
	}
	if len(got.failed) > 0 {
		return fmt.Errorf("tests fail without any mutant: %s", name)
	}
	b.trusted[name] = true
	return nil
}

// differingFiles lists the Go files that gen wrote and that differ from the module's.
func (b *bench) differingFiles() ([]string, error) {
	var files []string
	err := filepath.WalkDir(filepath.Join(b.scratch, "generated"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		rel, err := filepath.Rel(b.scratch, path)
		if err != nil {
			return err
		}
		is, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		was, err := os.ReadFile(filepath.Join(b.root, rel))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if !bytes.Equal(was, is) && !slices.Equal(tokensOf(was), tokensOf(is)) {
			files = append(files, rel)
		}
		return nil
	})
	return files, err
}

// tokensOf returns a Go file without its comments.
func tokensOf(src []byte) []string {
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", set.Base(), len(src)), src, nil, 0)
	var out []string
	for {
		_, tok, text := s.Scan()
		if tok == token.EOF {
			return out
		}
		out = append(out, tok.String()+text)
	}
}

// writeOverlay replaces the module's files with those that gen wrote, and hides the files that gen no longer writes.
func (b *bench) writeOverlay(files []string) (string, error) {
	replace := map[string]string{}
	for _, f := range files {
		replace[filepath.Join(b.root, f)] = filepath.Join(b.scratch, f)
	}
	err := filepath.WalkDir(filepath.Join(b.root, "generated"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(b.root, path)
		if d.IsDir() && filepath.ToSlash(rel) == "generated/upstream" {
			return fs.SkipDir
		}
		if _, gone := os.Stat(filepath.Join(b.scratch, rel)); errors.Is(gone, fs.ErrNotExist) && filepath.Ext(path) == ".go" {
			replace[path] = ""
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return planted.Replace(replace, b.scratch)
}
