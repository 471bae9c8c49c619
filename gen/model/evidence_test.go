package model

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/specdrivers/onion/gen/load"
)

// evidenceOf builds the page of one document with six sentences from the rows of one section.
func evidenceOf(rows string) (*EvidencePage, []load.Problem) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte("doc: d\n" + text)} }
	t := load.NewTables(fstest.MapFS{
		"evidence.yaml": file("table: evidence\nspec: none\nrows:\n  - {document: a.md, sentences: 6, open: 1, none: 1}\n" +
			"  - {document: b.md, sentences: 3, open: 3, none: 0}\npassed: []\n"),
		"evidence/a.yaml": file("table: evidence-a\nspec: a.md\nsections:\n  - section: A\n    rows:\n" + rows),
		"departures.yaml": file("table: departures\nspec: none\nrows:\n  - {anchor: x, title: T, spec: s, doc: d, reason: r}\n"),
	})
	return NewEvidence(t), t.Problems()
}

func TestEvidenceCountsEachKindOfAnswer(t *testing.T) {
	page, problems := evidenceOf(`      - {id: "000000000001", at: a.F, witness: a.TestF, mutant: a.TestM}
      - {id: "000000000002", at: a.F, witness: none}
      - {id: "000000000003", at: a.F, witness: none, why: nobody sees it}
      - {id: "000000000003/2", departs: x}
      - {rest: 3, print: "00000000000a", table: t.yaml}
`)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := EvidenceCount{Document: "a.md", Sentences: 6, Table: 3, Witnessed: 1, Mutant: 1, Unseen: 1, None: 1, Departs: 1, Open: 1}
	if page.Documents[0] != want {
		t.Errorf("%+v, want %+v", page.Documents[0], want)
	}
	if page.Total.Sentences != 9 || page.Total.Open != 4 || page.Total.Table != 3 {
		t.Errorf("%+v", page.Total)
	}
	if d := page.Departs; len(d) != 1 || strings.Join(d[0].Documents, " ") != "a.md" {
		t.Errorf("%+v", d)
	}
}

func TestMistakesInEvidenceAreRefused(t *testing.T) {
	for row, want := range map[string]string{
		`id: "000000000001"`:                            "exactly one of",
		`id: "000000000001", na: server, table: x.yaml`: "exactly one of",
		`na: server`: "it needs an id",
		`id: "000000000001", rest: 2, print: "00000000000a", na: server`:  "it needs an id",
		`id: "00000000001", na: server`:                                   "12 hexadecimal digits",
		`id: "000000000001", na: dull`:                                    "not one of the reasons",
		`id: "000000000001", at: a.F`:                                     "at needs witness",
		`id: "000000000001", at: a.F, witness: [none, a.TestF]`:           "witness is none, or",
		`id: "000000000001", at: a.F, witness: none, mutant: m`:           "found by a witness",
		`id: "000000000001", at: a.F, witness: a.TestF, why: w`:           "why says",
		`id: "000000000001", na: server, witness: a.TestF`:                "belong to at",
		`rest: 2, na: server`:                                             "needs print",
		`rest: 2, print: "00000000000a", at: a.F, witness: none`:          "needs a table",
		`id: "000000000001", na: server, says: a b c d e f g h i j k l m`: "twelve words",
	} {
		_, problems := evidenceOf("      - {" + row + "}\n")
		if len(problems) != 1 || !strings.Contains(problems[0].String(), want) {
			t.Errorf("%s: %v, want %s", row, problems, want)
		}
	}
}
