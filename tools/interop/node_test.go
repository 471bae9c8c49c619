package interop

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/tools/mongotest"
)

// installNodePackages installs what the peers' package.json and lock file pin, into a folder of the user's cache that is named after
// the lock file, so a second run needs no network. Without Node or npm it skips the test, unless INTEROP_NODE=required.
func installNodePackages(t *testing.T) (node, folder string) {
	t.Helper()
	missing := t.Skip
	if os.Getenv("INTEROP_NODE") == "required" {
		missing = t.Fatal
	}
	node, err := exec.LookPath("node")
	if err != nil {
		missing("no Node: install Node 20.19 or later with npm to run mongodb, mongoose and mongosh against mongotest")
	}
	lock, err := os.ReadFile("testdata/node/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		missing("no cache folder:", err)
	}
	sum := sha256.Sum256(lock)
	folder = filepath.Join(cache, "onion-interop", hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(filepath.Join(folder, "installed")); err == nil {
		return node, folder
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := install(t.Context(), folder); err != nil {
		missing("npm cannot install the packages:", err)
	}
	return node, folder
}

// install runs npm in a temporary folder, and renames it once everything is installed.
func install(ctx context.Context, folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(folder), "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(filepath.Join("testdata/node", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(fresh, name), data, 0o644); err != nil {
			return err
		}
	}
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund")
	npm.Dir = fresh
	if out, err := npm.CombinedOutput(); err != nil {
		return errors.New(err.Error() + "\n" + string(out))
	}
	if err := os.WriteFile(filepath.Join(fresh, "installed"), nil, 0o644); err != nil {
		return err
	}
	if err := os.Rename(fresh, folder); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// nodePlaces returns the deployments that the peers run against.
func nodePlaces() map[string]mongotest.Option {
	return map[string]mongotest.Option{
		"standalone": mongotest.Standalone(), "replicaset": mongotest.ReplicaSet(3), "sharded": mongotest.Sharded(1),
	}
}

var stepsLine = regexp.MustCompile(`(?m)^(\d+) steps`)

// runNode runs a program and checks that it took at least 100 steps.
func runNode(t *testing.T, command *exec.Cmd) {
	t.Helper()
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	steps := 0
	if m := stepsLine.FindStringSubmatch(out.String()); m != nil {
		steps, _ = strconv.Atoi(m[1])
	}
	if err != nil || steps < 100 {
		var failed []string
		for _, line := range strings.Split(out.String(), "\n") {
			if !strings.HasSuffix(strings.TrimSpace(line), " ok") {
				failed = append(failed, line)
			}
		}
		t.Errorf("%v after %d steps:\n%s", err, steps, strings.Join(failed, "\n"))
	}
}

// Node's driver and mongoose each take at least 100 steps on each topology.
func TestNodeDriverAndMongoose(t *testing.T) {
	node, folder := installNodePackages(t)
	script, err := os.ReadFile("testdata/node/peer.mjs")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "peer-"+strconv.Itoa(os.Getpid())+".mjs") // next to its packages, where Node looks for them
	if err := os.WriteFile(program, script, 0o644); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(program)
	t.Run("group", func(t *testing.T) {
		for name, shape := range nodePlaces() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
				defer cancel()
				runNode(t, exec.CommandContext(ctx, node, program, mongotest.Start(t, shape).URI()))
			})
		}
	})
}

// mongosh runs every command that its help names on each topology.
func TestMongosh(t *testing.T) {
	node, folder := installNodePackages(t)
	shell := filepath.Join(folder, "node_modules/mongosh/bin/mongosh.js")
	for name, shape := range nodePlaces() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			command := exec.CommandContext(ctx, node, shell, "--quiet", "--norc", mongotest.Start(t, shape).URI(), "testdata/node/mongosh.js")
			command.Env = append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=1")
			runNode(t, command)
		})
	}
}
