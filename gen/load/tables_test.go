package load

import (
	"strings"
	"testing"
	"testing/fstest"
)

// shelf is a table with a column of every kind.
type shelf struct {
	Header
	Rows []book `yaml:"rows"`
}

type book struct {
	Row
	Name    string   `yaml:"name"`
	Pages   int32    `yaml:"pages,optional"`
	Weight  float64  `yaml:"weight,optional"`
	Lent    bool     `yaml:"lent,optional"`
	Year    *int     `yaml:"year,optional"`
	Authors []string `yaml:"authors,optional"`
	Words   []Word   `yaml:"words,optional"`
	Notes   Map[any] `yaml:"notes,optional"`
	Loans   []loan   `yaml:"loans,optional"`
}

// loan is a row without the column doc.
type loan struct {
	To string `yaml:"to"`
}

const header = "table: shelf\ndoc: Books.\nspec: none\nrows:\n"

func readShelf(text string) (*shelf, *Tables) {
	t := NewTables(fstest.MapFS{"a/shelf.yaml": {Data: []byte(text)}})
	return Read[shelf](t, "a/shelf.yaml"), t
}

func TestReadFillsEveryColumn(t *testing.T) {
	s, tables := readShelf(header + `  - name: Go
    pages: 0x10
    weight: 1.5
    lent: true
    year: 2015
    authors: Alan
    words: [one, two]
    notes: {z: 1, a: text, m: false, b: 2.5}
    doc: A book.
    override: {row: ours, pages: counted}
`)
	if problems := tables.Problems(); len(problems) > 0 {
		t.Fatal(problems)
	}
	b := s.Rows[0]
	if b.At != (Pos{"specs/a/shelf.yaml", 5}) || b.Name != "Go" || b.Pages != 16 || b.Weight != 1.5 || !b.Lent || *b.Year != 2015 || b.Authors[0] != "Alan" {
		t.Errorf("got %+v", b)
	}
	if len(b.Words) != 2 || b.Words[1].Text != "two" || b.Words[1].At.Line != 11 {
		t.Errorf("words %+v", b.Words)
	}
	keys := ""
	for _, n := range b.Notes {
		keys += n.Key
	}
	if v, ok := b.Notes.Get("z"); keys != "zamb" || !ok || v != int64(1) {
		t.Errorf("notes %+v", b.Notes)
	}
}

func TestReadReportsWithFileAndLine(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
	}{
		{"syntax", "table: [", "specs/a/shelf.yaml:1: did not find expected node content"},
		{"nothing", "", "specs/a/shelf.yaml: the table is empty"},
		{"an unknown key", header + "  - {name: Go, doc: A., color: red}", "specs/a/shelf.yaml:5: unknown key color; the table knows spec, doc, override, document, name, pages, weight, lent, year, authors, words, notes, loans"},
		{"a new row of a list without docs", header + "  - {name: Go, doc: A., loans: [{to: Ada, doc: " + Unwritten + "}]}", "specs/a/shelf.yaml:5: write what this row is about, and remove its doc: rows of this list have none"},
		{"a key twice", header + "  - {name: Go, doc: A., name: C}", "specs/a/shelf.yaml:5: key name is written twice (line 5)"},
		{"a missing column", header + "  - {doc: A.}", "specs/a/shelf.yaml:5: name is missing"},
		{"a leading zero", header + "  - {name: Go, doc: A., pages: 007}", "specs/a/shelf.yaml:5: pages: 007 has a leading zero; write it in decimal or as 0x"},
		{"too large", header + "  - {name: Go, doc: A., pages: 0x1FFFFFFFF}", "specs/a/shelf.yaml:5: pages: 0x1FFFFFFFF does not fit 32 bits"},
		{"null for text", header + "  - {name: null, doc: A.}", "specs/a/shelf.yaml:5: name needs text, found nothing; quote it"},
		{"yes for true", header + "  - {name: Go, doc: A., lent: yes}", "specs/a/shelf.yaml:5: lent needs true or false, found str yes"},
		{"a word for a number", header + "  - {name: Go, doc: A., weight: much}", "specs/a/shelf.yaml:5: weight needs a number, found str much"},
		{"an override of nothing", header + "  - {name: Go, doc: A., override: {colour: no}}", "specs/a/shelf.yaml:5: override: there is no column colour"},
		{"a list for a mapping", header + "  - {name: Go, doc: A., notes: [a]}", "specs/a/shelf.yaml:5: a mapping is expected, not a list"},
		{"an anchor", header + "  - {name: &n Go, doc: A.}", "specs/a/shelf.yaml:5: name: anchors and aliases are not part of the table language"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, tables := readShelf(c.text)
			var got []string
			for _, p := range tables.Problems() {
				got = append(got, p.String())
			}
			if strings.Join(got, "\n") != c.want {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), c.want)
			}
		})
	}
}

func TestBrokenRowReportsNoFurtherProblems(t *testing.T) {
	s, tables := readShelf(header + "  - {name: 7, doc: A.}\n  - {name: Go, doc: A.}")
	for _, b := range s.Rows {
		tables.Problemf(b.At, "%q is no name", b.Name)
	}
	problems := tables.Problems()
	if len(problems) != 2 || problems[0].Text != "name needs text, found int 7; quote it" || problems[1].Text != `"Go" is no name` {
		t.Errorf("got %v", problems)
	}
}

func TestUnreadTablesAreListed(t *testing.T) {
	tables := NewTables(fstest.MapFS{
		"a/shelf.yaml":   {Data: []byte(header + "  []")},
		"a/other.yaml":   {Data: []byte("table: other")},
		"cases/one.yaml": {Data: []byte("a: 1")},
		"README.md":      {Data: []byte("# Tables")},
	})
	Read[shelf](tables, "a/shelf.yaml")
	Read[shelf](tables, "a/none.yaml")
	if got := tables.UnreadFiles("cases"); len(got) != 1 || got[0] != "a/other.yaml" {
		t.Errorf("unread %v", got)
	}
	if got := tables.Problems(); len(got) != 1 || got[0].String() != "specs/a/none.yaml: the table does not exist" {
		t.Errorf("problems %v", got)
	}
}

// If a table cannot be read, what other tables report about its missing rows would be noise.
func TestUnreadableTableIsReportedAlone(t *testing.T) {
	tables := NewTables(fstest.MapFS{"shelf.yaml": {Data: []byte("table: shelf\n\trows: []\n")}})
	Read[shelf](tables, "shelf.yaml")
	Read[shelf](tables, "cellar.yaml")
	tables.Problemf(Pos{File: "specs/attic.yaml", Line: 3}, "there is no book")
	var got []string
	for _, p := range tables.Problems() {
		got = append(got, p.String())
	}
	want := "specs/cellar.yaml: the table does not exist\nspecs/shelf.yaml:2: found a tab character that violates indentation"
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
