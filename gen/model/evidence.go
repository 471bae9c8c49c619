package model

import (
	"regexp"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// EvidencePage is what the emitter of EVIDENCE.md sees.
type EvidencePage struct {
	Documents []EvidenceCount
	Total     EvidenceCount
	Passed    []load.PassedLedger
	Reasons   load.Map[string] // for which a sentence asks nothing of this driver
	Departs   []EvidenceDeparture
}

// EvidenceCount counts the sentences of one document by their answers.
type EvidenceCount struct {
	Document                                          string
	Sentences, Table, Witnessed, Mutant, Unseen, None int
	Documented, NotApplicable, Departs, Open, Same    int
}

// EvidenceDeparture is a departure and the documents whose sentences it is about.
type EvidenceDeparture struct {
	load.Departure
	Documents []string
}

var (
	evidenceID    = regexp.MustCompile(`^[0-9a-f]{12}(?:/[2-9][0-9]?)?$`)
	evidencePrint = regexp.MustCompile(`^[0-9a-f]{12}$`)
)

// NewEvidence checks the form of the rows and counts them. Only specsync, which has a checkout, can tell whether the sentences and
// the tests that they name exist.
func NewEvidence(t *load.Tables) *EvidencePage {
	out := &EvidencePage{Passed: t.Ledger().Passed, Reasons: load.NotApplicable()}
	files := map[string]*load.Evidence{}
	for _, e := range t.Evidence() {
		files[e.Spec] = e
		for _, s := range e.Sections {
			for _, r := range s.Rows {
				checkEvidence(t, r)
			}
		}
	}
	departed := map[string][]string{}
	for _, l := range t.Ledger().Rows {
		c := EvidenceCount{Document: l.Document, Sentences: l.Sentences, Open: l.Open}
		if e := files[l.Document]; e != nil {
			c.add(e, departed)
		}
		out.Documents = append(out.Documents, c)
		out.Total.addCount(c)
	}
	for _, d := range t.Departures().Rows {
		out.Departs = append(out.Departs, EvidenceDeparture{d, departed[d.Anchor]})
	}
	return out
}

func (c *EvidenceCount) add(e *load.Evidence, departed map[string][]string) {
	for _, s := range e.Sections {
		for _, r := range s.Rows {
			n := r.Count()
			switch {
			case r.Table != "":
				c.Table += n
			case r.Users != "":
				c.Documented += n
			case r.NA != "":
				c.NotApplicable += n
			case r.Same != "":
				c.Same += n
			case r.Departs != "":
				c.Departs += n
				if !slices.Contains(departed[r.Departs], e.Spec) {
					departed[r.Departs] = append(departed[r.Departs], e.Spec)
				}
			case r.LacksWitness():
				c.None += n
			case r.Why != "":
				c.Unseen += n
			default:
				c.Witnessed += n
				if r.Mutant != "" {
					c.Mutant += n
				}
			}
		}
	}
}

func (c *EvidenceCount) addCount(d EvidenceCount) {
	c.Sentences += d.Sentences
	c.Table += d.Table
	c.Witnessed += d.Witnessed
	c.Mutant += d.Mutant
	c.Unseen += d.Unseen
	c.None += d.None
	c.Documented += d.Documented
	c.NotApplicable += d.NotApplicable
	c.Departs += d.Departs
	c.Open += d.Open
	c.Same += d.Same
}

// checkEvidence checks the form of one row.
func checkEvidence(t *load.Tables, r load.EvidenceRow) {
	answers := r.Answers()
	none := slices.Contains(r.Witness, "none")
	_, reasoned := load.NotApplicable().Get(r.NA)
	for _, problem := range []struct {
		wrong bool
		text  string
	}{
		{len(answers) != 1, "it needs exactly one of table, at, same, document, na and departs"},
		{(r.ID == "") == (r.Rest == 0), "it needs an id, or the number of sentences in the rest of the section"},
		{r.ID != "" && !evidenceID.MatchString(r.ID), "id needs 12 hexadecimal digits"},
		{(r.Rest > 0) != evidencePrint.MatchString(r.Print), "a row about the rest of a section needs print, 12 hexadecimal digits"},
		{r.Rest > 0 && r.Table == "" && r.NA == "" && r.Users == "", "the rest of a section needs a table, document or na"},
		{len(r.Function) > 0 && len(r.Witness) == 0, "at needs witness: tests or cases, or none"},
		{len(r.Function) == 0 && (len(r.Witness) > 0 || r.Mutant != ""), "witness and mutant belong to at"},
		{none && len(r.Witness) > 1, "witness is none, or names tests and cases"},
		{none && r.Mutant != "", "a mutant is found by a witness"},
		{r.Why != "" && !none, "why says for witness: none that no test can notice"},
		{r.NA != "" && !reasoned, "na is not one of the reasons"},
		{len(strings.Fields(r.Says)) > 12, "says has at most twelve words"},
	} {
		if problem.wrong {
			t.Problemf(r.At, "%s%s: %s", r.ID, r.Print, problem.text)
		}
	}
}
