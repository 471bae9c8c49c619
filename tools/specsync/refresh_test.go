package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// refreshDocuments are documents of our own that say what the tables say.
func refreshDocuments() map[string]string {
	return map[string]string{
		handshakeDoc: strings.Replace(handshakeMini, `"7"`, `"2"`, 1),
		gridDoc:      strings.NewReplacer("cellar", "fs", "2 KiB", "255 KiB").Replace(gridMini),
		"versioned-api/versioned-api.md": "## Command Syntax\n\n| ServerApi field | Command option |\n| --- | --- |\n" +
			"| `version` | `apiVersion` |\n| `strict` | `apiStrict` |\n| `deprecationErrors` | `apiDeprecationErrors` |\n",
	}
}

// These tests need no checkout. A change of a small document changes exactly its rows, and the rows change exactly
// their lines of Go.
func TestRefreshOfMiniaturesReachesTheGeneratedCode(t *testing.T) {
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	copyTables(t, module, root)
	copyTree(t, filepath.Join(module, "generated"), filepath.Join(root, "generated"))
	generate(t, root) // write first, so the test sees only the mutation's effect
	readers := []reader{readHandshake, readGridFS, readStableAPI}
	documents := refreshDocuments()
	if out := refresh(t, root, documents, readers); out != "" {
		t.Fatalf("the documents differ from the tables:\n%s", out)
	}
	for _, test := range []struct {
		name, path, old, text string
		report                string // without the line of the table
		file                  string
		lines                 string // the lines that the file loses and gains
	}{
		{
			"a text", handshakeDoc, `"2"`, `"3"`, "BackpressureVersion value: 2 -> 3", "generated/core/wire/constants.go",
			"-	BackpressureVersion = \"2\"\n+	BackpressureVersion = \"3\"\n",
		},
		{
			"a number", gridDoc, "255 KiB", "128 KiB", "DefaultChunkSize value: 261120 -> 131072", "generated/core/gridfs/constants.go",
			"-	DefaultChunkSize = 261120\n+	DefaultChunkSize = 131072\n",
		},
		{
			"a name on the wire", "versioned-api/versioned-api.md", "`apiStrict`", "`apiStern`", "strict command: apiStrict -> apiStern",
			"generated/core/stableapi/append.go",
			"-		dst = bson.AppendBooleanElement(dst, \"apiStrict\", *api.Strict)\n+		dst = bson.AppendBooleanElement(dst, \"apiStern\", *api.Strict)\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if strings.Count(documents[test.path], test.old) != 1 {
				t.Fatalf("%s does not say %q once", test.path, test.old)
			}
			documents[test.path] = strings.Replace(documents[test.path], test.old, test.text, 1)
			report := refresh(t, root, documents, readers)
			if !strings.HasSuffix(report, " "+test.report+"\n") || strings.Count(report, "\n") != 1 {
				t.Errorf("the report is\n%swant %s", report, test.report)
			}
			before := lines(t, root, test.file)
			if out, want := generate(t, root), "wrote "+test.file+"\n"; out != want {
				t.Errorf("gen says\n%swant\n%s", out, want)
			}
			if got := difference(before, lines(t, root, test.file)); got != test.lines {
				t.Errorf("the code changes by\n%swant\n%s", got, test.lines)
			}
		})
	}
}

// refresh brings the tables up to date and says what changed.
func refresh(t *testing.T, root string, documents map[string]string, readers []reader) string {
	t.Helper()
	s := newSession(options{specs: filepath.Join(root, "specs"), library: newLibrary()})
	var tables []table
	for _, read := range readers {
		found, err := read(openShelf(documents))
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, found...)
	}
	var out bytes.Buffer
	behind, err := s.sync(tables, &out)
	if err == nil {
		err = s.save()
	}
	if behind || err != nil {
		t.Fatalf("behind %t, %v\n%s", behind, err, &out)
	}
	return out.String()
}

func lines(t *testing.T, root, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(data), "\n")
}

// difference names the lines that a text loses and gains when as many are there as before.
func difference(before, after []string) string {
	if len(before) != len(after) {
		return fmt.Sprintf("%d lines -> %d lines\n", len(before), len(after))
	}
	var b strings.Builder
	for i := range before {
		if before[i] != after[i] {
			fmt.Fprintf(&b, "-%s\n+%s\n", before[i], after[i])
		}
	}
	return b.String()
}
