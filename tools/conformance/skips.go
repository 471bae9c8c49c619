package main

import (
	"errors"
	"fmt"
	"os"

	"gopkg.in/yaml.v3"

	"github.com/specdrivers/onion/gen/suite"
)

// skips holds the rows of specs/skips.yaml.
type skips struct {
	Table string    `yaml:"table"`
	Doc   string    `yaml:"doc"`
	Rows  []skipRow `yaml:"rows"`

	accounts func(variable string) bool // the accounts at hand, nil for none
}

type skipRow struct {
	Suite  string `yaml:"suite"`
	File   string `yaml:"file"`
	Case   string `yaml:"case"`
	Reason string `yaml:"reason"`
	// On names the topologies that the case cannot run on; it runs on the others. Empty skips the whole case.
	On []string `yaml:"on"`
	// Needs names the variables of the environment with the credentials that the case is waiting for. It runs on a real deployment
	// when all are set.
	Needs []string `yaml:"needs"`

	matched bool
}

func readSkips(name string) (*skips, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s := &skips{}
	d := yaml.NewDecoder(file)
	d.KnownFields(true)
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("specs/skips.yaml: %w", err)
	}
	for i, row := range s.Rows {
		if row.Suite == "" || row.File == "" || row.Case == "" || row.Reason == "" {
			return nil, fmt.Errorf("specs/skips.yaml: row %d needs suite, file, case and reason", i+1)
		}
	}
	return s, nil
}

// row returns the row about a case, or nil if there is none.
func (s *skips) row(f *suite.File, name string) *skipRow {
	for i := range s.Rows {
		if row := &s.Rows[i]; row.Suite == f.Suite && row.File == f.Name() && row.Case == name {
			row.matched = true
			return row
		}
	}
	return nil
}

// reason is why a case is skipped, or nothing.
func (s *skips) reason(f *suite.File, name string) string {
	if row := s.row(f, name); row != nil && len(row.On) == 0 && !s.isLifted(row) {
		return row.Reason
	}
	return ""
}

// isLifted reports whether a case has the accounts that it needs.
func (s *skips) isLifted(row *skipRow) bool {
	if s.accounts == nil || len(row.Needs) == 0 {
		return false
	}
	for _, variable := range row.Needs {
		if !s.accounts(variable) {
			return false
		}
	}
	return true
}

// topologiesToSkip lists the topologies that a case cannot run on.
func (s *skips) topologiesToSkip(f *suite.File, name string) []string {
	if row := s.row(f, name); row != nil {
		return row.On
	}
	return nil
}

// checkUnused returns an error that names every row whose file exists but that matched no case. A checkout may hold only
// some of the files, so a row for a missing file is no error.
func (s *skips) checkUnused(compiled *suite.Result) error {
	seen := map[string]bool{}
	for _, c := range compiled.Cases {
		seen[c.File.Suite+"/"+c.File.Name()] = true
	}
	var errs []error
	for _, row := range s.Rows {
		if !row.matched && seen[row.Suite+"/"+row.File] {
			errs = append(errs, fmt.Errorf("specs/skips.yaml: no case %s/%s: %q", row.Suite, row.File, row.Case))
		}
	}
	return errors.Join(errs...)
}
