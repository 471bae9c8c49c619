package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// missingError says why a suite cannot run here. It is not a failure unless -required asks for every suite.
type missingError struct{ what string }

func (m missingError) Error() string { return m.what }

// fetch returns the folder with the source of a suite. It asks a registry once: the folder stays in the cache.
func fetch(ctx context.Context, cache string, s source) (string, error) {
	var name string
	var fill func(context.Context, string, source) error
	switch {
	case s.Go != "":
		name, fill = strings.ReplaceAll(s.Go, "/", "-")+"@"+s.Version, fillModule
	case s.Apt != "":
		name, fill = s.Apt+"@"+s.Version, fillDebian
	default:
		lock, err := os.ReadFile(filepath.Join(s.Npm, "package-lock.json"))
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(lock)
		name, fill = "npm-"+hex.EncodeToString(sum[:8]), fillPackages
	}
	folder := filepath.Join(cache, name)
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(cache, "new-") // renamed once it is complete
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	if err := fill(ctx, fresh, s); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, folder); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return folder, nil
}

// fillModule copies a module out of Go's cache, where nothing may be written. A test may want to write beside its source.
func fillModule(ctx context.Context, folder string, s source) error {
	download := exec.CommandContext(ctx, "go", "mod", "download", "-json", s.Go+"@"+s.Version)
	download.Dir = folder
	download.Env = append(os.Environ(), "GOWORK=off")
	out, err := download.Output()
	var module struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &module); jsonErr != nil {
		return errors.Join(err, jsonErr)
	}
	if module.Error != "" {
		return missingError{"the Go module proxy: " + firstLine(module.Error)}
	}
	return os.CopyFS(folder, os.DirFS(module.Dir))
}

// fillDebian gets the tar file of a Debian source package. It has lists of its own, so it needs no rights and changes no
// setting of the system.
func fillDebian(ctx context.Context, folder string, s source) error {
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return missingError{"apt-get is not installed"}
	}
	scratch, err := os.MkdirTemp("", "foreign-apt-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if err := os.MkdirAll(filepath.Join(scratch, "lists/partial"), 0o755); err != nil {
		return err
	}
	var list bytes.Buffer
	const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
	for release := range strings.FieldsSeq(s.Suites) {
		fmt.Fprintf(&list, "deb-src [signed-by=%s] http://deb.debian.org/debian %s main\n", keyring, release)
	}
	sources := filepath.Join(scratch, "sources.list")
	if err := os.WriteFile(sources, list.Bytes(), 0o644); err != nil {
		return err
	}
	options := []string{
		"-q", "-o", "Dir::Etc::sourcelist=" + sources, "-o", "Dir::Etc::sourceparts=-", "-o", "Dir::Cache=" + scratch,
		"-o", "Dir::State::lists=" + filepath.Join(scratch, "lists"), "-o", "APT::Sandbox::User=",
	}
	for _, step := range [][]string{{"update"}, {"source", "--download-only", "--tar-only", s.Apt + "=" + s.Version}} {
		command := exec.CommandContext(ctx, apt, append(options, step...)...)
		command.Dir = scratch
		if out, err := command.CombinedOutput(); err != nil {
			return missingError{fmt.Sprintf("apt-get %s %s: %s", step[0], s.Apt, complaint(string(out)))}
		}
	}
	tars, err := filepath.Glob(filepath.Join(scratch, "*.orig.tar.*"))
	if err != nil || len(tars) == 0 {
		return missingError{"apt-get source brought no tar file of " + s.Apt}
	}
	unpack := exec.CommandContext(ctx, "tar", "--extract", "--strip-components=1", "--directory", folder, "--file", tars[0])
	if out, err := unpack.CombinedOutput(); err != nil {
		return fmt.Errorf("unpacking %s: %w\n%s", tars[0], err, out)
	}
	return nil
}

// fillPackages installs what the lock file pins.
func fillPackages(ctx context.Context, folder string, s source) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return missingError{"npm is not installed"}
	}
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(filepath.Join(s.Npm, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			return err
		}
	}
	install := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund")
	install.Dir = folder
	if out, err := install.CombinedOutput(); err != nil {
		return missingError{"npm cannot install the packages: " + firstLine(string(out))}
	}
	return nil
}

// firstLine returns the beginning of a text, for a report of one line.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// complaint returns the first error in the output of apt-get.
func complaint(out string) string {
	for line := range strings.Lines(out) {
		if rest, ok := strings.CutPrefix(line, "E: "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return firstLine(out)
}
