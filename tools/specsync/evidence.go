package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// ledgerTable counts the normative sentences of the documents; the rows that answer them are in the folder beside it.
const ledgerTable = "evidence.yaml"

// evidence compares the normative sentences of a checkout with the rows that answer them.
type evidence struct {
	naming
	check  bool
	past   func(document, section string) []string // sentences as they were; nil if that is not known
	write  func(pendingFile)
	ledger *load.Ledger
	out    io.Writer
	moves  []string // proposals, as -move takes them
	behind bool
}

// compare reports sentences that no row answers, rows that answer none, and what rows name and does not exist. It counts
// the sentences that are open, and lowers the counts in the ledger.
func (e *evidence) compare() (behind bool, err error) {
	if !exists(os.DirFS(e.specs), ledgerTable) {
		return false, nil
	}
	e.read()
	if e.behind {
		return true, nil
	}
	names, err := e.library.specifications(e.from)
	if err != nil {
		return false, err
	}
	passed := map[string]bool{}
	for _, p := range e.ledger.Passed {
		passed[p.Document] = true
	}
	var counts []load.LedgerRow
	for _, name := range names {
		if passed[name] || !isBinding(name) {
			continue
		}
		count, err := e.checkDocument(name)
		if err != nil {
			return false, err
		}
		if count.Sentences > 0 {
			counts = append(counts, count)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.byPath)) {
		if !slices.ContainsFunc(counts, func(c load.LedgerRow) bool { return c.Document == name }) {
			e.reportf("error %s: %s has no sentences for it", e.byPath[name].File, name)
		}
	}
	if err := e.checkNames(); err != nil {
		return false, err
	}
	e.count(counts)
	e.printProposals()
	return e.behind, nil
}

// read reads the ledger and the rows.
func (e *evidence) read() {
	e.tables, e.byPath = load.NewTables(os.DirFS(e.specs)), map[string]*load.Evidence{}
	e.ledger = e.tables.Ledger()
	for _, file := range e.tables.Evidence() {
		if e.byPath[file.Spec] != nil {
			e.reportf("error %s: another file is about %s, too", file.File, file.Spec)
		}
		e.byPath[file.Spec] = file
	}
	for _, p := range e.tables.Problems() {
		e.reportf("error %s", p)
	}
}

// checkNames reports names in the rows of things that do not exist.
func (e *evidence) checkNames() error {
	if err := e.start(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(e.byPath)) {
		for _, s := range e.byPath[name].Sections {
			for _, r := range s.Rows {
				for _, what := range e.missingNames(e.byPath[name], r) {
					e.reportf("error %s:%d: there is no %s", r.At.File, r.At.Line, what)
				}
			}
		}
	}
	return nil
}

func (e *evidence) reportf(format string, args ...any) {
	fmt.Fprintf(e.out, format+"\n", args...)
	e.behind = true
}

// checkDocument matches the rows of a document with its sentences, section by section.
func (e *evidence) checkDocument(name string) (load.LedgerRow, error) {
	count := load.LedgerRow{Document: name}
	d, err := e.library.open(e.from, name)
	if err != nil {
		return count, err
	}
	l := lineUp(d, e.byPath[name])
	for _, n := range l.sentences {
		if n.must {
			count.Sentences++
		}
	}
	file := e.byPath[name]
	if file == nil {
		count.Open = count.Sentences
		return count, nil
	}
	for _, problem := range l.problems {
		e.reportf("%s", problem)
	}
	open := l.openSentences()
	count.Open = len(open)
	for _, s := range file.Sections {
		for _, r := range s.Rows {
			if r.LacksWitness() {
				count.None += r.Count()
			}
		}
	}
	edited := map[*normativeSentence]bool{} // what rows without a sentence probably answer
	for _, lost := range l.lost {
		edited[e.reportLost(file, l, lost)] = true
	}
	if was := e.ledgerRow(name); was != nil && was.Open < count.Open {
		for _, n := range open {
			near := ""
			if beside := l.nearestRow(file, n); !edited[n] && beside != nil {
				near = "; beside it: " + strings.TrimPrefix(e.leads(file, *beside), "; ")
			}
			e.reportf("evidence %s:%d, %q: no row of %s answers %s%s\n    + %s", name, n.line, n.section, file.File, n.id, near, n.text)
		}
	}
	return count, nil
}

