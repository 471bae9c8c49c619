package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const ledgerDocument = `# Shop

## Goods

The shop MUST sell apples. It MUST weigh each apple. It SHOULD sell pears.

## Prices

A price MUST be a number. A price MUST NOT be negative.
`

// writeLedger writes a document, its rows, and a module with the Go code that they name.
func writeLedger(t *testing.T, document, counts string, rows ...string) (from, root string) {
	t.Helper()
	from, root = t.TempDir(), t.TempDir()
	write(t, filepath.Join(from, "source", "shop", "shop.md"), document)
	specs := filepath.Join(root, "specs")
	write(t, filepath.Join(specs, "evidence.yaml"), "table: evidence\ndoc: d\nspec: none\nrows:\n"+
		"  - {document: shop/shop.md, "+counts+"}\npassed:\n  - {document: x.md, why: no}\n")
	write(t, filepath.Join(specs, "departures.yaml"), "table: departures\ndoc: d\nspec: none\nrows:\n"+
		"  - {anchor: no-pears, title: t, spec: s, doc: d, reason: r}\n")
	write(t, filepath.Join(specs, "documentation.yaml"), "table: documentation\ndoc: d\nspec: none\nrows: []\n")
	write(t, filepath.Join(specs, testPins), "")
	write(t, filepath.Join(specs, "goods.yaml"), "rows:\n  - {name: apple}\n")
	write(t, filepath.Join(root, "shop", "sell.go"), "package shop\n\nfunc Sell() {}\n\nfunc (s *Scale) Weigh() {}\n")
	write(t, filepath.Join(root, "shop", "sell_test.go"), "package shop\n\nfunc TestSell(t *testing.T) {}\n")
	if len(rows) > 0 {
		write(t, filepath.Join(specs, "evidence", "shop.yaml"), "table: evidence-shop\ndoc: d\nspec: shop/shop.md\nsections:\n"+
			strings.Join(rows, "\n")+"\n")
	}
	return from, root
}

// idOf returns the identifier of the sentence that begins with some words.
func idOf(t *testing.T, document, words string) string {
	t.Helper()
	for _, n := range sentencesOf(document) {
		if strings.HasPrefix(n.text, words) {
			return n.id
		}
	}
	t.Fatalf("no sentence begins with %q", words)
	return ""
}

func filled(t *testing.T) []string {
	t.Helper()
	id := func(words string) string { return idOf(t, ledgerDocument, words) }
	return []string{
		"  - section: \"Goods\"", "    rows:",
		fmt.Sprintf(`      - {id: %q, at: shop.Sell, witness: shop.TestSell}`, id("The shop")),
		fmt.Sprintf(`      - {id: %q, at: [shop.Sell, shop.Scale.Weigh], witness: none}`, id("It MUST")),
		fmt.Sprintf(`      - {id: %q, departs: no-pears}`, id("It SHOULD")),
		"  - section: \"Prices\"", "    rows:",
		fmt.Sprintf(`      - {rest: 2, print: %q, table: goods.yaml apple}`, fingerprintOf([]string{id("A price MUST be"), id("A price MUST NOT")})),
	}
}

const fullCounts = "sentences: 4, open: 0, none: 1"

func look(t *testing.T, from, root string, check bool) (int, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(options{from: from, specs: filepath.Join(root, "specs"), check: check}, nil, &stdout, &stderr)
	return code, strings.ReplaceAll(stdout.String()+stderr.String(), from, "FROM")
}

