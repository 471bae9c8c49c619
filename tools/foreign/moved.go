package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// shims take the place of the official driver's packages for its own tests that reach into the driver.
//
//go:embed moved
var shims embed.FS

const onion = "github.com/specdrivers/onion"

// runMoved moves Go packages to this repository's driver and runs them. They are moved in a copy, once for all servers.
func (j job) runMoved(ctx context.Context, log *bytes.Buffer) ([]outcome, error) {
	folder := filepath.Join(j.scratch, j.suite.Name)
	if _, err := os.Stat(folder); err != nil {
		if err := j.move(ctx, folder, log); err != nil {
			return nil, err
		}
	}
	j.folder = folder
	return j.runGo(ctx, log)
}

// move copies the source, rewrites it with tools/migrate, and brings what does not compile into a form that fails.
func (j job) move(ctx context.Context, folder string, log *bytes.Buffer) error {
	root, err := filepath.Abs(j.root)
	if err != nil {
		return err
	}
	if err := os.CopyFS(folder, os.DirFS(j.folder)); err != nil {
		return err
	}
	if err := j.linkSpecs(folder); err != nil {
		return err
	}
	_ = os.Remove(filepath.Join(folder, "go.work")) // it names modules that are not in the zip
	if err := setApart(folder, j.suite.Run.BlackBox); err != nil {
		return err
	}
	if err := untag(folder, j.suite.Run); err != nil {
		return err
	}
	program := filepath.Join(j.scratch, "migrate")
	steps := []struct {
		dir  string
		args []string
	}{
		{filepath.Join(root, "tools/migrate"), []string{"go", "build", "-o", program, "."}},
		{folder, append([]string{program, "-mongotest", "-write"}, append(j.suite.Run.Beside, j.suite.Run.Packages...)...)},
		{folder, []string{"go", "mod", "edit", "-go=1.26.0", "-require=" + onion + "@v0.0.0", "-replace=" + onion + "=" + root}},
		{folder, []string{"go", "mod", "tidy"}},
	}
	for i, step := range steps {
		if i == 2 {
			if err := placeShims(folder); err != nil {
				return err
			}
			if err := j.replace(folder); err != nil {
				return err
			}
			over, err := fs.Sub(shims, "moved/over")
			if err != nil {
				return err
			}
			if err := placeOverlay(folder, over, j.suite.Run.Packages); err != nil {
				return err
			}
		}
		command := j.command(ctx, log, step.args[0], step.args[1:]...)
		command.Dir = step.dir
		command.Env = append(command.Env, "GOWORK=off", "GOFLAGS=-mod=mod")
		var out bytes.Buffer
		command.Stdout, command.Stderr = &out, &out
		if err := command.Run(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(step.args, " "), err, out.Bytes())
		}
		if i == 1 {
			_ = os.WriteFile(filepath.Join(folder, "migrate.txt"), out.Bytes(), 0o644)
		}
	}
	return j.cut(ctx, folder)
}

// setApart copies the external tests of packages (package x_test) into folders of their own, because internal tests do not move.
func setApart(folder string, packages []string) error {
	for _, name := range packages {
		paths, err := filepath.Glob(filepath.Join(folder, name, "*_test.go"))
		if err != nil {
			return err
		}
		place := filepath.Join(folder, "internal/blackbox", name)
		if err := os.MkdirAll(place, 0o755); err != nil {
			return err
		}
		for _, path := range paths {
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if !outsidePackage.Match(src) {
				continue
			}
			if err := os.WriteFile(filepath.Join(place, filepath.Base(path)), src, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// outsidePackage finds the package clause of external tests.
var outsidePackage = regexp.MustCompile(`(?m)^package \w+_test$`)

// untag removes the build constraints that name one of the tags and nothing else.
func untag(folder string, r runner) error {
	if len(r.Untagged) == 0 {
		return nil
	}
	for _, name := range r.Packages {
		paths, err := filepath.Glob(filepath.Join(folder, name, "*.go"))
		if err != nil {
			return err
		}
		for _, path := range paths {
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text := string(src)
			for _, tag := range r.Untagged {
				text = strings.Replace(text, "\n//go:build "+tag+"\n", "\n", 1)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// linkSpecs puts the specifications where the tests read them.
func (j job) linkSpecs(folder string) error {
	if j.suite.Run.Specs == "" {
		return nil
	}
	specs, err := filepath.Abs(j.specs)
	if err != nil {
		return err
	}
	if _, err := os.Stat(specs); err != nil {
		return missingError{"there are no specifications: name their folder with -specs"}
	}
	return os.Symlink(specs, filepath.Join(folder, j.suite.Run.Specs))
}

// cut compiles the tests. Where they do not compile, it turns the smallest test around the place into one that fails and says why. Such a
// test needs a row, as every failing test does.
func (j job) cut(ctx context.Context, folder string) error {
	const rounds = 12 // each round may leave names that nothing uses
	var last string
	for round := range rounds {
		args := []string{"test", "-c", "-o=" + os.DevNull, "-vet=off", "-gcflags=-e", "-tags=" + j.suite.Run.Tags}
		args = append(args, j.suite.Run.Packages...)
		build := exec.CommandContext(ctx, "go", args...)
		build.Dir = folder
		build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		out, err := build.CombinedOutput()
		if err == nil {
			return nil
		}
		last = string(out)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("cut%d.txt", round)), out, 0o644); err != nil {
			return err
		}
		if err := cutFiles(folder, j.suite.Run.Packages, last); err != nil {
			return fmt.Errorf("%w\n%s", err, last)
		}
	}
	return fmt.Errorf("the moved tests do not compile:\n%s", last)
}