// reportLost reports a row whose sentence is gone, with the places of its code and its tests. It returns the sentence that the
// old one has probably become.
func (e *evidence) reportLost(file *load.Evidence, l *matching, row lostRow) *normativeSentence {
	name := file.Spec
	fmt.Fprintf(e.out, "evidence %s:%d: %s, %q, has no sentence %s%s\n", row.At.File, row.At.Line, name, row.section, row.ID,
		e.leads(file, row.EvidenceRow))
	e.behind = true
	n := l.likelySuccessor(row, e.past(name, row.section))
	if n == nil {
		return nil
	}
	where := ""
	if n.section != row.section {
		where = fmt.Sprintf(" (in %q)", n.section)
	}
	fmt.Fprintf(e.out, "    ? %s:%d%s %s\n", name, n.line, where, n.text)
	e.moves = append(e.moves, fmt.Sprintf("%s, %s, %s -> %s, %s", name, row.section, row.ID, n.section, n.id))
	return n
}

// leads returns what somebody has to look at: the places of the row, and the places of the row that it calls the same.
func (e *evidence) leads(file *load.Evidence, r load.EvidenceRow) string {
	text := placesToRead(r)
	if same := e.rowOf(file, r.Same); same != nil {
		text += placesToRead(*same)
	}
	return text
}

func (e *evidence) ledgerRow(name string) *load.LedgerRow {
	i := slices.IndexFunc(e.ledger.Rows, func(r load.LedgerRow) bool { return r.Document == name })
	if i < 0 {
		return nil
	}
	return &e.ledger.Rows[i]
}

// count compares the counts with the ledger. It writes down those that fall, and leaves those that rise to people.
func (e *evidence) count(now []load.LedgerRow) {
	var risen, changed bool
	for _, c := range now {
		was := e.ledgerRow(c.Document)
		if was == nil {
			e.reportf("error specs/%s: it does not list %s, which has %d sentences", ledgerTable, c.Document, c.Sentences)
			risen = true
			continue
		}
		if c.Open > was.Open {
			e.reportf("error specs/%s:%d %s: %d sentences are open, and only %d may be", ledgerTable, was.At.Line, c.Document,
				c.Open, was.Open)
			risen = true
		}
		// An open sentence may turn out to have no witness.
		if may := was.None + max(was.Open-c.Open, 0); c.None > may {
			e.reportf("error specs/%s:%d %s: %d sentences have no witness, and only %d may have none", ledgerTable, was.At.Line,
				c.Document, c.None, may)
			risen = true
		}
		if c.Open != was.Open || c.None != was.None || c.Sentences != was.Sentences {
			changed = true
			fmt.Fprintf(e.out, "changed specs/%s:%d %s: sentences %d -> %d, open %d -> %d, none %d -> %d\n", ledgerTable,
				was.At.Line, c.Document, was.Sentences, c.Sentences, was.Open, c.Open, was.None, c.None)
		}
	}
	for _, was := range e.ledger.Rows {
		if !slices.ContainsFunc(now, func(c load.LedgerRow) bool { return c.Document == was.Document }) {
			changed = true
			fmt.Fprintf(e.out, "changed specs/%s:%d %s: it has no sentences any more\n", ledgerTable, was.At.Line, was.Document)
		}
	}
	e.behind = e.behind || changed && e.check
	if changed && !risen {
		e.writeCounts(now)
	}
}

// writeCounts puts the counts into the ledger, whose other lines stay.
func (e *evidence) writeCounts(now []load.LedgerRow) {
	name := path.Join(e.specs, ledgerTable)
	data, err := os.ReadFile(name)
	if err != nil {
		return // it has been read before
	}
	head, rest, _ := strings.Cut(string(data), "\nrows:\n")
	_, tail, _ := strings.Cut(rest, "\npassed:\n")
	text := head + "\nrows:\n"
	slices.SortFunc(now, func(a, b load.LedgerRow) int { return cmp.Compare(a.Document, b.Document) })
	for _, c := range now {
		text += fmt.Sprintf("  - {document: %s, sentences: %d, open: %d, none: %d}\n", c.Document, c.Sentences, c.Open, c.None)
	}
	e.write(pendingFile{name, []byte(text + "passed:\n" + tail)})
}

// printProposals prints the command that moves the rows whose sentences were edited.
func (e *evidence) printProposals() {
	if len(e.moves) == 0 {
		return
	}
	fmt.Fprintf(e.out, "to look at: %d rows; when the code does what a sentence says now, move its row, or write another:\n", len(e.moves))
	fmt.Fprintf(e.out, "  go run ./tools/specsync -from %s -because 'what you found'", shellQuote(e.from))
	for _, m := range e.moves {
		fmt.Fprintf(e.out, " \\\n    -move %s", shellQuote(m))
	}
	fmt.Fprintln(e.out)
}