func TestEvidence(t *testing.T) {
	rows := filled(t)
	swap := func(old, with string) []string {
		text := strings.Join(rows, "\n")
		if !strings.Contains(text, old) {
			t.Fatalf("no row says %s", old)
		}
		return strings.Split(strings.Replace(text, old, with, 1), "\n")
	}
	for _, test := range []struct {
		name, document, counts string
		rows                   []string
		code                   int
		want                   string
	}{
		{name: "every sentence has its row", rows: rows},
		{name: "no rows yet", counts: "sentences: 4, open: 4, none: 0"},
		{name: "rows of an open document", rows: rows[:4], counts: "sentences: 4, open: 2, none: 1"},
		{name: "a reflowed document", rows: rows, document: strings.ReplaceAll(ledgerDocument, " MUST ", "\n**MUST**\n")},
		{name: "a sentence without a row", rows: rows[:3], counts: "sentences: 4, open: 2, none: 1", code: 1,
			want: "evidence shop/shop.md:5, \"Goods\": no row of specs/evidence/shop.yaml answers " + idOf(t, ledgerDocument, "It MUST")},
		{name: "a new sentence", rows: rows, document: strings.Replace(ledgerDocument, "It SHOULD", "It MUST sell figs. It SHOULD", 1),
			code: 1, want: "    + It MUST sell figs.\n"},
		{name: "an edited sentence", rows: rows, document: strings.Replace(ledgerDocument, "sell apples", "sell red apples", 1), code: 1,
			want: "has no sentence " + idOf(t, ledgerDocument, "The shop") + "; look at shop.Sell; its tests are shop.TestSell\n" +
				"    ? shop/shop.md:5 The shop MUST sell red apples.\n"},
		{name: "a sentence without a row, and the row beside it", rows: rows[:3], counts: "sentences: 4, open: 2, none: 1", code: 1,
			want: "answers " + idOf(t, ledgerDocument, "It MUST") + "; beside it: look at shop.Sell; its tests are shop.TestSell\n"},
		{name: "a new sentence at the top of a section", rows: rows, code: 1, want: "; beside it: look at shop.Sell; its tests are shop.TestSell\n",
			document: strings.Replace(ledgerDocument, "The shop MUST sell", "There MUST be a door. The shop MUST sell", 1)},
		{name: "an edited sentence that another row is the same as", rows: swap("departs: no-pears", `same: "`+idOf(t, ledgerDocument, "The shop")+`"`),
			code: 1, document: strings.Replace(ledgerDocument, "It SHOULD sell", "It SHOULD buy", 1),
			want: "; the same as " + idOf(t, ledgerDocument, "The shop") + "; look at shop.Sell; its tests are shop.TestSell\n"},
		{name: "an edited sentence behind a recommendation", rows: rows, code: 1, want: "    ? shop/shop.md:5 The shop MUST sell red apples.\n",
			document: strings.Replace(ledgerDocument, "The shop MUST sell apples", "It SHOULD open. The shop MUST sell red apples", 1)},
		{name: "an edited sentence among the rest", rows: rows, document: strings.Replace(ledgerDocument, "negative", "odd", 1), code: 1,
			want: "the rest of \"Prices\" is now rest: 2, print: "},
		{name: "a missing function", rows: swap("shop.Scale.Weigh", "shop.Scale.Read"), code: 1, want: "there is no function shop.Scale.Read\n"},
		{name: "a missing test", rows: swap("shop.TestSell", "shop.TestBuy"), code: 1, want: "there is no test or case shop.TestBuy\n"},
		{name: "a missing case", rows: swap("shop.TestSell", "shop/tests/sell.json"), code: 1, want: "there is no test or case shop/tests/sell.json\n"},
		{name: "a missing row", rows: swap("goods.yaml apple", "goods.yaml pear"), code: 1, want: "there is no row or table goods.yaml pear\n"},
		{name: "a missing table", rows: swap("goods.yaml apple", "wares.yaml"), code: 1, want: "there is no row or table wares.yaml\n"},
		{name: "a missing departure", rows: swap("no-pears", "no-figs"), code: 1, want: "there is no departure no-figs\n"},
		{name: "a missing answer", rows: swap("departs: no-pears", `same: "0123456789ab"`), code: 1, want: "there is no row 0123456789ab\n"},
		{name: "one witness less", rows: swap("witness: shop.TestSell", "witness: none"), code: 1,
			want: "shop/shop.md: 2 sentences have no witness, and only 1 may have none\n"},
		{name: "one witness more", rows: swap("witness: none", "witness: shop.TestSell"), code: 1, want: "none 1 -> 0\n"},
		{name: "another order", rows: append([]string{rows[0], rows[1], rows[3], rows[2]}, rows[4:]...), code: 1, want: " comes before the row above it"},
		{name: "the same twice", rows: append([]string{rows[0], rows[1], rows[2], rows[2]}, rows[3:]...), code: 1, want: "another row answers "},
		{name: "a mistyped column", rows: swap("departs:", "department:"), code: 1, want: "unknown key department"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.document == "" {
				test.document = ledgerDocument
			}
			if test.counts == "" {
				test.counts = fullCounts
			}
			from, root := writeLedger(t, test.document, test.counts, test.rows...)
			code, out := look(t, from, root, true)
			if code != test.code || !strings.Contains(out, test.want) || test.code == 0 && out != "" {
				t.Errorf("exit %d, want %d with %q\n%s", code, test.code, test.want, out)
			}
		})
	}
}

