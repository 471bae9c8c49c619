package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/tools/mutate/planted"
)

// namedFile lists the mistakes that rows of the evidence name.
const namedFile = "tools/mutate/named.yaml"

// named is a mistake that somebody chose: a text that occurs once in a file, and its replacement.
type named struct {
	Name, File, Was, Is string

	witnesses [][]string // the Go tests of each row that names it
}

// noticed is the verdict when the witnesses of every row that names a mistake fail.
const noticed = "killed"

// readNamed reads the mistakes and the tests that are to notice each.
func readNamed(root string) ([]*named, error) {
	data, err := os.ReadFile(filepath.Join(root, namedFile))
	if err != nil {
		return nil, err
	}
	var table struct{ Rows []*named }
	if err := yaml.Unmarshal(data, &table); err != nil {
		return nil, fmt.Errorf("%s: %w", namedFile, err)
	}
	byName := map[string]*named{}
	for _, m := range table.Rows {
		if byName[m.Name] != nil {
			return nil, fmt.Errorf("%s: %s is named twice", namedFile, m.Name)
		}
		byName[m.Name] = m
	}
	tables := load.NewTables(os.DirFS(filepath.Join(root, "specs")))
	for _, file := range tables.Evidence() {
		for _, s := range file.Sections {
			for _, r := range s.Rows {
				if r.Mutant == "" {
					continue
				}
				m := byName[r.Mutant]
				if m == nil {
					return nil, fmt.Errorf("%s: there is no mutant %s", file.File, r.Mutant)
				}
				if tests := goTests(r.Witness); !slices.ContainsFunc(m.witnesses, func(w []string) bool { return slices.Equal(w, tests) }) {
					m.witnesses = append(m.witnesses, tests)
				}
			}
		}
	}
	if problems := tables.Problems(); len(problems) > 0 {
		return nil, errors.New(problems[0].String())
	}
	return table.Rows, nil
}

// goTests returns the witnesses that are Go tests of ours. The others are cases of suites, which are not generated everywhere.
func goTests(witnesses []string) []string {
	return slices.DeleteFunc(slices.Clone(witnesses), func(w string) bool {
		i := strings.LastIndexByte(w, '.')
		return i < 0 || !strings.HasPrefix(w[i+1:], "Test")
	})
}

// whyUnfit returns why a mistake cannot be planted or noticed, or an empty text if it can.
func (m *named) whyUnfit(root string) string {
	data, err := os.ReadFile(filepath.Join(root, m.File))
	switch n := strings.Count(string(data), m.Was); {
	case err != nil:
		return err.Error()
	case m.Was == m.Is:
		return "it changes nothing"
	case n != 1:
		return fmt.Sprintf("its text occurs %d times in %s", n, m.File)
	case len(m.witnesses) == 0:
		return "no row of the evidence names it"
	}
	for _, tests := range m.witnesses {
		if len(tests) == 0 {
			return "a row that names it has no Go test as a witness"
		}
	}
	return ""
}

// runNamed plants each named mistake and reports whether the witnesses of every row that names it fail.
func runNamed(ctx context.Context, cfg *config, out io.Writer) (bool, error) {
	pattern, err := regexp.Compile(cfg.named)
	if err != nil {
		return false, err
	}
	all, err := readNamed(cfg.root)
	if err != nil {
		return false, err
	}
	scratch, err := os.MkdirTemp("", "named")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(scratch)
	start, tried, ok := time.Now(), 0, true
	for _, m := range all {
		if !pattern.MatchString(m.Name) || ctx.Err() != nil {
			continue
		}
		if cfg.list {
			fmt.Fprintln(out, m.Name, m.File, m.witnesses)
			continue
		}
		if !cfg.all && time.Since(start) > cfg.limit {
			fmt.Fprintln(out, "the time is over")
			break
		}
		verdict, err := m.try(ctx, cfg.root, scratch)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil {
			verdict = err.Error()
		}
		tried, ok = tried+1, ok && verdict == noticed
		fmt.Fprintf(out, "%s: %s\n", m.Name, verdict)
	}
	fmt.Fprintf(out, "%d tried in %v\n", tried, time.Since(start).Round(time.Second))
	return ok, nil
}

// try plants a mistake and asks the witnesses of each row.
func (m *named) try(ctx context.Context, root, scratch string) (verdict string, err error) {
	if why := m.whyUnfit(root); why != "" {
		return why, nil
	}
	overlay, err := m.plant(root, scratch)
	if err != nil {
		return "", err
	}
	for _, tests := range m.witnesses {
		failed, err := anyFails(ctx, root, overlay, tests)
		if err != nil {
			return "", err
		}
		if !failed {
			return fmt.Sprintf("survived %s", strings.Join(tests, ", ")), nil
		}
	}
	return noticed, nil
}

// plant writes an overlay with the mistake in its file.
func (m *named) plant(root, scratch string) (overlay string, err error) {
	return planted.Overlay([]planted.Mistake{m.mistake()}, root, scratch)
}

func (m *named) mistake() planted.Mistake {
	return planted.Mistake{Name: m.Name, Edits: []planted.Edit{{In: m.File, Was: m.Was, Is: m.Is}}}
}

// anyFails reports whether one of some tests fails, twice.
func anyFails(ctx context.Context, root, overlay string, tests []string) (bool, error) {
	byFolder := map[string][]string{}
	var folders []string
	for _, t := range tests {
		i := strings.LastIndexByte(t, '.')
		if byFolder[t[:i]] == nil {
			folders = append(folders, t[:i])
		}
		byFolder[t[:i]] = append(byFolder[t[:i]], t[i+1:])
	}
	for _, folder := range folders {
		dir, binary := filepath.Join(root, filepath.FromSlash(folder)), overlay+".test"
		build := exec.CommandContext(ctx, "go", "test", "-c", "-overlay="+overlay, "-vet=off", "-o", binary, ".")
		build.Dir = dir // its module may be another one
		if text, err := build.CombinedOutput(); err != nil {
			return false, fmt.Errorf("it does not compile: %w\n%s", err, text)
		}
		pattern := "^(" + strings.Join(byFolder[folder], "|") + ")$"
		failures := 0
		for failures < 2 && fails(ctx, dir, binary, pattern) {
			failures++
		}
		if failures == 2 {
			return true, ctx.Err()
		}
	}
	return false, ctx.Err()
}

// fails reports whether the tests of a binary fail.
func fails(ctx context.Context, dir, binary, pattern string) bool {
	cmd := exec.CommandContext(ctx, binary, "-test.run="+pattern, "-test.timeout=2m", "-test.count=1")
	cmd.Dir = dir
	return cmd.Run() != nil
}
