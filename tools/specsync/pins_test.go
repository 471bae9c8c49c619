package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const shopText = "# Shop\n\nIt sells goods. It opens at nine.\n\n## Till\n\nOne till\nis enough.\n\n### Coins\n\n- A coin.\n- Another. It is old.\n\n" +
	"## Cellar\n\nIt is dark there.\n"

// newPinnedShop returns a checkout with one document, and tables with its pins and a row that cites the till.
func newPinnedShop(t *testing.T) (from, specs string) {
	t.Helper()
	from, specs = t.TempDir(), filepath.Join(t.TempDir(), "specs")
	write(t, filepath.Join(from, "source", "shop.md"), shopText)
	write(t, filepath.Join(from, "source", "annex.rst"), "Annex\n=====\n\nIt went away.\n")
	write(t, filepath.Join(from, "source", "empty.md"), "")
	write(t, filepath.Join(specs, "UPSTREAM"), "# The pins.\nrepository nowhere\ncommit 1\n")
	write(t, filepath.Join(specs, "documents.yaml"), "rows:\n  - {name: the shop, path: shop.md, doc: \"It sells.\"}\n")
	write(t, filepath.Join(specs, "goods.yaml"), "rows:\n  - {name: coin, spec: 'the shop, \"Till\"'}\n")
	write(t, filepath.Join(specs, "..", "till.go"), "// Package till follows the shop, \"Cellar\".\npackage till\n")
	if _, behind := pin(t, options{from: from, specs: specs, agree: true}); behind {
		t.Fatal("the pins are red at once")
	}
	return from, specs
}

// pin compares the pins and says what is reported, and whether somebody has to act.
func pin(t *testing.T, o options) (string, bool) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(o, nil, &stdout, &stderr)
	if stderr.Len() > 0 {
		t.Fatal(&stderr)
	}
	report, _, _ := strings.Cut(stdout.String(), "to read: ")
	return report, code != 0
}

func TestSectionsArePinned(t *testing.T) {
	for _, c := range []struct{ name, old, text, report string }{
		{"nothing", "", "", ""},
		{"other line breaks", "One till\nis enough.", "One till is\nenough.", ""},
		{"a sentence that is cited", "is enough.", "is too few.", "changed section shop.md:5, \"Till\"; cited by specs/goods.yaml:2\n    - (1 sentences)\n    + One till is too few.\n"},
		{"one that Go cites", "It is dark", "It is bright", "changed section shop.md:15, \"Cellar\"; cited by till.go:1\n    - (1 sentences)\n    + It is bright there.\n"},
		{"one that nothing cites", "at nine", "at ten", "changed section shop.md:1, \"Shop\"; nothing cites it\n    - (1 sentences)\n    + It opens at ten.\n"},
		{"a new section", "## Cellar", "## Attic\n\nDust.\n\n## Cellar", "added section shop.md, \"Attic\"\n"},
		{"a section that is gone", "### Coins\n\n- A coin.\n- Another. It is old.\n\n", "", "removed section shop.md, \"Coins\"; nothing cites it\n"},
		{"a section that rises", "### Coins", "## Coins", "moved section shop.md, \"Coins\": it was below \"Till\", it is below \"Shop\"; nothing cites it\n"},
		{"a section that goes elsewhere", "## Cellar\n\nIt is dark there.\n", "", "removed section shop.md, \"Cellar\"; cited by till.go:1\nerror"},
		{"another order", "## Till\n\nOne till\nis enough.\n\n### Coins\n\n- A coin.\n- Another. It is old.\n\n## Cellar\n\nIt is dark there.\n",
			"## Cellar\n\nIt is dark there.\n\n## Till\n\nOne till\nis enough.\n\n### Coins\n\n- A coin.\n- Another. It is old.\n",
			"moved section shop.md, \"Cellar\": it now comes after \"Shop\"; cited by till.go:1\n"},
		{"a heading that takes what is below it", "- Another. It", "### Notes\n\n- Another. It",
			"changed section shop.md:10, \"Coins\"; nothing cites it\n    - - Another. (now in \"Notes\")\n    - It is old. (now in \"Notes\")\nadded section shop.md, \"Notes\"\n"},
		{"a heading around others", "### Coins", "### Money\n\n#### Coins",
			"added section shop.md, \"Money\"\nmoved section shop.md, \"Coins\": it was below \"Till\", it is below \"Money\"; nothing cites it\n"},
		{"a heading with another name", "## Till", "## Register",
			"error specs/goods.yaml:2: shop.md has no section \"Till\"\nadded section shop.md, \"Register\"\nremoved section shop.md, \"Till\"; nothing cites it\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, specs := newPinnedShop(t)
			if !strings.Contains(shopText, c.old) {
				t.Fatalf("the document does not say %q", c.old)
			}
			write(t, filepath.Join(from, "source", "shop.md"), strings.Replace(shopText, c.old, c.text, 1))
			if c.name == "a section that goes elsewhere" {
				c.report = "error till.go:1: shop.md has no section \"Cellar\"\nremoved section shop.md, \"Cellar\"; nothing cites it\n"
			}
			before := content(t, filepath.Join(specs, "UPSTREAM"))
			report, behind := pin(t, options{from: from, specs: specs})
			if report != c.report || behind != (c.report != "") {
				t.Errorf("the report is\n%swant\n%s", report, c.report)
			}
			if after := content(t, filepath.Join(specs, "UPSTREAM")); after != before {
				t.Errorf("a pin moved by itself:\n%s", after)
			}
		})
	}
}

