package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeMiniature writes a document and a table file into fresh directories.
func writeMiniature(t *testing.T, document, tableFile string) (from, specs string) {
	t.Helper()
	from, specs = t.TempDir(), t.TempDir()
	write(t, filepath.Join(from, "source", "shop.md"), document)
	write(t, filepath.Join(specs, "shop.yaml"), tableFile)
	return from, specs
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readShop reads a miniature table: a good, its code and its class.
func readShop(open func(string) (*document, error)) ([]table, error) {
	d, err := open("shop.md")
	if err != nil {
		return nil, err
	}
	at, err := d.section("Goods", 0)
	if err != nil {
		return nil, err
	}
	rows, err := d.table(at, "Good", "Code")
	if err != nil {
		return nil, err
	}
	goods := table{file: "shop.yaml", list: "rows", key: "good"}
	cheap := table{file: "shop.yaml", list: "rows", key: "good", members: "classes", member: "Cheap"}
	for _, r := range rows {
		name, err := d.codeText(r, 0)
		if d.note(err) {
			continue
		}
		x := row{key: name, facts: []fact{{"good", name}, {"code", r.cells[1]}}}
		goods.rows = append(goods.rows, x)
		if name != "lamp" {
			cheap.rows = append(cheap.rows, row{key: name})
		}
	}
	return []table{goods, cheap}, nil
}

const shopDocument = "# Shop\n\n## Goods\n\n| Good | Code |\n| --- | --- |\n| `apple` | 1 |\n| `bread` | 2 |\n| `lamp` | 7 |\n"

const shopTable = `# A comment that stays.
table: shop
rows:
  - {good: apple, code: 1, classes: [Cheap], doc: "Apple grows."}
  - good: bread
    code: 2
    classes: [Fresh, Cheap]
    doc: Bread is baked. # stays
  - good: lamp
    code: 8
    doc: Lamp shines.
    override:
      code: upstream counts wrongly
`

func TestRun(t *testing.T) {
	for _, test := range []struct {
		name          string
		document      string
		table         string
		code          int
		out, err      string
		accept        []string
		want, wantNot string // in the table afterwards
	}{
		{name: "nothing to do", document: shopDocument, table: shopTable},
		{
			name:     "a changed value",
			document: strings.Replace(shopDocument, "`bread` | 2", "`bread` | 3", 1), table: shopTable,
			out:  "changed specs/shop.yaml:6 bread code: 2 -> 3\n",
			want: "  - good: bread\n    code: 3\n    classes: [Fresh, Cheap]\n    doc: Bread is baked. # stays\n",
		},
		{
			name:     "a changed value within braces",
			document: strings.Replace(shopDocument, "`apple` | 1", "`apple` | 10", 1), table: shopTable,
			out:  "changed specs/shop.yaml:4 apple code: 1 -> 10\n",
			want: "  - {good: apple, code: 10, classes: [Cheap], doc: \"Apple grows.\"}\n",
		},
		{
			name:     "a text that looks like a number",
			document: strings.Replace(shopDocument, "`bread` | 2", "`bread` | 3", 1), table: strings.Replace(shopTable, "code: 2", `code: "2"`, 1),
			out:  "changed specs/shop.yaml:6 bread code: 2 -> 3\n",
			want: "    code: \"3\"\n",
		},
		{
			name:     "a new row",
			document: shopDocument + "| `soap` | 9 |\n", table: shopTable,
			out: "added specs/shop.yaml soap; write the columns that are ours\n" +
				"changed specs/shop.yaml soap: classes gains Cheap\n" +
				"unwritten specs/shop.yaml:17: write what this row is about, and the columns that upstream does not have\n",
			want: "      code: upstream counts wrongly\n  - good: soap\n    classes: [Cheap]\n    code: 9\n    doc: \"Write what this row is about.\"\n",
			code: 1,
		},
		{
			name:     "a row that is gone",
			document: strings.Replace(shopDocument, "| `apple` | 1 |\n", "", 1), table: shopTable,
			out:     "removed specs/shop.yaml:4 apple\n",
			accept:  []string{"shop.yaml apple"},
			wantNot: "apple",
		},
		{
			name:     "a row that is gone and that nobody named",
			document: strings.Replace(shopDocument, "| `apple` | 1 |\n", "", 1), table: shopTable,
			out: "removed specs/shop.yaml:4 apple; override: {row: \"why it is ours\"} in the row keeps it, -accept takes it out with " +
				"good: apple, code: 1, classes: [Cheap], doc: Apple grows.\n" +
				"to take out, unless a row is ours: 1; all at once, or those that you name:\n  go run ./tools/specsync -from 'FROM' \\\n" +
				"    -accept 'shop.yaml apple'\n",
			want: shopTable,
			code: 1,
		},
		{
			name:     "an unreadable row hides no other",
			document: strings.Replace(shopDocument, "`apple` | 1", "`apple` or more | 1", 1) + "| `soap` | 9 |\n", table: shopTable,
			out:  "added specs/shop.yaml soap; write the columns that are ours\nchanged specs/shop.yaml soap: classes gains Cheap\n",
			err:  "shop.md:7: \"`apple` or more\" is not one name in the typeface of code\n",
			want: shopTable,
			code: 2,
		},
		{
			name:     "another table",
			document: shopDocument + "\n| Good | Price | Code |\n| --- | --- | --- |\n| `soap` | 1 | 9 |\n", table: shopTable,
			err:  "shop.md:11: no reader reads the table with the columns Good|Price|Code\n",
			want: shopTable,
			code: 2,
		},
		{
			name:     "a class that a row loses",
			document: shopDocument, table: strings.Replace(shopTable, "code: 8\n", "code: 8\n    classes: [Cheap, Bright]\n", 1),
			out:  "changed specs/shop.yaml:9 lamp: classes loses Cheap\n",
			want: "    classes: [Bright]\n",
		},
		{
			name:     "a class that a row gains",
			document: shopDocument, table: strings.Replace(shopTable, ", classes: [Cheap]", "", 1),
			out:  "changed specs/shop.yaml:4 apple: classes gains Cheap\n",
			want: "{good: apple, classes: [Cheap], code: 1, doc: \"Apple grows.\"}",
		},
		{
			name:     "an override whose reason is gone",
			document: strings.Replace(shopDocument, "`lamp` | 7", "`lamp` | 8", 1), table: shopTable,
			code: 1,
			out:  "error specs/shop.yaml lamp: the override of code no longer differs from upstream\n",
		},
		{
			name:     "a class that a row lacks on purpose",
			document: shopDocument, table: strings.Replace(shopTable, "classes: [Fresh, Cheap]", "classes: [Fresh]\n    override: {classes: \"Cheap: bread is dear\"}", 1),
		},
		{
			name:     "a class that a row has on purpose, as upstream",
			document: shopDocument, table: strings.Replace(shopTable, "classes: [Cheap], doc: \"Apple grows.\"", "classes: [Cheap], doc: \"Apple grows.\", override: {classes: \"Cheap: apples are\"}", 1),
			code: 1,
			out:  "error specs/shop.yaml apple: the override of classes no longer differs from upstream\n",
		},
		{
			name:     "a row that appears twice",
			document: shopDocument, table: strings.Replace(shopTable, "  - good: bread\n", "  - {good: apple, code: 1, classes: [Cheap]}\n  - good: bread\n", 1),
			code: 1,
			out:  "error specs/shop.yaml:5 apple appears twice\n",
		},
		{
			name:     "a cell that is not understood",
			document: strings.Replace(shopDocument, "`bread`", "bread or `rolls`", 1), table: shopTable,
			code: 2,
			err:  "shop.md:8: \"bread or `rolls`\" is not one name in the typeface of code\n",
		},
		{
			name:     "a column that is not understood",
			document: strings.Replace(shopDocument, "| Code |", "| Number |", 1), table: shopTable,
			code: 2,
			err:  "shop.md:5: the table has the columns [\"Good\" \"Number\"], not [\"Good\" \"Code\"]\n",
		},
		{
			name:     "a section that is gone",
			document: strings.Replace(shopDocument, "## Goods", "## Wares", 1), table: shopTable,
			code: 2,
			err:  "shop.md:1: there is no section \"Goods\"\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			from, specs := writeMiniature(t, test.document, test.table)
			var stdout, stderr bytes.Buffer
			checked := run(options{from: from, specs: specs, check: true, accepts: newAcceptances(test.accept)}, []reader{readShop}, &stdout, &stderr)
			if behind := test.code != 0 || test.out != ""; (checked != 0) != behind {
				t.Errorf("-check exits %d", checked)
			}
			if text := read(t, specs); text != test.table {
				t.Errorf("-check changed the table:\n%s", text)
			}
			stdout.Reset()
			stderr.Reset()
			if code := run(options{from: from, specs: specs, accepts: newAcceptances(test.accept)}, []reader{readShop}, &stdout, &stderr); code != test.code {
				t.Errorf("exit %d, want %d", code, test.code)
			}
			if strings.Replace(stdout.String(), from, "FROM", 1) != test.out || stderr.String() != test.err {
				t.Errorf("stdout %q, stderr %q, want %q, %q", &stdout, &stderr, test.out, test.err)
			}
			text := read(t, specs)
			if !strings.Contains(text, test.want) || test.wantNot != "" && strings.Contains(text, test.wantNot) {
				t.Errorf("the table is\n%s\nwant %q, not %q", text, test.want, test.wantNot)
			}
			if test.out == "" && text != test.table {
				t.Errorf("the table changed:\n%s", text)
			}
		})
	}
}

func read(t *testing.T, specs string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(specs, "shop.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
