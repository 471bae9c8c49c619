package source

import (
	"strings"
	"testing"
)

const decided = `package p

// The rows.
const (
	A Row = iota
	B
)

type Row int

func pick(n int) Row {
	if n == 1 {
		return A
	}
	return B // the rest
}

func rows() []Row { return []Row{A, B} }
`

func TestChangedFindsBodies(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, new string // of the text
		places   int    // 0 = more than bodies differs
	}{
		{"a body", "n == 1", "n == 2", 1},
		{"two bodies, and a row less", "A Row = iota\n\tB", "B Row = iota", 2},
		{"a row more", "\tB\n)", "\tB\n\tC\n)", 0},
		{"a parameter", "pick(n int)", "pick(n int64)", 0},
		{"a type", "Row int", "Row int8", 0},
		{"a function more", "type Row int", "type Row int\nfunc more() {}", 0},
		{"a comment", "the rest", "all others", 0},
	} {
		is := strings.Replace(decided, tt.old, tt.new, 1)
		if tt.places == 2 {
			is = strings.NewReplacer("return A\n", "return B\n", "{A, B}", "{B}").Replace(is)
		}
		m := Changed(map[string]string{"p/p.go": decided}, map[string]string{"p/p.go": is})
		if got := len(placesOf(m)); got != tt.places {
			t.Errorf("%s: %d places, want %d", tt.name, got, tt.places)
		}
	}
	two := map[string]string{"p/p.go": decided, "q/q.go": decided}
	if m := Changed(two, map[string]string{"p/p.go": strings.Replace(decided, "== 1", "== 2", 1), "q/q.go": decided}); m != nil {
		t.Error("files of two packages are one mutant")
	}
}

func placesOf(m *Mutant) []*File {
	if m == nil {
		return nil
	}
	return m.Files()
}

// A mutant of several functions is on in all of them, or in none.
func TestWeaveOfSeveralBodies(t *testing.T) {
	is := strings.NewReplacer("n == 1", "n == 2", "{A, B}", "{A}").Replace(decided)
	m := Changed(map[string]string{"p/p.go": decided}, map[string]string{"p/p.go": is})
	woven := m.File.Weave(map[int]*Mutant{7: m})
	for _, want := range []string{"n == 1", "n == 2", "{A, B}", "{A}"} {
		if !strings.Contains(woven, want) {
			t.Errorf("%q is missing in\n%s", want, woven)
		}
	}
	if strings.Count(woven, "onionMutant(7)") != 2 || strings.Count(woven, "onionHit(7)") != 2 {
		t.Errorf("%s", woven)
	}
}