// TestAcknowledgementsLeadToGreen: whatever changed, the names that the report gives acknowledge it, and nothing else is
// left; the pins are then those of a fresh checkout.
func TestAcknowledgementsLeadToGreen(t *testing.T) {
	from, specs := newPinnedShop(t)
	write(t, filepath.Join(from, "source", "shop.md"),
		"# Shop\n\nIt opens late.\n\n## Attic\n\nDust.\n\n## Cellar\n\nIt is dark there.\n\n### Coins\n\n- A coin.\n- Another. It is old.\n\n## Till\n\nNone.\n")
	write(t, filepath.Join(from, "source", "new.md"), "Words.\n")
	write(t, filepath.Join(from, "source", "new.json"), "{}\n")
	for _, gone := range []string{"annex.rst", "empty.md"} {
		if err := os.Remove(filepath.Join(from, "source", gone)); err != nil {
			t.Fatal(err)
		}
	}
	var out, stderr bytes.Buffer
	if code := run(options{from: from, specs: specs}, nil, &out, &stderr); code != 1 {
		t.Fatalf("exit %d, %s", code, &stderr)
	}
	_, commands, _ := strings.Cut(out.String(), "to read: ")
	var names []string
	for line := range strings.Lines(commands) {
		if _, name, found := strings.Cut(line, "-acknowledge '"); found {
			name, _, _ = strings.Cut(name, "'")
			names = append(names, name)
		}
	}
	if len(names) != 8 {
		t.Errorf("%d sections are to be acknowledged, want 8:\n%s", len(names), &out)
	}
	for i, name := range names { // one at a time
		list, err := parseAcknowledgements([]string{name}, "we have one")
		if err != nil {
			t.Fatal(err)
		}
		if _, behind := pin(t, options{from: from, specs: specs, acknowledge: list}); behind != (i < len(names)-1) {
			t.Errorf("after %s: behind is %t", name, behind)
		}
	}
	text := content(t, filepath.Join(specs, "UPSTREAM"))
	if strings.Count(text, "because we have one\n") != 6 { // two are gone
		t.Errorf("reasons are lost:\n%s", text)
	}
	write(t, filepath.Join(specs, "UPSTREAM"), "# The pins.\nrepository nowhere\ncommit 1\n")
	pin(t, options{from: from, specs: specs, agree: true})
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, " because ") {
			kept = append(kept, line)
		}
	}
	if fresh := content(t, filepath.Join(specs, "UPSTREAM")); fresh != strings.Join(kept, "") {
		t.Errorf("the pins are\n%swant\n%s", strings.Join(kept, ""), fresh)
	}
}

