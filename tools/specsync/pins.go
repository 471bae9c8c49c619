package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// wholeDocument stands for all sections of a document that is new or gone, and for the only section of a file of data.
const wholeDocument = "the whole file"

// syncPins compares the sections of a checkout, and its files of data, with what UPSTREAM pins. Only an acknowledgement
// moves a pin: somebody has to read what a section says now.
func (s *session) syncPins(cited citations, stdout io.Writer) (behind bool, err error) {
	p, err := readPins(s.specs)
	if err != nil || p == nil {
		return false, err
	}
	if s.past.from == "" {
		s.past = history{from: s.from, commit: p.commit}
	}
	w := pinner{session: s, cited: cited, out: stdout}
	paths, err := s.library.filesOf(s.from, func(name string) bool { return isDocument(name) || isData(name) })
	if err != nil {
		return false, err
	}
	var kept []pinnedDocument
	for _, d := range p.documents {
		if slices.Contains(paths, d.path) {
			kept = append(kept, d)
			continue
		}
		agreed := w.isAgreed(d.path, wholeDocument)
		if !agreed || w.agree {
			w.report(d.path, wholeDocument, "removed %s %s%s", d.kind(), d.path, citedBy(w.allCitations(d.path)))
		}
		if !agreed {
			kept = append(kept, d)
		}
	}
	w.moved = len(kept) < len(p.documents)
	p.documents = kept
	for _, name := range paths {
		now, err := s.pinOf(name)
		if err != nil {
			return false, err
		}
		if was := p.find(name); was != nil {
			w.compare(was, now)
			continue
		}
		agreed := w.isAgreed(name, wholeDocument)
		if !agreed || w.agree {
			w.report(name, wholeDocument, "added %s %s", now.kind(), name)
		}
		if agreed {
			now.sections[0].reason = w.reason
			p.add(now)
			w.moved = true
		}
	}
	if w.moved {
		s.pins = p
	}
	return w.behind, nil
}

// pinOf returns the pins that a file would have now.
func (s *session) pinOf(name string) (pinnedDocument, error) {
	out := pinnedDocument{path: name}
	if !isDocument(name) {
		fingerprint, err := s.library.fingerprint(s.from, name)
		out.sections = []pinnedSection{{name: wholeDocument, fingerprint: fingerprint}}
		return out, err
	}
	d, err := s.library.open(s.from, name)
	if err == nil {
		out.sections = slices.Clone(s.library.fingerprints(d))
	}
	return out, err
}

// pinner compares pins and reports.
type pinner struct {
	*session
	cited         citations
	out           io.Writer
	reason        string // of the last acknowledgement
	moved, behind bool
}

func (w *pinner) isAgreed(path, section string) bool {
	reason, agreed := w.acknowledgementOf(path, section)
	w.reason = reason
	return agreed
}

// report reports something that somebody has to read and acknowledge, unless the run agrees to everything.
func (w *pinner) report(path, section, format string, args ...any) {
	fmt.Fprintf(w.out, format+"\n", args...)
	if name := path + ", " + section; !w.agree && !slices.Contains(w.unread, name) {
		w.unread = append(w.unread, name)
	}
	w.behind = w.behind || !w.agree
}

