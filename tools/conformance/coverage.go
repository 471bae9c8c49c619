package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/suite"
)

// exceptions are the rows of specs/coverage.yaml.
type exceptions struct {
	Table string `yaml:"table"`
	Doc   string `yaml:"doc"`
	Most  int    `yaml:"most"`
	Rows  []struct {
		Table string `yaml:"table"`
		Row   string `yaml:"row"`
		Suite string `yaml:"suite"`
	} `yaml:"rows"`
}

// touchedVariable is what the suites call it; the suites themselves cannot be imported by what also compiles them.
const touchedVariable = "ONION_TOUCHED"

// coverage runs our own cases and reports the rows of the tables that none of them touches.
func coverage(root string, stdout io.Writer) (bool, error) {
	dir, err := os.MkdirTemp("", "onion-coverage-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	notes := filepath.Join(dir, "touched")
	cmd := exec.Command("go", "test", "-count=1", "-p", "2", "./"+suite.OwnDir+"/...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), touchedVariable+"="+notes)
	if out, err := cmd.CombinedOutput(); err != nil {
		return false, fmt.Errorf("run our own cases: %w\n%s", err, out)
	}
	text, err := os.ReadFile(notes)
	if err != nil {
		return false, fmt.Errorf("read what the cases have touched: %w", err)
	}
	tables := load.NewTables(os.DirFS(filepath.Join(root, "specs")))
	all := rows(tables)
	if problems := tables.Problems(); len(problems) > 0 {
		return false, fmt.Errorf("%s", problems[0])
	}
	except, err := readExceptions(filepath.Join(root, "specs", "coverage.yaml"))
	if err != nil {
		return false, err
	}
	return judgeCoverage(all, strings.Split(string(bytes.TrimSpace(text)), "\n"), except, stdout)
}

func readExceptions(name string) (*exceptions, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	e := &exceptions{}
	d := yaml.NewDecoder(file)
	d.KnownFields(true)
	if err := d.Decode(e); err != nil {
		return nil, fmt.Errorf("specs/coverage.yaml: %w", err)
	}
	return e, nil
}

// judgeCoverage compares the rows with the notes. Each row is touched or excepted, and not both.
func judgeCoverage(all []tableRow, notes []string, except *exceptions, stdout io.Writer) (bool, error) {
	touched := map[string][]string{}
	exact := map[string]bool{}
	for _, note := range notes {
		table, row, _ := strings.Cut(note, "\t")
		touched[table] = append(touched[table], row)
		exact[note] = true
	}
	excepted := map[string]bool{}
	for _, row := range except.Rows {
		excepted[row.Table+"\t"+row.Row] = true
	}
	var errs []error
	covered := 0
	for _, row := range all {
		key := row.table + "\t" + row.row
		is := exact[key]
		for _, text := range touched[row.table] {
			is = is || row.pattern != nil && row.pattern.MatchString(text)
		}
		switch {
		case is && excepted[key]:
			errs = append(errs, fmt.Errorf("specs/coverage.yaml excepts %s: %s, which a case touches", row.table, row.row))
		case is:
			covered++
		case !excepted[key]:
			errs = append(errs, fmt.Errorf("no case touches %s: %s", row.table, row.row))
		}
		delete(excepted, key)
	}
	for key := range excepted {
		errs = append(errs, fmt.Errorf("specs/coverage.yaml excepts a row that is not there: %s", key))
	}
	if n := len(except.Rows); n != except.Most {
		errs = append(errs, fmt.Errorf("specs/coverage.yaml has %d rows and says %d; the number may only fall", n, except.Most))
	}
	for _, err := range errs {
		fmt.Fprintln(stdout, err)
	}
	fmt.Fprintf(stdout, "%d of %d rows are touched by our own cases, %d by upstream suites alone\n", covered, len(all), len(except.Rows))
	return len(errs) == 0, nil
}
