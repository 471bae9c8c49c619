package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/suite"
	"github.com/specdrivers/onion/gen/upstream"
)

func TestTablesAreUpToDate(t *testing.T) {
	from := upstream.Path(t)
	var stdout, stderr bytes.Buffer
	if code := run(options{from: from, specs: "../../specs", code: ours, library: shelf, check: true}, allReaders(from, "../../specs", shelf), &stdout, &stderr); code != 0 {
		t.Errorf("exit %d\n%s%s", code, &stdout, &stderr)
	}
}

// TestNothingToDoChangesNothing: a refresh of tables that follow the checkout writes no file.
func TestNothingToDoChangesNothing(t *testing.T) {
	from, root := upstream.Path(t), t.TempDir()
	copyTables(t, "../..", root)
	specs := filepath.Join(root, "specs")
	pins := content(t, "../../specs/"+testPins)
	write(t, filepath.Join(specs, testPins), pins)
	wrote := false
	o := options{from: from, specs: specs, root: "../..", code: ours, library: shelf, wrote: func() { wrote = true }}
	var stdout, stderr bytes.Buffer
	if code := run(o, allReaders(from, specs, shelf), &stdout, &stderr); code != 0 || wrote || stdout.Len() > 0 {
		t.Errorf("exit %d, wrote is %t\n%s%s", code, wrote, &stdout, &stderr)
	}
	if content(t, filepath.Join(specs, "UPSTREAM")) != content(t, "../../specs/UPSTREAM") || content(t, filepath.Join(specs, testPins)) != pins {
		t.Error("the pins change")
	}
	// What would be written is what is there.
	p, err := readPins(specs)
	if err != nil || string(p.text()) != content(t, "../../specs/UPSTREAM") {
		t.Errorf("UPSTREAM is not as it would be written: %v", err)
	}
	if tests, err := suite.ParsePins(pins); err != nil || tests.Text() != pins {
		t.Errorf("%s is not as it would be written: %v", testPins, err)
	}
}

// A change upstream changes exactly its rows, and they change exactly their Go.
func TestRefreshReachesTheGeneratedCode(t *testing.T) {
	from := upstream.Path(t)
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	root, upstream := t.TempDir(), t.TempDir()
	copyTables(t, module, root)
	copyTree(t, filepath.Join(module, "generated"), filepath.Join(root, "generated"))
	copyTree(t, filepath.Join(from, "source"), filepath.Join(upstream, "source"))
	generate(t, root) // write first, so the test sees only the mutation's effect

	checkGoesThrough(t, upstream, root)
	mutate(t, upstream, "open-telemetry/open-telemetry.md", "| `db.query.summary` ", "| `db.query.outline` ")
	mutate(t, upstream, commandDoc, "> Command \"{{commandName}}\" started on database", "> Command \"{{commandName}}\" began on database")
	mutate(t, upstream, "versioned-api/versioned-api.md", "| `strict`            | `apiStrict`", "| `strict`            | `apiStern`")
	mutate(t, upstream, sdamDoc, "| ServerType RSGhost     | no-op[^2] ", "| ServerType RSGhost     | [remove](#remove) ")
	mutate(t, upstream, "uri-options/uri-options.md", "\n| appname ", "\n| doors | any string | no doors | Yes | How many doors. |\n| appname ")
	mutate(t, upstream, "retryable-reads/retryable-reads.md", "| SocketException ", "| MaxTimeMSExpired | 50 |\n| SocketException ")
	var stdout, stderr bytes.Buffer
	o := options{root: "../..", code: ours, library: shelf, from: upstream, specs: filepath.Join(root, "specs"), accepts: newAcceptances([]string{"trace/attributes.yaml db.query.summary"})}
	all := append(readers(), readReadings(o.specs, shelf))
	if code := run(o, all, &stdout, &stderr); code != 1 {
		t.Fatalf("exit %d\n%s%s", code, &stdout, &stderr)
	}
	for _, want := range []string{
		"removed specs/trace/attributes.yaml", "added specs/trace/attributes.yaml db.query.outline", "Command started template:",
		"strict command: apiStrict -> apiStern", "RSGhost TopologyUnknown: [] -> [Remove]", "added specs/options/uri.yaml doors",
		"50: classes gains RetryableRead",
	} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &stdout)
		}
	}
	if n := len(plainReport(stdout.String(), root)); n != 9 {
		t.Errorf("the report has %d lines about rows, want 9, two of them of rows to write:\n%s", n, &stdout)
	}

	// The new rows have no columns of ours yet, which gen refuses; a person writes them.
	if out, ok := gen(root, false, "trace"); ok || !strings.Contains(out, "write what this row is about") {
		t.Errorf("gen accepts a row without its columns: %s", out)
	}
	mutate(t, root, "../specs/trace/attributes.yaml", "    go: unwritten\n    doc: \"Write what this row is about.\"", "    go: AttrQueryOutline\n    doc: AttrQueryOutline is new.")
	mutate(t, root, "../specs/options/uri.yaml", `doc: "Write what this row is about."`, "doc: Counts the doors.")
	var want string
	for _, name := range []string{
		"generated/core/logmsg/command_started.go", "generated/core/logmsg/message_test.go", "generated/core/sdamtable/transition.go",
		"generated/core/stableapi/append.go", "generated/core/trace/attribute.go", "generated/errcode/class.go",
	} {
		want += "wrote " + name + "\n"
	}
	if out := generate(t, root); out != want {
		t.Errorf("gen says\n%swant\n%s", out, want)
	}
}