// allCitations returns the places that cite any section of a document.
func (w *pinner) allCitations(path string) []string {
	var out []string
	for _, places := range w.cited[path] {
		out = append(out, places...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// compare reports the sections of one document that differ, and moves the pins that somebody acknowledged.
func (w *pinner) compare(was *pinnedDocument, now pinnedDocument) {
	path := was.path
	agreed := map[string]bool{}
	ask := func(name string) bool {
		if w.isAgreed(path, name) {
			agreed[name], w.moved = true, true
		}
		return agreed[name]
	}
	moves := movedSections(was.sections, now.sections)
	for i := range now.sections {
		n := &now.sections[i]
		o, move := was.find(n.name), moves[n.name]
		if o != nil && o.fingerprint == n.fingerprint && move == "" {
			continue
		}
		if ask(n.name) {
			n.reason = w.reason
			if !w.agree {
				continue
			}
		}
		switch {
		case o == nil:
			w.report(path, n.name, "added section %s, %q", path, n.name)
		case move != "":
			w.report(path, n.name, "moved section %s, %q: %s%s", path, n.name, move, citedBy(w.cited[path][n.title()]))
		}
		if o != nil && o.fingerprint != n.fingerprint {
			w.reportChanged(was, &now, o, n)
		}
	}
	for _, o := range was.sections {
		if now.find(o.name) == nil && (!ask(o.name) || w.agree) {
			w.report(path, o.name, "removed section %s, %q%s", path, o.name, citedBy(w.cited[path][o.title()]))
		}
	}
	was.sections = settle(was.sections, now.sections, agreed)
	same := func(a, b pinnedSection) bool { return a.name == b.name }
	if slices.EqualFunc(was.sections, now.sections, same) {
		for i, n := range now.sections {
			was.sections[i].depth = n.depth // a section goes down with the one around it
		}
	}
}

// settle returns the pins of a document after somebody has acknowledged some sections: those are pinned as they are now, the
// others as they were.
func settle(was, now []pinnedSection, agreed map[string]bool) []pinnedSection {
	if len(agreed) == 0 {
		return was
	}
	var out []pinnedSection
	for _, o := range was {
		if !agreed[o.name] {
			out = append(out, o)
		}
	}
	for i, n := range now {
		if !agreed[n.name] {
			continue
		}
		at := 0
		for j := i - 1; j >= 0 && at == 0; j-- {
			at = 1 + slices.IndexFunc(out, func(s pinnedSection) bool { return s.name == now[j].name })
		}
		out = slices.Insert(out, at, n)
	}
	return out
}

// reportChanged reports a section that changed, who cites it, and its new sentences. Of the old ones it knows only the
// fingerprints, unless the checkout has the pinned commit or the sentence is now in another section.
func (w *pinner) reportChanged(was, now *pinnedDocument, o, n *pinnedSection) {
	path := was.path
	if !isDocument(path) {
		w.report(path, n.name, "changed file %s", path)
		return
	}
	d, err := w.library.open(w.from, path)
	if err != nil {
		return // it cannot fail: this run has read the document already
	}
	at := slices.IndexFunc(d.sections(), func(s span) bool { return s.name == n.name })
	s := d.sections()[at]
	w.report(path, n.name, "changed section %s:%d, %q%s", path, s.from, n.name, citedBy(w.cited[path][s.title]))
	gone := missingMembers(o.hashes, n.hashes)
	known := func(texts []string, where string) {
		for _, text := range texts {
			if i := slices.Index(gone, hashes([]string{text})[0]); i >= 0 {
				gone = slices.Delete(gone, i, i+1)
				fmt.Fprintf(w.out, "    - %s%s\n", text, where)
			}
		}
	}
	for i, other := range d.sections() {
		if before := was.find(other.name); other.name != n.name && len(gone) > 0 {
			var hashes []string
			if before != nil {
				hashes = before.hashes
			}
			if gained := missingMembers(now.sections[i].hashes, hashes); len(gained) > 0 {
				known(matchingSentences(d.sentences(other), gained), fmt.Sprintf(" (now in %q)", other.name))
			}
		}
	}
	known(w.past.sentences(path, n.name), "")
	if len(gone) > 0 {
		fmt.Fprintf(w.out, "    - (%d sentences)\n", len(gone))
	}
	for _, text := range matchingSentences(d.sentences(s), missingMembers(n.hashes, o.hashes)) {
		fmt.Fprintf(w.out, "    + %s\n", text)
	}
}

// matchingSentences returns the sentences with these fingerprints, each as often as its fingerprint occurs among them.
func matchingSentences(sentences, prints []string) []string {
	var out []string
	prints = slices.Clone(prints)
	for _, text := range sentences {
		if i := slices.Index(prints, hashes([]string{text})[0]); i >= 0 {
			prints = slices.Delete(prints, i, i+1)
			out = append(out, text)
		}
	}
	return out
}

// missingMembers returns the members of a that b lacks. A member that a has more often than b is missing as often.
func missingMembers(a, b []string) []string {
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
		return "; nothing cites it"
	}
	return "; cited by " + strings.Join(places, ", ")
}
