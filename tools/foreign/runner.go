package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// job is one run of a suite on one server.
type job struct {
	suite  suite
	server server
	uri    string
	folder string // with the source
	sample bool
	// root is this repository, and scratch a folder for what all servers share.
	root, scratch string
	specs         string // the checkout of the specifications
}

// run runs the tests and returns how each ended. What the programs print to the standard error output goes into log.
func (j job) run(ctx context.Context, log *bytes.Buffer) ([]outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, j.suite.Timeout)
	defer cancel()
	home, err := os.MkdirTemp("", "foreign-home-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(home)
	switch j.suite.Run.Kind {
	case "go":
		if len(j.suite.Run.Replace) > 0 {
			if j.folder, err = j.copySource(); err != nil {
				return nil, err
			}
			defer os.RemoveAll(j.folder)
		}
		return j.runGo(ctx, log)
	case "moved":
		return j.runMoved(ctx, log)
	case "unittest":
		return j.runUnits(ctx, log, "/usr/bin/python3", "scripts/unittests.py", "-c", "import")
	case "perl":
		return j.runUnits(ctx, log, "/usr/bin/perl", "scripts/tests.pl", "-e", "use")
	}
	return j.runScripts(ctx, home, log)
}

// command prepares a program, with the suite's environment. {uri}, {host}, {port} and {folder} have values.
func (j job) command(ctx context.Context, log *bytes.Buffer, name string, args ...string) *exec.Cmd {
	values := j.values()
	command := exec.CommandContext(ctx, name, args...)
	command.Env = os.Environ()
	for key, value := range j.suite.Env {
		command.Env = append(command.Env, key+"="+values.Replace(value))
	}
	command.Stderr = log
	return command
}

// values replaces {uri}, {host}, {port} and {folder} by the values of the run.
func (j job) values() *strings.Replacer {
	host, port := address(j.uri)
	return strings.NewReplacer("{uri}", j.uri, "{host}", host, "{port}", port, "{folder}", j.folder)
}

// copySource copies the source and makes the replacements in its tests: they name a server where they should ask for one.
func (j job) copySource() (string, error) {
	folder, err := os.MkdirTemp(j.scratch, "aimed-")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(folder, os.DirFS(j.folder)); err != nil {
		return "", err
	}
	pairs := slices.Clone(j.suite.Run.Replace)
	for i := range pairs {
		pairs[i] = j.values().Replace(pairs[i])
	}
	texts := strings.NewReplacer(pairs...)
	return folder, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(texts.Replace(string(src))), 0o644)
	})
}

// address returns the first host and port of a connection string.
func address(uri string) (host, port string) {
	_, rest, _ := strings.Cut(uri, "://")
	rest, _, _ = strings.Cut(rest, "/")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	first, _, _ := strings.Cut(rest, ",")
	host, port, _ = strings.Cut(first, ":")
	return host, port
}

// runGo runs Go packages in their own module.
func (j job) runGo(ctx context.Context, log *bytes.Buffer) ([]outcome, error) {
	args := []string{"test", "-json", "-count=1", "-p=1", "-vet=off", "-timeout=" + j.suite.Timeout.String(), "-tags=" + j.suite.Run.Tags}
	var skip []string
	for _, l := range j.suite.LeftOut {
		skip = append(skip, l.Tests)
	}
	if len(skip) > 0 {
		args = append(args, "-skip="+strings.Join(skip, "|"))
	}
	if j.sample {
		args = append(args, "-run="+strings.Join(j.suite.Sample, "|"))
	}
	command := j.command(ctx, log, "go", append(args, j.suite.Run.Packages...)...)
	command.Dir = j.folder
	// The proxy's zip holds neither the module's workspace nor its vendored packages completely.
	command.Env = append(command.Env, "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := command.Output()
	all, parseErr := parseGo(bytes.NewReader(out))
	if parseErr != nil {
		return nil, parseErr
	}
	return addCrash(all, err, err == nil), nil
}

// runUnits runs Python modules with unittest or Perl's test files, through a script of ours. The interpreter is the one whose
// packages Debian installs.
func (j job) runUnits(ctx context.Context, log *bytes.Buffer, interpreter, script, eval, use string) ([]outcome, error) {
	if _, err := os.Stat(interpreter); err != nil {
		return nil, missingError{"there is no " + interpreter}
	}
	for _, module := range j.suite.Run.Imports {
		if exec.CommandContext(ctx, interpreter, eval, use+" "+module).Run() != nil {
			return nil, missingError{interpreter + " cannot " + use + " " + module}
		}
	}
	script, err := filepath.Abs(script)
	if err != nil {
		return nil, err
	}
	args := []string{script}
	for _, l := range j.suite.LeftOut {
		args = append(args, "--skip="+l.Tests)
	}
	names := j.suite.Run.Packages
	if j.sample {
		names = j.suite.Sample
	}
	command := j.command(ctx, log, interpreter, append(args, names...)...)
	command.Dir = filepath.Join(j.folder, j.suite.Run.Folder)
	return runLines(command)
}

// runScripts runs scripts of ours, for Node or for mongosh. Node finds packages beside the script, so the scripts lie in
// the folder of the packages while they run.
func (j job) runScripts(ctx context.Context, home string, log *bytes.Buffer) ([]outcome, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, missingError{"node is not installed"}
	}
	place, err := os.MkdirTemp(j.folder, "scripts-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(place)
	if err := os.CopyFS(place, os.DirFS("scripts/node")); err != nil {
		return nil, err
	}
	names := j.suite.Run.Packages
	if j.sample {
		names = j.suite.Sample
	}
	var all []outcome
	for _, name := range names {
		script := filepath.Join(place, name)
		args := []string{script, j.uri}
		if j.suite.Run.Kind == "mongosh" {
			args = []string{filepath.Join(j.folder, "node_modules/mongosh/bin/mongosh.js"), "--quiet", "--norc", j.uri, script}
		}
		command := j.command(ctx, log, node, args...)
		command.Dir = place                      // mongosh looks there for what its scripts require
		called := filepath.Join(place, "called") // what the scripts note for the one that compares it with the public names
		command.Env = append(command.Env, "HOME="+home, "NO_COLOR=1", "TZ=UTC", "CALLED="+called)
		part, err := runLines(command)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, o := range part {
			o.name = strings.TrimSuffix(name, filepath.Ext(name)) + ": " + o.name
			all = append(all, o)
		}
	}
	return all, nil
}

// runLines runs a program that prints in the form that parseLines reads.
func runLines(command *exec.Cmd) ([]outcome, error) {
	out, err := command.Output()
	all, complete, parseErr := parseLines(bytes.NewReader(out))
	if parseErr != nil {
		return nil, parseErr
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	return addCrash(all, err, complete), nil
}

// addCrash adds a failure if a run ended badly although no test failed. Otherwise a crash would look like a run with fewer tests.
func addCrash(all []outcome, err error, complete bool) []outcome {
	if complete {
		return all
	}
	for _, o := range all {
		if o.state == failed && err != nil {
			return all
		}
	}
	return append(all, outcome{"the run comes to its end", failed, fmt.Sprint(err)})
}
