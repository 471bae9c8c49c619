package unified

import (
	"fmt"
	"io/fs"
	"strings"

	"gopkg.in/yaml.v3"
)

// OperationsPath is the path of the table of operations below specs.
const OperationsPath = "unified/operations.yaml"

// Operations is the table of the operations that tests may call.
type Operations struct {
	rows map[string]*OperationRow // by the kind of entity and the name
}

// OperationRow is one operation.
type OperationRow struct {
	On      string   `yaml:"on"`
	Name    string   `yaml:"name"`
	Args    []string `yaml:"args"`
	Options string   `yaml:"options"` // the struct of package options that takes the other arguments
	Ignores []string `yaml:"ignores"`
	Saves   string   `yaml:"saves"` // the kind of entity that the result is saved as; empty for a value

	Target string     `yaml:"-"` // for a row of the runner: the kind of entity that the call is made on
	Params []Argument `yaml:"-"`
}

// Argument is what is passed to an operation.
type Argument struct {
	Names    []string // any of them names it; none for a struct of package options that takes its fields
	Kind     string
	Optional bool
}

// Runner is the kind that special test operations are on. Unified Test Format, "Special Test Operations".
const Runner = "runner"

// Find finds an operation by the kind of its entity and its name.
func (o *Operations) Find(kind, name string) *OperationRow { return o.rows[kind+"."+name] }

// LoadOperations reads the table from the specs directory.
func LoadOperations(specs fs.FS) (*Operations, error) {
	var table struct {
		Table string          `yaml:"table"`
		Doc   string          `yaml:"doc"`
		Spec  string          `yaml:"spec"`
		Rows  []*OperationRow `yaml:"rows"`
	}
	if err := decode(specs, OperationsPath, &table); err != nil {
		return nil, err
	}
	o := &Operations{rows: map[string]*OperationRow{}}
	for _, r := range table.Rows {
		kind, target, _ := strings.Cut(r.On, " ")
		r.Target = target
		for _, text := range r.Args {
			name, of, named := strings.Cut(text, " ")
			if !named {
				r.Params = append(r.Params, Argument{Kind: text})
				continue
			}
			name, optional := strings.CutSuffix(name, "?")
			r.Params = append(r.Params, Argument{Names: strings.Split(name, "|"), Kind: of, Optional: optional})
		}
		key := kind + "." + r.Name
		if o.rows[key] != nil {
			return nil, fmt.Errorf("unified: specs/%s: the operation %s of a %s appears twice", OperationsPath, r.Name, kind)
		}
		o.rows[key] = r
	}
	return o, nil
}

// decode reads a table strictly.
func decode(specs fs.FS, name string, into any) error {
	file, err := specs.Open(name)
	if err != nil {
		return fmt.Errorf("unified: %w", err)
	}
	defer file.Close()
	d := yaml.NewDecoder(file)
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("unified: specs/%s: %w", name, err)
	}
	return nil
}
