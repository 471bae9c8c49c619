package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const shopText = "# Shop\n\nIt sells goods. It opens at nine.\n\n## Till\n\nOne till\nis enough.\n\n## Cellar\n\nNobody goes there.\n"

// pinnedShop is a checkout with one document, and tables with its pins and a row that cites the till.
func pinnedShop(t *testing.T) (from, specs string) {
	t.Helper()
	from, specs = t.TempDir(), filepath.Join(t.TempDir(), "specs")
	write(t, filepath.Join(from, "source", "shop.md"), shopText)
	write(t, filepath.Join(specs, "UPSTREAM"), "# The pins.\nrepository nowhere\ncommit 1\n")
	write(t, filepath.Join(specs, "documents.yaml"), "rows:\n  - {name: the shop, path: shop.md, doc: \"It sells.\"}\n")
	write(t, filepath.Join(specs, "goods.yaml"), "rows:\n  - {name: coin, spec: 'the shop, \"Till\"'}\n")
	write(t, filepath.Join(specs, "..", "till.go"), "// Package till follows the shop, \"Cellar\".\npackage till\n")
	report, code := pin(t, options{from: from, specs: specs, pinNew: true})
	if report != "" || code {
		t.Fatalf("pinning reports %q", report)
	}
	return from, specs
}

// pin compares the pins and says what is reported, and whether somebody has to act.
func pin(t *testing.T, o options) (string, bool) {
	t.Helper()
	var out bytes.Buffer
	o.code, o.library = readGoCode(o.module(), o.specs), newLibrary()
	cited, lost, err := syncReferences(o, &out)
	if err != nil {
		t.Fatal(err)
	}
	behind, err := syncPins(o, cited, &out)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), behind || lost
}

func TestSectionsArePinned(t *testing.T) {
	for _, c := range []struct{ name, old, text, report string }{
		{"nothing", "", "", ""},
		{"other line breaks", "One till\nis enough.", "One till is\nenough.", ""},
		{"a sentence that is cited", "is enough.", "is too few.", "changed section shop.md:5, \"Till\"; cited by specs/goods.yaml:2\n    - (1 sentences)\n    + One till is too few.\n"},
		{"one that Go cites", "Nobody goes", "Somebody goes", "changed section shop.md:10, \"Cellar\"; cited by till.go:1\n    - (1 sentences)\n    + Somebody goes there.\n"},
		{"one that nobody cites", "at nine", "at ten", "changed section shop.md:1, \"Shop\"; nobody cites it\n    - (1 sentences)\n    + It opens at ten.\n"},
		{"a new section", "## Cellar", "## Attic\n\nDust.\n\n## Cellar", "added section shop.md, \"Attic\"\n"},
		{"a section that is gone", "## Till\n\nOne till\nis enough.\n\n", "", "error specs/goods.yaml:2: shop.md has no section \"Till\"\nremoved section shop.md, \"Till\"; nobody cites it\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, specs := pinnedShop(t)
			write(t, filepath.Join(from, "source", "shop.md"), strings.Replace(shopText, c.old, c.text, 1))
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

func TestAcknowledgedSectionsMove(t *testing.T) {
	from, specs := pinnedShop(t)
	write(t, filepath.Join(from, "source", "shop.md"), strings.Replace(strings.Replace(shopText, "too few", "", 1), "is enough", "is too few", 1))
	list, err := acknowledgements(`shop.md, "Till"`, "we have one")
	if err != nil {
		t.Fatal(err)
	}
	if report, behind := pin(t, options{from: from, specs: specs, acknowledge: list}); report != "" || behind {
		t.Errorf("an acknowledged section is reported: %s", report)
	}
	if text := content(t, filepath.Join(specs, "UPSTREAM")); !strings.Contains(text, "    because we have one\n") {
		t.Errorf("the reason is lost:\n%s", text)
	}
	if report, behind := pin(t, options{from: from, specs: specs, check: true}); report != "" || behind {
		t.Errorf("the pin has not moved: %s", report)
	}
	for _, list := range []string{"shop.md", `shop.md "Till"`} {
		if _, err := acknowledgements(list, "a reason"); err == nil {
			t.Errorf("%s was accepted", list)
		}
	}
	if _, err := acknowledgements("shop.md, Till", ""); err == nil {
		t.Error("no reason was wanted")
	}
}

func TestNewDocumentsAreNews(t *testing.T) {
	from, specs := pinnedShop(t)
	write(t, filepath.Join(from, "source", "annex.md"), "# Annex\n")
	if report, behind := pin(t, options{from: from, specs: specs}); !behind || !strings.HasPrefix(report, "added document annex.md") {
		t.Errorf("a new document is reported as %q", report)
	}
	if err := os.Remove(filepath.Join(from, "source", "shop.md")); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if behind, err := syncPins(options{from: from, specs: specs, library: newLibrary(), pinNew: true}, citations{}, &out); !behind || err != nil || out.String() != "removed document shop.md\n" {
		t.Errorf("a document that is gone: %v, %s", err, &out)
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
