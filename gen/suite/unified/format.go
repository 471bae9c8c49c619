package unified

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// TablePath is the path of the format's table in the specs directory.
const TablePath = "unified/format.yaml"

// Format is the table of what a file may hold.
type Format struct {
	Table    string               `yaml:"table"`
	Doc      string               `yaml:"doc"`
	Spec     string               `yaml:"spec"`
	Patterns map[string]string    `yaml:"patterns"`
	Enums    map[string][]string  `yaml:"enums"`
	Objects  map[string]objectRow `yaml:"objects"`

	// Operators are the special operators of matches: whether their argument is a plain value or a match itself.
	Operators map[string]string `yaml:"operators"`

	types map[string]rule // by the text of the type, resolved once
}

// objectRow says which keys an object may have.
type objectRow struct {
	Open     bool              `yaml:"open"` // keys that no row names are allowed
	Fields   map[string]string `yaml:"fields"`
	Matching map[string]string `yaml:"matching"` // by a pattern of the key
	Required []string          `yaml:"required"`
	AtLeast  int               `yaml:"atLeast"`
	AtMost   int               `yaml:"atMost"`
	Apart    [][]string        `yaml:"apart"` // fields that exclude each other
	Choose   *choice           `yaml:"choose"`
}

// choice gives a field the type that the value of another field names.
type choice struct {
	By     string            `yaml:"by"`
	Absent string            `yaml:"absent"`
	Field  string            `yaml:"field"`
	Types  map[string]string `yaml:"types"`
}

// LoadFormat reads the table from the specs directory and resolves every type in it.
func LoadFormat(specs fs.FS) (*Format, error) {
	file, err := specs.Open(TablePath)
	if err != nil {
		return nil, fmt.Errorf("unified: read the table of the format: %w", err)
	}
	defer file.Close()
	f := &Format{types: map[string]rule{}}
	d := yaml.NewDecoder(file)
	d.KnownFields(true)
	if err := d.Decode(f); err != nil {
		return nil, fmt.Errorf("unified: specs/%s: %w", TablePath, err)
	}
	if err := f.resolve("file"); err != nil {
		return nil, fmt.Errorf("unified: specs/%s: %w", TablePath, err)
	}
	for name := range f.Objects {
		if f.types[name] == nil {
			return nil, fmt.Errorf("unified: specs/%s: nothing refers to the object %s", TablePath, name)
		}
	}
	return f, nil
}

// resolve turns the text of a type, and the types below it, into rules.
func (f *Format) resolve(text string) error {
	if f.types[text] != nil {
		return nil
	}
	build := func(part string, rest func(rule) rule) error {
		if err := f.resolve(part); err != nil {
			return err
		}
		f.types[text] = rest(f.types[part])
		return nil
	}
	if left, right, ok := strings.Cut(text, " or "); ok {
		if err := f.resolve(right); err != nil {
			return err
		}
		return build(left, func(r rule) rule { return either{r, f.types[right], text} })
	}
	if of, ok := strings.CutPrefix(text, "list of "); ok {
		return build(of, func(r rule) rule { return list{of: r} })
	}
	if of, ok := strings.CutPrefix(text, "some "); ok {
		return build(of, func(r rule) rule { return list{of: r, atLeast: 1} })
	}
	if of, ok := strings.CutPrefix(text, "map of "); ok {
		return build(of, func(r rule) rule { return mapOf{r} })
	}
	if basic, ok := basics[text]; ok {
		f.types[text] = basic
		return nil
	}
	if values, ok := f.Enums[text]; ok {
		f.types[text] = enum(values)
		return nil
	}
	if expr, ok := f.Patterns[text]; ok {
		re, err := regexp.Compile(expr)
		f.types[text] = pattern{re}
		return err
	}
	row, ok := f.Objects[text]
	if !ok {
		return fmt.Errorf("no type is called %q", text)
	}
	return f.resolveObject(text, row)
}

// resolveObject registers the rule before its fields are resolved, because a span holds spans.
func (f *Format) resolveObject(name string, row objectRow) error {
	o := &object{name: name, row: row, fields: map[string]rule{}, chosen: map[string]rule{}}
	f.types[name] = o
	for field, text := range row.Fields {
		if err := f.resolve(text); err != nil {
			return fmt.Errorf("%s.%s: %w", name, field, err)
		}
		o.fields[field] = f.types[text]
	}
	for expr, text := range row.Matching {
		re, err := regexp.Compile(expr)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := f.resolve(text); err != nil {
			return fmt.Errorf("%s: %s: %w", name, expr, err)
		}
		o.matching = append(o.matching, matching{re, f.types[text]})
	}
	if row.Choose == nil {
		return nil
	}
	for value, text := range row.Choose.Types {
		if err := f.resolve(text); err != nil {
			return fmt.Errorf("%s: choose %s: %w", name, value, err)
		}
		o.chosen[value] = f.types[text]
	}
	return nil
}
