package vectors

import (
	"bufio"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// folderEnv is the variable that names a folder of vectors, laid out like the folder that ours came from.
const folderEnv = "ENCRYPTION_VECTORS"

// Dir is the folder of the vectors that several packages share, as a package below encrypt sees it.
func Dir() string { return Folder("../testdata/vectors") }

// Folder is the folder that ENCRYPTION_VECTORS names, or the package's own. Tests look there for files of each kind:
// other vectors of the same kinds need no code.
func Folder(own string) string { return cmp.Or(folder(), own) }

// folder is the folder that ENCRYPTION_VECTORS names. A relative path starts at the root of the module, where the command is
// typed, and not in the folder of the package, where its tests run.
func folder() string {
	named := os.Getenv(folderEnv)
	if named == "" || filepath.IsAbs(named) {
		return named
	}
	for root := ".."; ; root = filepath.Join("..", root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return filepath.Join(root, named)
		}
		if up, err := filepath.Abs(root); err != nil || up == filepath.Dir(up) {
			return named
		}
	}
}

// Main runs the tests of a package of encryption, in its TestMain, and returns the code to exit with. If all of its tests pass, it
// fails unless they have opened every vector that is theirs. root is the path to the folder of encryption.
//
// The testing package records which files a test opens. That is how the go command knows whether a cached result still holds.
func Main(m *testing.M, root, reader string) int {
	flag.Parse()
	if os.Getenv(folderEnv) != "" { // its files have no rows here
		return m.Run()
	}
	log := flag.Lookup("test.testlogfile").Value
	for _, name := range []string{"test.run", "test.skip", "test.fuzz", "test.bench", "test.list"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" { // only some of the tests run
			return m.Run()
		}
	}
	if log.String() == "" {
		dir, err := os.MkdirTemp("", "vectors")
		if err == nil {
			err = log.Set(filepath.Join(dir, "log"))
			defer func() { _ = os.RemoveAll(dir) }()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "vectors:", err)
			return 1
		}
	}
	code := m.Run()
	if code != 0 {
		return code
	}
	if err := check(root, reader, log.String()); err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		return 1
	}
	return 0
}

// check compares the files that a package must read with those that its tests have opened.
func check(root, reader, log string) error {
	opened, err := readOpened(log)
	if err != nil {
		return err
	}
	files, err := vectorsBelow(root)
	if err != nil {
		return err
	}
	var errs []error
	for _, file := range files {
		name, err := filepath.Abs(filepath.Join(root, file))
		if err != nil {
			return err
		}
		if r := rowOf(file); r != nil && r.reader == reader && !slices.Contains(opened, name) {
			errs = append(errs, fmt.Errorf("no test of package %s has opened %s", reader, file))
		}
	}
	return errors.Join(errs...)
}

// readOpened reads the record of the testing package.
func readOpened(log string) (opened []string, err error) {
	f, err := os.Open(log)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "open "); ok {
			if name, err = filepath.Abs(name); err != nil {
				return nil, err
			}
			opened = append(opened, name)
		}
	}
	return opened, lines.Err()
}

// vectorsBelow lists the files of vectors by their paths below the folder of encryption. Texts about vectors do not count.
func vectorsBelow(root string) (files []string, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if file := filepath.ToSlash(rel); strings.Contains("/"+file, "/testdata/") && !isText(file) {
			files = append(files, file)
		}
		return err
	})
	return files, err
}

// isText reports whether a file describes vectors but holds none.
func isText(file string) bool {
	switch strings.ToLower(path.Base(file)) {
	case ".gitattributes", "go.mod", "readme.md", "readme.txt", "license", "notice", "normalize-path.txt":
		return true
	}
	return strings.Contains(file, "/fuzz/") // what a fuzz target found
}

// rowOf returns the first row that fits a file, or nil.
func rowOf(file string) *row {
	for i := range rows {
		if pattern(rows[i].files).MatchString(file) {
			return &rows[i]
		}
	}
	return nil
}

// pattern compiles a pattern of paths to a regular expression.
func pattern(files string) *regexp.Regexp {
	p := regexp.QuoteMeta(files)
	p = strings.NewReplacer(`/\*\*/`, "/(?:.*/)?", `\*\*`, ".*", `\*`, "[^/]*").Replace(p)
	return regexp.MustCompile("^" + p + "$")
}