func TestCountsFallByThemselves(t *testing.T) {
	from, root := writeLedger(t, ledgerDocument, "sentences: 3, open: 9, none: 9", filled(t)...)
	if code, out := look(t, from, root, false); code != 0 || !strings.Contains(out, "open 9 -> 0, none 9 -> 1") {
		t.Fatalf("exit %d\n%s", code, out)
	}
	if code, out := look(t, from, root, true); code != 0 || out != "" {
		t.Errorf("it is not at rest: exit %d\n%s", code, out)
	}
	text, err := os.ReadFile(filepath.Join(root, "specs", "evidence.yaml"))
	if err != nil || !strings.Contains(string(text), "  - {document: shop/shop.md, "+fullCounts+"}\npassed:\n  - {document: x.md, why: no}\n") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestMoveKeepsTheWitness(t *testing.T) {
	for _, test := range []struct{ name, document, begins, section string }{
		{"edited", strings.Replace(ledgerDocument, "sell apples", "sell red apples", 1), "The shop MUST sell red", "Goods"},
		{"in another section", strings.Replace(strings.Replace(ledgerDocument, "The shop MUST sell apples. ", "", 1),
			"A price MUST be", "The shop MUST sell apples. A price MUST be", 1), "The shop", "Prices"},
		{"in a new section", strings.Replace(ledgerDocument, "The shop MUST sell apples.", "It is old.", 1) +
			"\n## Fruit\n\nThe shop MUST sell red apples.\n", "The shop", "Fruit"},
	} {
		t.Run(test.name, func(t *testing.T) {
			from, root := writeLedger(t, test.document, fullCounts, filled(t)...)
			old, now := idOf(t, ledgerDocument, "The shop"), idOf(t, test.document, test.begins)
			o := options{from: from, specs: filepath.Join(root, "specs")}
			arrow := fmt.Sprintf("shop/shop.md, Goods, %s -> %s, %s", old, test.section, now)
			if _, err := parseMovements([]string{arrow}, ""); err == nil {
				t.Error("it asks for no reason")
			}
			list, err := parseMovements([]string{arrow}, `the "colour" is new`)
			if err != nil {
				t.Fatal(err)
			}
			if err := o.move(list); err != nil {
				t.Fatal(err)
			}
			if code, out := look(t, from, root, true); code != 0 || out != "" {
				t.Errorf("exit %d\n%s", code, out)
			}
			text, err := os.ReadFile(filepath.Join(root, "specs", "evidence", "shop.yaml"))
			row := fmt.Sprintf(`      - {id: %q, at: shop.Sell, witness: shop.TestSell, moved: "the \"colour\" is new"}`, now)
			if err != nil || !strings.Contains(string(text), row+"\n") {
				t.Errorf("%v, want %s in\n%s", err, row, text)
			}
			if err := o.move(list); err == nil {
				t.Error("it moves a row that is not there")
			}
		})
	}
}
