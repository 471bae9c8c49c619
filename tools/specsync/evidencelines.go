package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// matching holds the sentences of a document with the rows that answer them.
type matching struct {
	sentences []normativeSentence
	answered  map[string]bool // by place
	rest      map[string]bool // sections whose other sentences one row answers
	lost      []lostRow
	problems  []string
}

// lostRow is a row without a sentence, and the place of the last row before it that has one.
type lostRow struct {
	load.EvidenceRow
	section string
	after   int // index of the sentence of the row before it; -1 at the top of its section
}

func place(section, id string) string { return section + "\x00" + id }

// lineUp matches the sentences of a document with rows, which may be nil.
func lineUp(d *document, file *load.Evidence) *matching {
	l := &matching{sentences: d.normativeSentences(), answered: map[string]bool{}, rest: map[string]bool{}}
	if file == nil {
		return l
	}
	index := map[string]int{}
	for i, n := range l.sentences {
		index[place(n.section, n.id)] = i
	}
	last := -1
	for _, s := range file.Sections {
		after := -1
		for _, r := range s.Rows {
			if r.Rest > 0 {
				continue
			}
			at, there := index[place(s.Section, r.ID)]
			switch {
			case !there:
				l.lost = append(l.lost, lostRow{r, s.Section, after})
				continue
			case l.answered[place(s.Section, r.ID)]:
				l.problemf(r, "another row answers %s, too", r.ID)
			case at < last:
				l.problemf(r, "%s comes before the row above it in %s", r.ID, file.Spec)
			}
			after, last = at, max(at, last)
			l.answered[place(s.Section, r.ID)] = true
		}
	}
	for _, s := range file.Sections {
		for _, r := range s.Rows {
			if r.Rest > 0 {
				l.checkRest(s.Section, r)
			}
		}
	}
	return l
}

func (l *matching) problemf(r load.EvidenceRow, format string, args ...any) {
	l.problems = append(l.problems, fmt.Sprintf("error %s:%d: ", r.At.File, r.At.Line)+fmt.Sprintf(format, args...))
}

// checkRest checks a row about all sentences of a section that have no row of their own. The row says how many there are, and has
// their fingerprint.
func (l *matching) checkRest(section string, r load.EvidenceRow) {
	var ids []string
	for _, n := range l.sentences {
		if n.section == section && n.must && !l.answered[place(section, n.id)] {
			ids = append(ids, n.id)
		}
	}
	if l.rest[section] {
		l.problemf(r, "another row answers the rest of %q, too", section)
	}
	l.rest[section] = true
	if printed := fingerprintOf(ids); len(ids) != r.Rest || printed != r.Print {
		l.problemf(r, "the rest of %q is now rest: %d, print: %q%s", section, len(ids), printed, placesToRead(r))
	}
}

// fingerprintOf returns the fingerprint of several sentences.
func fingerprintOf(ids []string) string {
	sum := sha256.Sum256([]byte(strings.Join(ids, " ")))
	return hex.EncodeToString(sum[:6])
}

// openSentences returns the sentences that need a row and have none.
func (l *matching) openSentences() []*normativeSentence {
	var out []*normativeSentence
	for i := range l.sentences {
		if n := &l.sentences[i]; n.must && !l.rest[n.section] && !l.answered[place(n.section, n.id)] {
			out = append(out, n)
		}
	}
	return out
}

// nearestRow returns the row that stands nearest to a sentence: the last one before it in its section, else the first
// one after it, else the last one before the section.
func (l *matching) nearestRow(file *load.Evidence, n *normativeSentence) *load.EvidenceRow {
	rows := map[string]*load.EvidenceRow{}
	for _, s := range file.Sections {
		for i := range s.Rows {
			rows[place(s.Section, s.Rows[i].ID)] = &s.Rows[i]
		}
	}
	var before, behind, outside *load.EvidenceRow
	passed := false
	for i := range l.sentences {
		other := &l.sentences[i]
		passed = passed || other == n
		row := rows[place(other.section, other.id)]
		switch {
		case row == nil:
		case !passed && other.section == n.section:
			before = row
		case !passed:
			outside = row
		case behind == nil && other.section == n.section:
			behind = row
		}
	}
	return cmp.Or(before, behind, outside)
}

// likelySuccessor returns the sentence that a row's sentence has probably become. That is the same sentence in another section.
// Without one, it is a sentence without a row: the one that shares most words with the old text, if that is known, or else the
// one nearest to the old place.
func (l *matching) likelySuccessor(row lostRow, old []string) *normativeSentence {
	var free []int
	for i, n := range l.sentences {
		if l.answered[place(n.section, n.id)] {
			continue
		}
		if bareID(n.id) == bareID(row.ID) {
			return &l.sentences[i]
		}
		if n.section == row.section {
			free = append(free, i)
		}
	}
	if len(free) == 0 {
		return nil
	}
	// Few sentences with SHOULD have rows.
	if must := slices.DeleteFunc(slices.Clone(free), func(i int) bool { return !l.sentences[i].must }); len(must) > 0 {
		free = must
	}
	was := oldText(row.ID, old)
	best := slices.MinFunc(free, func(a, b int) int {
		if was != "" {
			return similarity(was, l.sentences[b].text) - similarity(was, l.sentences[a].text)
		}
		return distance(a, row.after) - distance(b, row.after)
	})
	return &l.sentences[best]
}

func bareID(id string) string { id, _, _ = strings.Cut(id, "/"); return id }

// distance returns how far a sentence stands after another one. Sentences before it count as farther than all after it.
func distance(i, after int) int {
	if i > after {
		return i - after
	}
	return 1000 + after - i
}

// oldText returns the sentence of an id, if it is among the old sentences of the section.
func oldText(id string, old []string) string {
	for _, text := range old {
		for _, sentence := range split(stripMarkup(strings.TrimLeft(text, "- 1.>"))) {
			if sum := sha256.Sum256([]byte(sentence)); hex.EncodeToString(sum[:6]) == bareID(id) {
				return sentence
			}
		}
	}
	return ""
}

// similarity says how alike two sentences are: two points for each word in common, less one for each word that only one has.
func similarity(a, b string) int {
	words := strings.Fields(a)
	count := 0
	for _, w := range strings.Fields(b) {
		if i := slices.Index(words, w); i >= 0 {
			words = slices.Delete(words, i, i+1)
			count += 2
		} else {
			count--
		}
	}
	return count - len(words)
}

// placesToRead names the functions and the tests that somebody who reads the new sentence has to look at.
func placesToRead(r load.EvidenceRow) string {
	text := ""
	for _, part := range []struct{ before, text string }{
		{"look at", strings.Join(r.Function, ", ")}, {"its tests are", strings.Join(r.Witness, ", ")},
		{"the table is", r.Table}, {"the same as", r.Same}, {"users read", r.Users}, {"it did not apply:", r.NA},
		{"the driver departs:", r.Departs},
	} {
		if part.text != "" {
			text += "; " + part.before + " " + part.text
		}
	}
	return text
}
