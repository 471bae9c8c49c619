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

// acknowledgement moves the pin of one section, for a reason.
type acknowledgement struct{ document, section, reason string }

// syncPins compares the sections of a checkout with the sections that UPSTREAM pins. Only an acknowledgement moves a
// pin: somebody has to read what a section says now. The commit moves when the checkout has another one and nothing
// else is left to do.
func syncPins(o options, cited citations, stdout io.Writer) (behind bool, err error) {
	p, err := readPins(o.specs)
	if err != nil || p == nil {
		return false, err
	}
	paths, err := o.library.specifications(o.from)
	if err != nil {
		return false, err
	}
	old := o.past
	if old.from == "" {
		old = history{from: o.from, commit: p.commit}
	}
	changed := false
	for _, name := range paths {
		d, err := o.library.open(o.from, name)
		if err != nil {
			return false, err
		}
		moved, red := p.compare(d, o, cited, old, stdout)
		changed, behind = changed || moved, behind || red
	}
	files, err := o.library.dataFiles(o.from)
	if err != nil {
		return false, err
	}
	for _, name := range files {
		moved, red, err := p.compareFile(name, o, stdout)
		if err != nil {
			return false, err
		}
		changed, behind = changed || moved, behind || red
	}
	paths = append(paths, files...)
	for _, d := range p.documents {
		if !slices.Contains(paths, d.path) {
			fmt.Fprintf(stdout, "removed document %s\n", d.path)
			behind = true
		}
	}
	p.documents = slices.DeleteFunc(p.documents, func(d pinnedDocument) bool { return len(d.sections) == 0 })
	if changed && !o.check {
		return behind, p.save()
	}
	return behind, nil
}

// compare reports the sections of one document that differ, and moves the pins that somebody acknowledged.
func (p *pins) compare(d *document, o options, cited citations, old history, stdout io.Writer) (moved, behind bool) {
	pinned := p.document(d.path)
	first := len(pinned.sections) == 0
	if first && !o.pinNew {
		fmt.Fprintf(stdout, "added document %s: read it, then pin its sections with -pin-new\n", d.path)
		return false, true
	}
	var names []string
	fingerprints := o.library.fingerprints(d)
	for i, s := range d.sections() {
		names = append(names, s.name)
		now := fingerprints[i]
		now.uncited = len(cited[d.path][s.title]) == 0
		was := pinned.find(s.name)
		reason, agreed := o.acknowledged(d.path, s.name)
		switch {
		case was == nil && (first || agreed):
			now.reason = reason
			pinned.sections = append(pinned.sections, now)
			moved = true
		case was == nil:
			fmt.Fprintf(stdout, "added section %s, %q\n", d.path, s.name)
			behind = true
		case was.fingerprint == now.fingerprint:
			moved = moved || was.uncited != now.uncited
			was.uncited = now.uncited
		default:
			if !agreed || o.agree {
				report(stdout, d, s, was, now, cited, old)
			}
			if !agreed {
				behind = true
				continue
			}
			now.reason = reason
			*was = now
			moved = true
		}
	}
	kept := pinned.sections[:0:0]
	for _, s := range pinned.sections {
		if slices.Contains(names, s.name) {
			kept = append(kept, s)
		} else if _, agreed := o.acknowledged(d.path, s.name); agreed {
			moved = true
		} else {
			fmt.Fprintf(stdout, "removed section %s, %q%s\n", d.path, s.name, citedBy(cited[d.path][s.name]))
			kept, behind = append(kept, s), true
		}
	}
	slices.SortStableFunc(kept, func(a, b pinnedSection) int { return position(names, a.name) - position(names, b.name) })
	pinned.sections = kept
	return moved, behind
}

// position is the place of a name in a list, the end for one that is not there.
func position(names []string, name string) int {
	if i := slices.Index(names, name); i >= 0 {
		return i
	}
	return len(names)
}

