package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// history reads the pinned commit from the git directory of a checkout.
type history struct{ from, commit string }

// sentences returns the sentences of a section at the pinned commit, or nil if they are not known.
func (h history) sentences(path, section string) []string {
	text, err := h.git("show", h.commit+":source/"+path)
	if err != nil {
		return nil
	}
	d := parse(path, []byte(text))
	for _, s := range d.sections() {
		if s.name == section {
			return d.sentences(s)
		}
	}
	return nil
}

// git runs a command in the checkout. A checkout that is not a repository of its own has no history, even inside
// another one.
func (h history) git(args ...string) (string, error) {
	if _, err := os.Stat(filepath.Join(h.from, ".git")); err != nil || h.commit == "" {
		return "", fs.ErrNotExist
	}
	out, err := exec.Command("git", append([]string{"-C", h.from}, args...)...).Output()
	return string(out), err
}

// syncCommit compares the pinned commit with the checkout's. It moves the pin when everything else agrees with
// upstream.
func (s *session) syncCommit(settled bool, stdout io.Writer) (behind bool, err error) {
	p := s.pins
	if p == nil {
		if p, err = readPins(s.specs); err != nil || p == nil {
			return false, err
		}
	}
	h := history{from: s.from, commit: p.commit}
	out, err := h.git("rev-parse", "HEAD")
	if err != nil {
		return false, nil // a checkout without git does not say which commit it is
	}
	head := strings.TrimSpace(out)
	if head == p.commit {
		return false, nil
	}
	if _, err := h.git("merge-base", "--is-ancestor", head, p.commit); err == nil {
		fmt.Fprintf(stdout, "older: the checkout is at %.12s, which comes before the pinned commit %.12s\n", head, p.commit)
		return true, nil
	}
	fmt.Fprintf(stdout, "changed specs/UPSTREAM commit: %.12s -> %.12s\n", p.commit, head)
	if s.check || !settled {
		return true, nil
	}
	p.commit = head
	s.pins = p
	return false, nil
}

// isDocument reports whether a file is a document that people read, in Markdown.
func isDocument(name string) bool { return path.Ext(name) == ".md" && !isHidden(name) }

// isData reports whether a file next to the documents has facts of its own: a schema, a drawing, data of benchmarks, a note
// that a document has moved. Files of test suites do not count, because their cases are pinned. Programs, the pictures in
// documents, and the templates of test files say nothing that documents and test files do not.
func isData(name string) bool {
	ofSuite := isAboutTests(name) && slices.Contains([]string{".json", ".yml", ".yaml"}, path.Ext(name))
	return !isDocument(name) && !ofSuite && !isHidden(name) && path.Ext(name) != "" && !slices.Contains(silent, path.Ext(name)) &&
		path.Base(name) != "requirements.txt"
}

// silent are the extensions of files without facts: programs, their settings, pictures and templates.
var silent = strings.Fields(`.py .sh .js .mjs .cjs .ts .rb .pl .php .java .go .c .h .rs .cs .bat .ps1 .lock .toml .cfg .ini .in .css .html
	.png .svg .jpg .jpeg .gif .ico .template`)

// isHidden reports whether a file, or a folder that it is in, has a name that begins with a dot.
func isHidden(name string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") }

func filesOf(root string, wanted func(string) bool) ([]string, error) {
	var out []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && wanted(name) {
			out = append(out, name)
		}
		return err
	})
	slices.Sort(out)
	return out, err
}
