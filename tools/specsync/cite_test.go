package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

const schemaDoc = "unified-test-format/schema-1.28.json"

const citingTable = `table: citing
rows:
  - {name: goods, spec: 'the shop, "Goods and wares", "price list"'}
  - {name: wares, spec: 'shop.md, "Wares"; the shop, "Till"'}
  - {name: bread, spec: 'a baker, "Bread"'}
  - {name: lost, spec: 'gone.md, "Bread"'}
`

func TestReferencesAreLookedUp(t *testing.T) {
	from, specs := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		from + "/source/shop.md": "# Shop\n\n## [Goods](#goods) and \"wares\"\n\n### `price list`\n\n```typescript\ninterface Till {\n}\n```\n",
		specs + "/documents.yaml": "rows:\n" +
			"  - {name: the shop, path: shop.md, doc: \"It sells.\"}\n  - {name: a baker, doc: \"It is elsewhere.\"}\n",
		specs + "/citing.yaml": citingTable,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if _, behind, err := newSession(options{from: from, specs: specs, library: newLibrary(), code: readGoCode(filepath.Join(specs, ".."), specs)}).checkReferences(&out); !behind || err != nil {
		t.Errorf("nothing is reported, %v", err)
	}
	want := "error specs/citing.yaml:4: shop.md has no section \"Wares\"\n" +
		"error specs/citing.yaml:6: open " + from + "/source/gone.md: no such file or directory\n" +
		"error specs/citing.yaml:6: gone.md has no section \"Bread\"\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}

// TestTitlesAreFound: a title that is cited as it stands comes before one that says more in parentheses.
func TestTitlesAreFound(t *testing.T) {
	shop := titled{path: "shop.md", titles: parse("shop.md", []byte("# Bread (of rye)\n# Bread\n# Cakes (small)\n# Cakes (large)\n# Teapots")).titles()}
	for want, title := range map[string]string{"bread": "Bread", "cakes": "Cakes (small)", "cakes (large)": "Cakes (large)", "tea": ""} {
		if got, found := shop.find(want); got != title || found != (title != "") {
			t.Errorf("%s: found %q, want %q", want, got, title)
		}
	}
}

// TestDeclarationsAreFound: those in blocks of code, in whatever document.
func TestDeclarationsAreFound(t *testing.T) {
	d := parse("shop.md", []byte("class Prose {\n```\n  interface Left {\nenum Right\nclass x = a.b;\n```\nclass Behind {"))
	got := d.declarations()
	if len(got) != 2 || got[0] != (openingLine{"Left", 3}) || got[1] != (openingLine{"Right", 4}) {
		t.Errorf("got %v", got)
	}
}

func TestSymptoms(t *testing.T) {
	const mini = "#### type\n\n| State | Symptoms |\n| --- | --- |\n| Unknown | Initial, or \"ok: 1\" not in response. |\n| Ghost | \"dead: true\" and \"setName\" in response. |\n"
	got, err := readSymptoms(openShelf(map[string]string{sdamDoc: mini}))
	const want = "server/hello.yaml symptoms Unknown: state=Unknown mentions=[ok: 1]\n" +
		"server/hello.yaml symptoms Ghost: state=Ghost mentions=[dead: true, setName]\n"
	if err != nil || spellTables(got) != want {
		t.Errorf("got %v\n%swant\n%s", err, spellTables(got), want)
	}
	if text := scalar("[dead: true, setName]"); text != `["dead: true", setName]` {
		t.Errorf("the list is written as %s", text)
	}
}
