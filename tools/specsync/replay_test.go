package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/upstream"
)

// history makes a git repository of a checkout of upstream with one commit for each change of a text.
func historyOf(t *testing.T, from string, changes [][3]string) string {
	t.Helper()
	repository := t.TempDir()
	copyTree(t, filepath.Join(from, "source"), filepath.Join(repository, "source"))
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", repository, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "the beginning")
	for _, c := range changes {
		replaceOnce(t, filepath.Join(repository, "source", filepath.FromSlash(c[0])), c[1], c[2])
		git("commit", "-q", "-a", "-m", "change "+c[0])
	}
	return repository
}

func TestReplayWalksTheHistory(t *testing.T) {
	from := upstream.Path(t)
	repository := historyOf(t, from, [][3]string{
		{handshakeDoc, `MUST NOT exceed 512 bytes`, "MUST NOT exceed 1024 bytes"},
		{loggingDoc, `## Abstract\n`, "## Abstract\n\nAnother word.\n"},
		{convenientDoc, `\n## `, "\n\n## "},
		{uriDoc, `\n\| appname `, "\n| doors | any string | maybe some | no | How many. |\n| appname "},
		{uriDoc, `\n\| doors [^\n]*`, ""},
		{handshakeDoc, `MUST NOT exceed 1024 bytes`, "MUST NOT exceed 512 bytes"},
	})
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	before := content(t, filepath.Join(module, "specs", "UPSTREAM"))
	var out bytes.Buffer
	if err := walk(repository, "HEAD~6..HEAD", module, "specs", &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"change " + handshakeDoc + " | 1 | 1 rows, 1 sections | without 1 files |",
		"change " + loggingDoc + " | 1 | 1 sections | quiet |",
		"change " + convenientDoc + " | 1 | quiet | quiet |",
		"change " + uriDoc + " | 1 | 1 sections, 1 not understood | without 1 files |",
		"change " + uriDoc + " | 1 | 1 sections | 1 sections, 1 not understood |",
		"change " + handshakeDoc + " | 1 | 1 rows, 1 sections | 1 rows, 1 sections |",
		"6 commits: 1 with forms that no reader knows, 1 quiet, 2 that could be taken back in part, 0 broken",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(&out)
	}
	if content(t, filepath.Join(module, "specs", "UPSTREAM")) != before {
		t.Error("the replay changed the tables")
	}
	for _, bad := range []string{"HEAD", "nothing..HEAD"} {
		if err := walk(repository, bad, module, "specs", io.Discard, io.Discard); err == nil {
			t.Errorf("the range %s was accepted", bad)
		}
	}
}

func TestTheCommitIsCompared(t *testing.T) {
	repository := t.TempDir()
	write(t, filepath.Join(repository, "source", "shop.md"), shopText)
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", repository, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "one")
	first := git("rev-parse", "HEAD")
	git("commit", "-q", "--allow-empty", "-m", "two")
	second := git("rev-parse", "HEAD")
	specs := t.TempDir()
	pinned := func(commit string) {
		write(t, filepath.Join(specs, "UPSTREAM"), "repository nowhere\ncommit "+commit+"\n")
	}
	for _, c := range []struct {
		name, pin      string
		check, settled bool
		behind         bool
		report, after  string
	}{
		{"the same", second, true, true, false, "", second},
		{"a newer checkout", first, true, true, true, "changed specs/UPSTREAM commit", first},
		{"a refresh with rows left", first, false, false, true, "changed specs/UPSTREAM commit", first},
		{"a refresh that is done", first, false, true, false, "changed specs/UPSTREAM commit", second},
	} {
		t.Run(c.name, func(t *testing.T) {
			pinned(c.pin)
			var out bytes.Buffer
			s := newSession(options{from: repository, specs: specs, check: c.check})
			behind, err := s.syncCommit(c.settled, &out)
			if err == nil {
				err = s.save()
			}
			if err != nil || behind != c.behind || !strings.HasPrefix(out.String(), c.report) {
				t.Errorf("behind %v, %v, %q", behind, err, &out)
			}
			if text := content(t, filepath.Join(specs, "UPSTREAM")); !strings.Contains(text, "commit "+c.after) {
				t.Errorf("the pin is\n%s", text)
			}
		})
	}
	git("checkout", "-q", first)
	pinned(second)
	var out bytes.Buffer
	if behind, err := newSession(options{from: repository, specs: specs}).syncCommit(true, &out); !behind || err != nil || !strings.HasPrefix(out.String(), "older: ") {
		t.Errorf("an older checkout: %v, %v, %q", behind, err, &out)
	}
	if err := os.RemoveAll(filepath.Join(repository, ".git")); err != nil {
		t.Fatal(err)
	}
	if behind, err := newSession(options{from: repository, specs: specs}).syncCommit(true, &out); behind || err != nil {
		t.Errorf("a checkout without history: %v, %v", behind, err)
	}
}
