package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/specdrivers/onion/gen/load"
)

// exceptions holds the rows of specs/coverage.yaml.
type exceptions struct {
	Table  string `yaml:"table"`
	Doc    string `yaml:"doc"`
	Most   int    `yaml:"most"`
	Groups []struct {
		Table string   `yaml:"table"`
		Suite string   `yaml:"suite"`
		Rows  []string `yaml:"rows"`
	} `yaml:"rows"`
}

// Packages that also compile the suites cannot import them, so these repeat TouchedVariable and TouchedPrefix.
const (
	touchedVariable = "ONION_TOUCHED"
	touchedPrefix   = "touched\t"
)

// runCoverage runs our own cases, and reports the rows that nothing covers.
func runCoverage(root string, stdout io.Writer) (bool, error) {
	notes, err := touchedRows(root)
	if err != nil {
		return false, err
	}
	return reportCoverage(root, notes, stdout)
}

// reportCoverage reports the rows of the tables that neither a case of ours touches nor a test of ours names. notes are what the
// cases touch; nil makes it look only at the rows that tests name, and at the exceptions.
func reportCoverage(root string, notes []string, stdout io.Writer) (bool, error) {
	specs := os.DirFS(filepath.Join(root, "specs"))
	tables := load.NewTables(specs)
	touchable := rows(tables)
	if problems := tables.Problems(); len(problems) > 0 {
		return false, fmt.Errorf("%s", problems[0])
	}
	named, err := namedRows(specs)
	if err != nil {
		return false, err
	}
	words, err := wordsOfTests(root)
	if err != nil {
		return false, err
	}
	except, err := readExceptions(filepath.Join(root, "specs", "coverage.yaml"))
	if err != nil {
		return false, err
	}
	if notes == nil {
		notes = expected(touchable, except)
	}
	return judgeCoverage(append(touchable, named...), notes, words, except, stdout)
}

// expected are the notes of cases that touch exactly the rows that are no exceptions.
func expected(all []tableRow, except *exceptions) []string {
	excepted := except.rows()
	var notes []string
	for _, row := range all {
		if note := row.table + "\t" + row.row; !excepted[note] {
			notes = append(notes, note)
		}
	}
	return notes
}

// rows are the exceptions as notes would name them.
func (e *exceptions) rows() map[string]bool {
	out := map[string]bool{}
	for _, group := range e.Groups {
		for _, row := range group.Rows {
			out[group.Table+"\t"+row] = true
		}
	}
	return out
}

// touchedRows runs our own cases and returns what they note. The go command caches the results together with the notes,
// so it is fast as long as nothing has changed.
func touchedRows(root string) ([]string, error) {
	packages, err := touchingPackages(root)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("go", append([]string{"test", "-v", "-vet=off", "-p", "2"}, packages...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), touchedVariable+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("run our own cases: %w\n%s", err, out)
	}
	var notes []string
	for line := range strings.Lines(string(out)) {
		if note, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), touchedPrefix); ok {
			notes = append(notes, note)
		}
	}
	if len(notes) == 0 {
		return nil, errors.New("our own cases note nothing that they touch")
	}
	return notes, nil
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

// judgeCoverage compares the rows with the notes of the cases and the words of the tests. Each row must be touched or
// be an exception. An exception must not name a row that a case touches; it may name a row that a test has begun to
// name, until somebody removes the exception.
func judgeCoverage(all []tableRow, notes []string, words map[string]bool, except *exceptions, stdout io.Writer) (bool, error) {
	touched := map[string][]string{}
	exact := map[string]bool{}
	for _, note := range notes {
		table, row, _ := strings.Cut(note, "\t")
		touched[table] = append(touched[table], row)
		exact[note] = true
	}
	excepted := except.rows()
	total := len(excepted)
	var errs []error
	covered := map[string]int{}
	for _, row := range all {
		key, how := row.table+"\t"+row.row, "cases"
		is := exact[key]
		for _, text := range touched[row.table] {
			is = is || row.pattern != nil && row.pattern.MatchString(text)
		}
		if row.names != nil {
			is, how = slices.ContainsFunc(row.names, func(name string) bool { return words[name] }), "tests"
		}
		switch {
		case is && excepted[key] && row.names == nil:
			errs = append(errs, fmt.Errorf("specs/coverage.yaml excepts %s: %s, which a case touches", row.table, row.row))
		case is && !excepted[key]:
			covered[how]++
		case !excepted[key]:
			errs = append(errs, fmt.Errorf("no case or test touches %s: %s", row.table, row.row))
		}
		delete(excepted, key)
	}
	for key := range excepted {
		errs = append(errs, fmt.Errorf("specs/coverage.yaml excepts a row that is not there: %s", key))
	}
	if total != except.Most {
		errs = append(errs, fmt.Errorf("specs/coverage.yaml has %d rows and says %d; the number may only fall", total, except.Most))
	}
	for _, err := range errs {
		fmt.Fprintln(stdout, err)
	}
	fmt.Fprintf(stdout, "%d rows: our own cases touch %d, our tests name %d, only upstream suites exercise %d\n",
		len(all), covered["cases"], covered["tests"], total)
	return len(errs) == 0, nil
}
