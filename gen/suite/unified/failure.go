package unified

import (
	"io/fs"
	"strings"
)

// FailuresPath is the path of the table of cases that must fail, below specs.
const FailuresPath = "unified/failures.yaml"

// Failures says why each case that must fail does so. The cases are the format's own tests.
type Failures struct {
	rows map[[2]string]string
}

// MustFail returns part of the failure message of a case, and whether the case must fail. The cases of the folder valid-fail
// must fail, whatever the message when the table has no row for one.
func (f *Failures) MustFail(file, name string) (because string, must bool) {
	because = f.rows[[2]string{file, name}]
	return because, because != "" || strings.HasPrefix(file, "valid-fail/")
}

// LoadFailures reads the table from the specs directory.
func LoadFailures(specs fs.FS) (*Failures, error) {
	var table struct {
		Table string `yaml:"table"`
		Doc   string `yaml:"doc"`
		Spec  string `yaml:"spec"`
		Rows  []struct {
			File    string `yaml:"file"`
			Case    string `yaml:"case"`
			Because string `yaml:"because"`
		} `yaml:"rows"`
	}
	if err := decode(specs, FailuresPath, &table); err != nil {
		return nil, err
	}
	f := &Failures{rows: map[[2]string]string{}}
	for _, r := range table.Rows {
		f.rows[[2]string{r.File, r.Case}] = r.Because
	}
	return f, nil
}