// report names a section that changed, who cites it, and its new sentences. Of the old ones it knows only the
// fingerprints, unless the checkout has the pinned commit.
func report(stdout io.Writer, d *document, s span, was *pinnedSection, now pinnedSection, cited citations, old history) {
	fmt.Fprintf(stdout, "changed section %s:%d, %q%s\n", d.path, s.from, s.name, citedBy(cited[d.path][s.title]))
	before := old.sentences(d.path, s.name)
	gone := missing(was.hashes, now.hashes)
	for _, text := range before {
		if i := slices.Index(gone, hashes([]string{text})[0]); i >= 0 {
			gone = slices.Delete(gone, i, i+1)
			fmt.Fprintf(stdout, "    - %s\n", text)
		}
	}
	if len(gone) > 0 {
		fmt.Fprintf(stdout, "    - (%d sentences)\n", len(gone))
	}
	added := missing(now.hashes, was.hashes)
	for _, text := range d.sentences(s) {
		if i := slices.Index(added, hashes([]string{text})[0]); i >= 0 {
			added = slices.Delete(added, i, i+1)
			fmt.Fprintf(stdout, "    + %s\n", text)
		}
	}
}

// missing are the members of a list that another one lacks, counting those that it has several times.
func missing(a, b []string) []string {
	count := map[string]int{}
	for _, x := range b {
		count[x]++
	}
	var out []string
	for _, x := range a {
		if count[x]--; count[x] < 0 {
			out = append(out, x)
		}
	}
	return out
}

func citedBy(places []string) string {
	if len(places) == 0 {
		return "; nobody cites it"
	}
	return "; cited by " + strings.Join(places, ", ")
}

// acknowledged reports whether somebody has read a section as it is now, and why nothing more has to be done.
func (o options) acknowledged(document, section string) (string, bool) {
	if o.agree {
		return "", true
	}
	for _, a := range o.acknowledge {
		if a.document == document && a.section == section {
			return a.reason, true
		}
	}
	return "", false
}

// history is what a checkout with a git directory knows of the pinned commit.
type history struct{ from, commit string }

// sentences returns the sentences of a section at the pinned commit, or nil if they are not known.
func (h history) sentences(path, section string) []string {
	text, err := h.git("show", h.commit+":source/"+path)
	if err != nil {
		return nil
	}
	d := &document{path: path, lines: strings.Split(text, "\n")}
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
func syncCommit(o options, settled bool, stdout io.Writer) (behind bool, err error) {
	p, err := readPins(o.specs)
	if err != nil || p == nil {
		return false, err
	}
	h := history{from: o.from, commit: p.commit}
	out, err := h.git("rev-parse", "HEAD")
	if err != nil {
		return false, nil // the checkout does not say what it is
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
	if o.check || !settled {
		return true, nil
	}
	p.commit = head
	return false, p.save()
}

// specifications lists the documents of a checkout, with those about tests.
func isDocument(name string) bool { return path.Ext(name) == ".md" || path.Ext(name) == ".rst" }

// dataFiles lists the other files beside the documents: schemas, drawings, data of benchmarks. It leaves out the files
// of test suites.
func (l *library) dataFiles(from string) ([]string, error) {
	return l.filesOf(from, func(name string) bool { return !isDocument(name) && !aboutTests(name) })
}

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

// whole is the name of the only section of a file that is not a document.
const whole = "the whole file"

// compareFile is compare for a file that is not a document.
func (p *pins) compareFile(name string, o options, stdout io.Writer) (moved, behind bool, err error) {
	fingerprint, err := o.library.fingerprint(o.from, name)
	if err != nil {
		return false, false, err
	}
	now := pinnedSection{name: whole, fingerprint: fingerprint}
	pinned := p.document(name)
	reason, agreed := o.acknowledged(name, whole)
	switch {
	case len(pinned.sections) == 0 && !o.pinNew && !agreed:
		fmt.Fprintf(stdout, "added file %s: look at it, then pin it with -pin-new\n", name)
		return false, true, nil
	case len(pinned.sections) > 0 && pinned.sections[0].fingerprint == now.fingerprint:
		return false, false, nil
	case len(pinned.sections) > 0 && !agreed:
		fmt.Fprintf(stdout, "changed file %s\n", name)
		return false, true, nil
	}
	now.reason = reason
	pinned.sections = []pinnedSection{now}
	return true, false, nil
}
