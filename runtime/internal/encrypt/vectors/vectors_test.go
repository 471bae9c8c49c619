package vectors

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every vector has a row, and every row has vectors and either a package that reads them or a reason why none does.
func TestEveryVectorHasARow(t *testing.T) {
	files, err := vectorsBelow("..")
	if err != nil || len(files) < 500 {
		t.Fatal(len(files), err)
	}
	used := map[*row]bool{}
	for _, file := range files {
		r := rowOf(file)
		if r == nil {
			t.Errorf("no row fits %s", file)
		}
		used[r] = true
	}
	for i := range rows {
		r := &rows[i]
		if !used[r] {
			t.Errorf("no file fits %s", r.files)
		}
		if (r.reader == "") == (r.reason == "") {
			t.Errorf("%s needs a reader or a reason", r.files)
		}
		if r.reader == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join("..", strings.TrimPrefix(r.reader, "encrypt"), "main_test.go")); err != nil {
			t.Errorf("package %s does not check what it reads: %v", r.reader, err)
		}
	}
}

func TestUnopenedVectorsAreErrors(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("aead/testdata/a.json", "")
	write("aead/testdata/b.json", "")
	write("payload/testdata/c.json", "")
	write("aead/testdata/README.md", "")
	write("log", "# test log\nopen "+dir+"/aead/testdata/a.json\nstat "+dir+"/aead/testdata/b.json\n")
	err := check(dir, "aead", log)
	if err == nil || err.Error() != "no test of package aead has opened aead/testdata/b.json" {
		t.Errorf("got %v", err)
	}
	write("log", "open "+dir+"/aead/testdata/a.json\nopen "+dir+"/aead/testdata/../testdata/b.json\n")
	if err := check(dir, "aead", log); err != nil {
		t.Error(err)
	}
}

// isLeftOut reports whether we leave out a file of the folder that the vectors came from.
func isLeftOut(file string) bool {
	return isText(file) || strings.HasPrefix(file, "LICENSE") || strings.HasPrefix(file, "reference/") || file == "known-keys.json"
}

// Every vector in the folder that the vectors came from is among ours. ENCRYPTION_VECTORS names that folder.
func TestEveryVectorIsHere(t *testing.T) {
	from := folder()
	if from == "" {
		t.Skip("ENCRYPTION_VECTORS names no folder")
	}
	files, err := vectorsBelow("..")
	if err != nil {
		t.Fatal(err)
	}
	known := map[[sha256.Size]byte]bool{}
	for _, file := range files {
		b, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, ".gz") {
			r, err := gzip.NewReader(bytes.NewReader(b))
			if err == nil {
				b, err = io.ReadAll(r)
			}
			if err != nil {
				t.Fatal(file, err)
			}
		}
		known[sha256.Sum256(b)] = true
	}
	err = filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil || isLeftOut(filepath.ToSlash(rel)) {
			return err
		}
		b, err := os.ReadFile(name)
		if !known[sha256.Sum256(b)] {
			t.Errorf("%s is not among the vectors", rel)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestFolder names a folder by an absolute path, and by one from the root of the module.
func TestFolder(t *testing.T) {
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	for named, want := range map[string]string{"": "own", root: root, "../elsewhere": filepath.Join(filepath.Dir(root), "elsewhere"), "here": filepath.Join(root, "here")} {
		t.Setenv(folderEnv, named)
		got := Folder("own")
		if got != "own" {
			if got, err = filepath.Abs(got); err != nil {
				t.Fatal(err)
			}
		}
		if got != want {
			t.Errorf("%q is %s, want %s", named, got, want)
		}
	}
}