// checkGoesThrough changes a number and a sentence: the number reaches the Go although the sentence is still to be read.
func checkGoesThrough(t *testing.T, upstream, root string) {
	t.Helper()
	mutate(t, upstream, handshakeDoc, "MUST NOT exceed 512 bytes", "MUST NOT exceed 1024 bytes")
	o := options{root: "../..", code: ours, from: upstream, specs: filepath.Join(root, "specs"), library: shelf}
	for _, c := range []struct {
		name  string
		code  int
		wrote bool
	}{{"a refresh", 1, true}, {"another", 1, false}, {"the acknowledgement that it asks for", 0, false}} {
		var stdout, stderr bytes.Buffer
		code := refreshAndGenerate(o, "", true, &stdout, &stderr)
		if code != c.code || strings.Contains(stdout.String(), "wrote generated/core/authtable/constants.go\n") != c.wrote {
			t.Fatalf("%s: exit %d, %s%s", c.name, code, &stdout, &stderr)
		}
		var err error
		if o.acknowledge, err = parseAcknowledgements([]string{handshakeDoc + ", Limitations"}, "the constant follows"); err != nil {
			t.Fatal(err)
		}
		if c.wrote {
			o.acknowledge = nil
			continue
		}
		var moves []string
		for _, m := range regexp.MustCompile(`-move '(.*)'`).FindAllStringSubmatch(stdout.String(), -1) {
			moves = append(moves, m[1])
		}
		moved, err := parseMovements(moves, "the constant follows")
		if err == nil {
			err = o.move(moved)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// mutate changes the one place in a document that has a text.
func mutate(t *testing.T, root, path, from, to string) {
	t.Helper()
	name := filepath.Join(root, "source", filepath.FromSlash(path))
	if strings.HasPrefix(path, "../") {
		name = filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(path, "../")))
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), from); n != 1 {
		t.Fatalf("%s has %q %d times", path, from, n)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(data), from, to, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func copyTables(t *testing.T, module, root string) {
	t.Helper()
	placeTables(t, module, root, copyFile)
}

// placeTables copies the tables with a function for one file. Nothing changes the cases, which are many files.
func placeTables(t *testing.T, module, root string, place func(from, to string) error) {
	t.Helper()
	specs, err := filepath.Abs(filepath.Join(module, "specs"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(specs)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "specs"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		from, to := filepath.Join(specs, e.Name()), filepath.Join(root, "specs", e.Name())
		switch e.Name() {
		case testPins: // these tests are about documents
		case "cases":
			if err := os.Symlink(from, to); err != nil {
				t.Fatal(err)
			}
		default:
			placeTree(t, from, to, place)
		}
	}
}

// copyTree copies a file, or the documents and Go files of a directory.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	placeTree(t, from, to, copyFile)
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

func placeTree(t *testing.T, from, to string, place func(from, to string) error) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil || d.IsDir() && rel == "upstream" && filepath.Base(from) == "generated" {
			return fs.SkipDir
		}
		ofSuite := strings.Contains(filepath.ToSlash(rel), "/tests/") && slices.Contains([]string{".json", ".yml"}, filepath.Ext(rel)) ||
			filepath.Ext(rel) == ".template"
		if ofSuite { // these tests are about documents
			return nil
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		return place(name, filepath.Join(to, rel))
	})
	if err != nil {
		t.Fatal(err)
	}
}
