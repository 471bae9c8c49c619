package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

const stallDocument = "\n## Stall\n\n| Wood | Nails |\n| --- | --- |\n| oak | 9 |\n\n```\nclass Till {\n```\n"

// TestUnread: whatever is neither read nor listed is reported, and so is a row that lists nothing.
func TestUnread(t *testing.T) {
	const (
		table = "tables:\n  - {document: shop.md, columns: [Wood, Nails], why: \"Nobody builds stalls.\"}\n"
		till  = "declarations:\n  - {document: shop.md, names: [Till], why: \"It is a drawer.\"}\n"
	)
	for _, c := range []struct {
		name, document, rows, err string
	}{
		{name: "listed", rows: table + till},
		{name: "listed with its section", rows: strings.Replace(table, "columns", "sections: [Stall], columns", 1) + till},
		{
			name: "nothing is listed", rows: "tables: []\ndeclarations: []\n",
			err: "shop.md:18: no table mirrors Till\nshop.md:13: no reader reads the table with the columns Wood|Nails\n",
		},
		{
			name: "another document of which nothing is read", document: "# Yard\n\n| Stone |\n| --- |\n| slate |\n", rows: table + till,
			err: "yard/tests/yard.md:3: no reader reads the table with the columns Stone\n",
		},
		{
			name: "all tables of a document", document: "# Yard\n\n| Stone |\n| --- |\n| slate |\n\n# Heap\n\n| Sand |\n",
			rows: table + "  - {document: yard/tests/yard.md, why: \"It is outside.\"}\n" + till,
		},
		{
			name: "other columns", rows: strings.Replace(table, "Nails", "Glue", 1) + till,
			err: "specs/sync/unread.yaml:5: shop.md has no table that this row could list\n" +
				"shop.md:13: no reader reads the table with the columns Wood|Nails\n",
		},
		{
			name: "a section without such a table", rows: strings.Replace(table, "columns", "sections: [Stall, Goods], columns", 1) + till,
			err: "specs/sync/unread.yaml:5: the section \"Goods\" of shop.md has no table that this row could list\n",
		},
		{
			name: "a table that is read", rows: table + "  - {document: shop.md, columns: [Good, Code], why: \"Nobody reads it.\"}\n" + till,
			err: "specs/sync/unread.yaml:6: shop.md has no table that this row could list\n",
		},
		{
			name: "columns that could be those of a table that is read", rows: strings.Replace(table, "columns: [Wood, Nails]", "sections: [Stall]", 1) + till,
			err: "specs/sync/unread.yaml:5: other tables of shop.md are read; name the columns of those that are not\n",
		},
		{
			name: "a document that is gone", rows: table + "  - {document: mill.md, why: \"It grinds on.\"}\n" + till,
			err: "specs/sync/unread.yaml:6: mill.md has no table that this row could list\n",
		},
		{
			name: "declarations that are gone", rows: table + strings.Replace(till, "Till]", "Till, Purse]", 1),
			err: "specs/sync/unread.yaml:7: the reason why nothing mirrors shop.md Purse is out of date\n",
		},
		{
			name: "two reasons", rows: table + till + "  - {document: shop.md, names: [Till], why: \"It is shut.\"}\n",
			err: "specs/sync/unread.yaml:8: shop.md Till has a reason in specs/sync/unread.yaml:7 already\n",
		},
		{
			name: "no reason", rows: strings.Replace(table, "Nobody builds stalls.", "prose", 1) + till,
			err: "specs/sync/unread.yaml:5: why is a sentence that ends with a full stop, not \"prose\"\n",
		},
		{
			name: "a column that the list does not have", rows: strings.Replace(table, "columns", "colums", 1) + till,
			err: "specs/sync/unread.yaml:5: unknown key colums; the table knows document, sections, columns, why\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, specs := writeMiniature(t, shopDocument+stallDocument, shopTable)
			files := map[string]string{filepath.Join(specs, unreadFile): "table: unread\ndoc: What is not read.\nspec: none\n" + c.rows}
			if c.document != "" {
				files[filepath.Join(from, "source/yard/tests/yard.md")] = c.document
			}
			for name, text := range files {
				write(t, name, text)
			}
			var stdout, stderr bytes.Buffer
			l := newLibrary()
			code := run(options{from: from, specs: specs, library: l, check: true}, []reader{readShop, readNothingElse(from, specs, l)}, &stdout, &stderr)
			if got := stderr.String(); got != c.err || (code == 2) != (stderr.Len() > 0) {
				t.Errorf("exit %d, got\n%swant\n%s", code, got, c.err)
			}
		})
	}
}
