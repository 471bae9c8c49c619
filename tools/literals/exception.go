package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"
)

const (
	exceptionsFile = "specs/literals.yaml"
	upstream       = "upstream" // the kind of exceptions for literals of upstream's documents that no table of ours holds
)

// exceptions is specs/literals.yaml.
type exceptions struct {
	Doc  string       `yaml:"doc"`
	Rows []*exception `yaml:"rows"`
}

// exception excuses literals: some values, in the files whose paths begin with one of the places. Without places they may
// stand anywhere, and without values all literals of the places may stay.
type exception struct {
	Kind     string   `yaml:"kind"`
	Literals []string `yaml:"literals"`
	Places   []string `yaml:"places"`
	Because  string   `yaml:"because"`

	used map[string]bool
}

func readExceptions(root string) (*exceptions, error) {
	data, err := os.ReadFile(filepath.Join(root, exceptionsFile))
	if err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	decoder.KnownFields(true)
	out := &exceptions{}
	if err := decoder.Decode(out); err != nil {
		return nil, fmt.Errorf("%s: %w", exceptionsFile, err)
	}
	for _, r := range out.Rows {
		r.used = map[string]bool{}
		switch {
		case r.Because == "":
			err = errors.Join(err, fmt.Errorf("%s: the row of %q and %q has no reason", exceptionsFile, r.Literals, r.Places))
		case len(r.Literals)+len(r.Places) == 0, r.Kind != "" && r.Kind != upstream:
			err = errors.Join(err, fmt.Errorf("%s: the row because %q names nothing, or an unknown kind", exceptionsFile, r.Because))
		}
	}
	return out, err
}

// allows reports whether a row of the kind excuses a literal, and notes that it does.
func (e *exceptions) allows(l literal, kind string) bool {
	_, value, _ := strings.Cut(l.value, " ")
	allowed := false
	for _, r := range e.Rows {
		if r.Kind != kind || !r.has(r.Literals, func(want string) bool { return want == value }) ||
			!r.has(r.Places, func(prefix string) bool { return strings.HasPrefix(l.file, prefix) }) {
			continue
		}
		allowed = true
	}
	return allowed
}

// has reports whether one of a list fits, and notes which do. An empty list fits everything.
func (r *exception) has(list []string, fits func(string) bool) bool {
	found := len(list) == 0
	for _, s := range list {
		if fits(s) {
			r.used[s], found = true, true
		}
	}
	return found
}

// listUnused returns a line for each literal and place of a kind that excused nothing.
func (e *exceptions) listUnused(kind string) []string {
	var out []string
	for _, r := range e.Rows {
		for _, s := range append(append([]string{}, r.Literals...), r.Places...) {
			if r.Kind == kind && !r.used[s] {
				out = append(out, fmt.Sprintf("%s: nothing needs the exception %q any more", exceptionsFile, s))
			}
		}
	}
	return out
}