// TestSectionsGoDownWithThoseAroundThem: a section that moves takes along what is below it.
func TestSectionsGoDownWithThoseAroundThem(t *testing.T) {
	from, specs := newPinnedShop(t)
	write(t, filepath.Join(from, "source", "shop.md"), strings.Replace(strings.Replace(shopText, "## Till", "## Wrap\n\n### Till", 1), "### Coins", "#### Coins", 1))
	list, err := parseAcknowledgements([]string{"shop.md, Wrap", "shop.md, Till"}, "they moved")
	if err != nil {
		t.Fatal(err)
	}
	pin(t, options{from: from, specs: specs, acknowledge: list})
	if report, behind := pin(t, options{from: from, specs: specs, check: true}); behind {
		t.Errorf("after the acknowledgement:\n%s", report)
	}
}

func TestWhatIsMistypedIsAnError(t *testing.T) {
	from, specs := newPinnedShop(t)
	write(t, filepath.Join(from, "source", "shop.md"), strings.Replace(shopText, "at nine", "at ten", 1))
	before := content(t, filepath.Join(specs, "UPSTREAM"))
	for _, c := range []struct{ acknowledge, accept, want string }{
		{"shop.md, Shopp", "", "-acknowledge \"shop.md, Shopp\": no such section"},
		{"shop.md, Till", "", "-acknowledge \"shop.md, Till\": no such section"}, // it did not change
		{"", "goods.yaml bread", "-accept \"goods.yaml bread\": upstream removed no such row"},
	} {
		o := options{from: from, specs: specs}
		list := []string{"shop.md, Shop"}
		if c.acknowledge != "" {
			list = append(list, c.acknowledge)
		}
		var err error
		if o.acknowledge, err = parseAcknowledgements(list, "a reason"); err != nil {
			t.Fatal(err)
		}
		if c.accept != "" {
			o.accepts = newAcceptances([]string{c.accept})
		}
		var stdout, stderr bytes.Buffer
		if code := run(o, nil, &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%+v: exit %d, %s", c, code, &stderr)
		}
	}
	if after := content(t, filepath.Join(specs, "UPSTREAM")); after != before {
		t.Errorf("a pin moved:\n%s", after)
	}
	for _, list := range []string{"shop.md", `shop.md "Till"`} {
		if _, err := parseAcknowledgements([]string{list}, "a reason"); err == nil {
			t.Errorf("%s was accepted", list)
		}
	}
	if _, err := parseAcknowledgements([]string{"shop.md, Till"}, ""); err == nil {
		t.Error("no reason was wanted")
	}
}

// TestProgramsAreNoNews: a clone has scripts, pictures and hidden folders beside the documents.
func TestProgramsAreNoNews(t *testing.T) {
	from, specs := newPinnedShop(t)
	for _, name := range []string{
		"Makefile", "source/Makefile", "source/etc/generate.py", "source/tests/etc/check.sh", "source/.gitignore", "source/.github/x.yml",
		"source/.claude/skill.md", "source/onion.png", "source/etc/a.yml.template", "source/requirements.txt", ".evergreen/config.yml",
		"scripts/check.js", "docs/README.md", "README.md",
	} {
		write(t, filepath.Join(from, name), "x\n")
	}
	if report, behind := pin(t, options{from: from, specs: specs, check: true}); behind {
		t.Errorf("what says nothing is reported:\n%s", report)
	}
	write(t, filepath.Join(from, "source", "etc", "values.csv"), "1\n")
	if report, _ := pin(t, options{from: from, specs: specs, check: true}); report != "added file etc/values.csv\n" {
		t.Errorf("a file of an unknown kind is reported as %q", report)
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
