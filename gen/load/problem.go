package load

import (
	"cmp"
	"fmt"
	"slices"
)

// Pos is the place of a row or a value in a table.
type Pos struct {
	File string // slash-separated, with the specs/ prefix
	Line int
}

func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Problem is one thing that is wrong with the tables.
type Problem struct {
	Pos   Pos
	Text  string
	model bool // found by comparing rows; meaningless when a whole table is missing
}

func (p Problem) String() string { return p.Pos.String() + ": " + p.Text }

// Problemf records a problem at a place. It drops problems that only exist because a row is unreadable.
func (t *Tables) Problemf(at Pos, format string, args ...any) {
	if !t.IsBroken(at) {
		t.add(Problem{Pos: at, Text: fmt.Sprintf(format, args...), model: true})
	}
}

// IsBroken reports whether the row at a place was unreadable as a whole, in which case its columns mean nothing.
func (t *Tables) IsBroken(at Pos) bool { return t.broken[at] || at == Pos{} }

func (t *Tables) record(at Pos, format string, args ...any) {
	t.add(Problem{Pos: at, Text: fmt.Sprintf(format, args...)})
}

func (t *Tables) add(p Problem) {
	if !slices.Contains(t.problems, p) {
		t.problems = append(t.problems, p)
	}
}

// Problems returns everything found so far, ordered by file and line. If a whole table is unreadable, it leaves out the
// problems that its absence causes in other tables.
func (t *Tables) Problems() []Problem {
	sorted := slices.Clone(t.problems)
	if t.unread {
		sorted = slices.DeleteFunc(sorted, func(p Problem) bool { return p.model })
	}
	slices.SortStableFunc(sorted, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
	return sorted
}
