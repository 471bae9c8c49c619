package main

import (
	"cmp"
	"slices"
)

// kills counts the mutants that a package's tests killed: by table, and all of them under the name "".
type kills map[string]map[string]int

func (k kills) add(f *fate) {
	if f.Verdict != killed {
		return // a package that does not compile says nothing about its tests
	}
	for _, table := range []string{f.File, ""} {
		if k[table] == nil {
			k[table] = map[string]int{}
		}
		k[table][f.By]++
	}
}

// order sorts packages so that a mutant of a table dies early: by how many mutants of the same table they killed, then by how many
// of all tables. Packages that killed none follow, the test binary with the fewest packages first: it is the nearest to the change
// and the cheapest to build, and building costs more than most tests. The go command builds and runs packages in the given order,
// so it seldom links a test that turns out to be unnecessary.
func (k kills) order(names []string, table string, size func(name string) int) []string {
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(
			cmp.Compare(k[table][b], k[table][a]),
			cmp.Compare(k[""][b], k[""][a]),
			cmp.Compare(size(a), size(b)),
		)
	})
	return names
}
