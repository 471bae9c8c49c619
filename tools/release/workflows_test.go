package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// TestWorkflowsArePinned looks for actions that are not named by a commit: a tag of theirs can be moved.
func TestWorkflowsArePinned(t *testing.T) {
	pinned := regexp.MustCompile(`^[\w-]+/[\w./-]+@[0-9a-f]{40} # v\d`)
	uses := 0
	for name, text := range workflows(t) {
		for _, m := range regexp.MustCompile(`(?m)^\s*(?:- )?uses: (.*)$`).FindAllStringSubmatch(text, -1) {
			uses++
			if !strings.HasPrefix(m[1], "./") && !pinned.MatchString(m[1]) {
				t.Errorf("%s uses %s: name the commit, and its version in a comment", name, m[1])
			}
		}
	}
	if uses < 20 {
		t.Errorf("only %d actions", uses)
	}
}

// TestWorkflowsAreBounded: each job has a limit of time, and a workflow may read the repository and nothing else, unless a job says so.
func TestWorkflowsAreBounded(t *testing.T) {
	for name, text := range workflows(t) {
		if machines, limits := strings.Count(text, "\n    runs-on:"), strings.Count(text, "\n    timeout-minutes:"); machines != limits {
			t.Errorf("%s: %d jobs, and %d have timeout-minutes", name, machines, limits)
		}
		if !strings.Contains(text, "\npermissions:\n  contents: read\n") {
			t.Errorf("%s: at its top it wants permissions, contents: read", name)
		}
	}
}

// TestWorkflowsCallWhatExists looks up the targets that workflows make, and the tools that they run.
func TestWorkflowsCallWhatExists(t *testing.T) {
	makefile := readText(t, root, "Makefile")
	called := 0
	for name, text := range workflows(t) {
		for _, line := range regexp.MustCompile(`(?m)^\s*(?:- run:|base=|if|set|make)?.*\bmake (?:-s )?([a-z][a-z -]*)`).FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(strings.TrimSpace(line[0]), "#") {
				continue
			}
			for target := range strings.FieldsSeq(line[1]) {
				called++
				if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:`).MatchString(makefile) {
					t.Errorf("%s makes %s, and the Makefile has no such target", name, target)
				}
			}
		}
		for _, m := range regexp.MustCompile(`go run \./(tools/\w+)`).FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if called < 20 {
		t.Errorf("only %d targets are called", called)
	}
}

// TestSupportSaysWhatTheTablesSay compares the page about supported releases with go.mod, the wire versions and the servers that
// hosted tests run on.
func TestSupportSaysWhatTheTablesSay(t *testing.T) {
	page := readText(t, root, ".github/SUPPORT.md")
	find := func(file, pattern string) string {
		t.Helper()
		m := regexp.MustCompile(pattern).FindStringSubmatch(readText(t, root, file))
		if m == nil {
			t.Fatalf("%s: nothing is like %s", file, pattern)
		}
		return m[1]
	}
	goVersion := find("go.mod", `(?m)^go (\d+\.\d+)`)
	oldest := find("specs/wire/versions.yaml", `server: "([\d.]+)"[^\n]*minimum: true`)
	newest := find("specs/wire/versions.yaml", `server: "([\d.]+)"[^\n]*maximum: true`)
	for _, want := range []string{"Go " + goVersion, "MongoDB " + oldest + " to " + newest} {
		if !strings.Contains(page, want) {
			t.Errorf("SUPPORT.md does not say %q", want)
		}
	}
	servers := strings.FieldsFunc(find(".github/workflows/servers.yml", `version: \[(.*)\]`), func(r rune) bool { return strings.ContainsRune(`", `, r) })
	for _, want := range []string{oldest, newest} {
		if !slices.Contains(servers, want) {
			t.Errorf("servers.yml does not test MongoDB %s", want)
		}
	}
}

func workflows(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	if err != nil || len(files) < 4 {
		t.Fatalf("%q, %v", files, err)
	}
	texts := map[string]string{}
	for _, name := range files {
		texts[filepath.Base(name)] = readText(t, filepath.Dir(name), filepath.Base(name))
	}
	return texts
}
