package generator

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/specdrivers/onion/gen/load"
)

// Stats prints how much the tables say and how much Go there is, by who wrote it. Lines are code lines: neither blank
// nor comment.
func Stats(root string, out io.Writer) error {
	tables, rows, err := countRows(filepath.Join(root, "specs"))
	if err != nil {
		return err
	}
	folders, err := driverFolders(root)
	if err != nil {
		return err
	}
	var driver folder
	for _, f := range folders {
		driver.tables, driver.rows = driver.tables+f.tables, driver.rows+f.rows
	}
	fmt.Fprintf(out, "tables               %7d become the driver, and %d tests\n", driver.tables, tables-driver.tables)
	fmt.Fprintf(out, "rows                 %7d become the driver, and %d tests\n", driver.rows, rows-driver.rows)
	generated, _, err := countGo(filepath.Join(root, "generated"), "")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "generated lines      %7d\n", generated)
	byHand := 0
	for _, part := range []struct {
		name, dir string
		without   string
		driver    bool
	}{
		{"bson", "bson", "", true},
		{"driver", "runtime", "mongotest", true},
		{"mongotest", "tools/mongotest", "", false},
		{"generator", "gen", "", false},
		{"tools", "tools", "", false},
	} {
		code, tests, err := countGo(filepath.Join(root, part.dir), part.without)
		if err != nil {
			return err
		}
		if part.driver {
			byHand += code
		}
		fmt.Fprintf(out, "%-20s %7d hand-written, and %d of tests\n", part.name+" lines", code, tests)
	}
	fmt.Fprintf(out, "bson and driver      %7d hand-written\n", byHand)
	return nil
}

// countRows counts the table files in a directory and their rows: the members of lists that have columns.
func countRows(dir string) (tables, rows int, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "cases":
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".yaml":
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		doc, err := load.Parse(data)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		tables++
		rows += countMembers(doc)
		return nil
	})
	return tables, rows, err
}

func countMembers(n *yaml.Node) int {
	count := 0
	for _, c := range n.Content {
		if n.Kind == yaml.SequenceNode && c.Kind == yaml.MappingNode {
			count++
		}
		count += countMembers(c)
	}
	return count
}

// countGo counts the code lines of a directory, and separately the lines of its tests. Generated test suites of an
// upstream checkout and the directories called without do not count, and a directory that does not exist has none.
func countGo(dir, without string) (code, tests int, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case os.IsNotExist(err):
			return nil
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "upstream" || d.Name() == without):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		lines, err := codeLines(name)
		if strings.HasSuffix(name, "_test.go") {
			tests += lines
		} else {
			code += lines
		}
		return err
	})
	return code, tests, err
}

func codeLines(name string) (int, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		if text := strings.TrimSpace(s.Text()); text != "" && !strings.HasPrefix(text, "//") {
			lines++
		}
	}
	return lines, nil
}
