package main

import (
	"fmt"
	"slices"
)

// findContradictions finds columns for which two places of upstream give different values. It writes neither. The row keeps
// its value until a person settles the contradiction with an override.
func (s *session) findContradictions(tables []table) ([]change, []table) {
	type said struct{ value, source string }
	first := map[string]said{}
	var out []change
	settled := make([]table, len(tables))
	doubtful := map[string]bool{}
	for _, t := range tables {
		for _, r := range t.rows {
			for _, f := range r.facts {
				key := t.file + " " + t.prefix() + t.list + " " + r.key + " " + f.column
				was, known := first[key]
				switch {
				case !known:
					first[key] = said{f.value, t.source}
				case was.value != f.value && s.isSettled(t, r.key, f.column):
					doubtful[key] = true
				case was.value != f.value && !(isNumeric(f.column) && sameNumber(was.value, f.value)) && !doubtful[key]:
					doubtful[key] = true
					text := fmt.Sprintf("%s%s %s: %s says %q, %s says %q; settle it with an override",
						t.prefix(), r.key, f.column, was.source, was.value, t.source, f.value)
					out = append(out, change{what: "contradiction", file: t.file, text: text})
				}
			}
		}
	}
	taken := map[string]int{}
	for i, t := range tables {
		rows := make([]row, 0, len(t.rows))
		for _, r := range t.rows {
			r.facts = slices.DeleteFunc(slices.Clone(r.facts), func(f fact) bool {
				key := t.file + " " + t.prefix() + t.list + " " + r.key + " " + f.column
				if by, again := taken[key]; again && by != i {
					return true // said twice, compared once
				}
				taken[key] = i
				return doubtful[key]
			})
			rows = append(rows, r)
		}
		t.rows = rows
		settled[i] = t
	}
	return out, settled
}

// isSettled reports whether an override says that the row differs from upstream in a column on purpose.
func (s *session) isSettled(t table, key, name string) bool {
	f, err := s.file(t.file)
	if err != nil {
		return false
	}
	holder, err := f.holder(t)
	if err != nil || holder == nil || column(holder, t.list) == nil {
		return false
	}
	n := find(column(holder, t.list), t.key, key)
	return n != nil && isOverridden(n, name)
}
