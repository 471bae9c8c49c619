package main

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// newFixture makes a repository with a module at its root and one inside it.
func newFixture(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	dir := t.TempDir()
	put(t, dir, map[string]string{
		"go.mod":               "module example.com/shop\n\ngo 1.26.0\n",
		"shop.go":              "package shop\n\nfunc Open() {}\n\nfunc Close() {}\n",
		"tools/paint/go.mod":   "module example.com/shop/tools/paint\n\ngo 1.26.0\n\nrequire example.com/shop v0.0.0\n\nreplace example.com/shop => ../..\n",
		"tools/paint/paint.go": "package main\n\nimport \"example.com/shop\"\n\nfunc main() { shop.Open() }\n",
	})
	git(t, dir, "init", "-q")
	git(t, dir, "config", "user.email", "ada@example.com")
	git(t, dir, "config", "user.name", "Ada")
	commit(t, dir)
	return dir
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := command(dir, "git", args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func commit(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "shop: a step")
}

func TestWithoutATagNothingCanBreak(t *testing.T) {
	var out strings.Builder
	if err := run(&out, newFixture(t), action{check: true}); err != nil || !strings.Contains(out.String(), "no tag yet") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestWriteTryAndTag(t *testing.T) {
	dir := newFixture(t)
	put(t, dir, map[string]string{"CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n- Paint dries.\n"})
	commit(t, dir)
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
	var out strings.Builder
	if err := run(&out, dir, action{try: "v0.1.0"}); err == nil || !strings.Contains(err.Error(), "tools/paint") {
		t.Errorf("a module that asks for v0.0.0 of its parent built: %v", err)
	}
	if err := run(&out, dir, action{write: "v0.1.0"}); err != nil {
		t.Fatal(err)
	}
	if s := readText(t, dir, "tools/paint/go.mod"); !strings.Contains(s, "example.com/shop v0.1.0") || strings.Contains(s, "replace") {
		t.Errorf("go.mod is\n%s", s)
	}
	news := readText(t, dir, "CHANGELOG.md")
	if !regexp.MustCompile(`(?s)^# Changelog\n\n## Unreleased\n\n## v0\.1\.0 \(\d{4}-\d\d-\d\d\)\n\n- Paint dries\.\n$`).MatchString(news) {
		t.Errorf("the changelog is\n%s", news)
	}
	if err := run(&out, dir, action{write: "v0.2.0"}); err == nil || !strings.Contains(err.Error(), "say what v0.2.0 brings") {
		t.Errorf("a release without news: %v", err)
	}
	if err := run(&out, dir, action{tag: "v0.1.0"}); err == nil {
		t.Error("a tree with changes was tagged")
	}
	commit(t, dir)
	kept := filepath.Join(t.TempDir(), "zips")
	if err := run(&out, dir, action{try: "v0.1.0", keep: kept}); err != nil {
		t.Fatal(err)
	}
	if zips, err := filepath.Glob(filepath.Join(kept, "example.com-shop*-v0.1.0.zip")); err != nil || len(zips) != 2 {
		t.Errorf("kept %q, %v", zips, err)
	}
	if err := run(&out, dir, action{tag: "v0.1.0"}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(git(t, dir, "tag")); strings.Join(got, " ") != "tools/paint/v0.1.0 v0.1.0" {
		t.Errorf("tags are %q", got)
	}
	if err := run(&out, dir, action{develop: true}); err != nil {
		t.Fatal(err)
	}
	if s := readText(t, dir, "tools/paint/go.mod"); !strings.Contains(s, "example.com/shop v0.1.0") || !strings.Contains(s, "example.com/shop => ../..\n") {
		t.Errorf("after the release go.mod is\n%s", s)
	}
	if _, err := command(filepath.Join(dir, "tools", "paint"), "go", "build", "-o", os.DevNull, "."); err != nil {
		t.Errorf("after the release: %v", err)
	}
	for _, want := range []string{
		"example.com/shop v0.1.0: 1 packages build", "example.com/shop/tools/paint v0.1.0: 1 packages build",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, out.String())
		}
	}
}

// TestTagsAreSigned signs with a key that ssh-keygen makes, as the release workflow does with its own.
func TestTagsAreSigned(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("needs ssh-keygen")
	}
	dir, key := newFixture(t), filepath.Join(t.TempDir(), "key")
	if _, err := command(dir, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "config", "gpg.format", "ssh")
	git(t, dir, "config", "user.signingkey", key)
	var out strings.Builder
	if err := run(&out, dir, action{tag: "v0.1.0"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(git(t, dir, "cat-file", "tag", "v0.1.0"), "BEGIN SSH SIGNATURE") || !strings.Contains(out.String(), "signed v0.1.0") {
		t.Errorf("no signature\n%s", out.String())
	}
}

func readText(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestCheckNamesWhatBreaks borrows the repository's pin of apidiff.
func TestCheckNamesWhatBreaks(t *testing.T) {
	dir := newFixture(t)
	put(t, dir, map[string]string{
		"generated/core/wire/wire.go": "package wire\n\nfunc Read() {}\n", "tools/mtest/mtest.go": "package mtest\n\nfunc New() {}\n",
	})
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", "lint", name))
		if err != nil {
			t.Fatal(err)
		}
		put(t, dir, map[string]string{"tools/lint/" + name: string(text)})
	}
	commit(t, dir)
	git(t, dir, "tag", "v0.1.0")
	var out strings.Builder
	if err := run(&out, dir, action{check: true}); err != nil {
		t.Fatalf("nothing has changed: %v\n%s", err, out.String())
	}
	put(t, dir, map[string]string{
		"shop.go":                     "package shop\n\nfunc Open(name string) {}\n\nfunc Shut() {}\n",
		"generated/core/wire/wire.go": "package wire\n", "tools/mtest/mtest.go": "package mtest\n",
	})
	err := run(&out, dir, action{check: true})
	for _, want := range []string{"Close: removed", "Open: changed", "mtest.New: removed", "3 incompatible changes since v0.1.0"} {
		if err == nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v: the output lacks %q:\n%s", err, want, out.String())
		}
	}
	if trees := git(t, dir, "worktree", "list"); strings.Count(trees, "\n") != 1 {
		t.Errorf("a worktree stayed:\n%s", trees)
	}
}

func TestVersionsThatGoRefuses(t *testing.T) {
	for _, v := range []string{"0.1.0", "v2.0.0", "v1", "latest"} {
		if err := run(&strings.Builder{}, ".", action{write: v}); err == nil || !strings.Contains(err.Error(), "not a version") {
			t.Errorf("%s: %v", v, err)
		}
	}
}

// TestEveryFileFitsIntoAModule: Go's tools refuse a module in which two paths differ only by case, and so do file
// systems.
func TestEveryFileFitsIntoAModule(t *testing.T) {
	files := git(t, "../..", "ls-files", "-z")
	spelled := map[string]string{}
	for name := range strings.SplitSeq(strings.TrimSuffix(files, "\x00"), "\x00") {
		for p := name; p != "."; p = path.Dir(p) {
			if other := spelled[strings.ToLower(p)]; other != "" && other != p {
				t.Errorf("%s and %s differ by case alone", p, other)
			}
			spelled[strings.ToLower(p)] = p
		}
	}
}
