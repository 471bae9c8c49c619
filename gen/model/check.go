package model

import (
	"go/token"
	"go/types"
	"time"

	"github.com/specdrivers/onion/gen/load"
)

// unique records a problem for a key that an earlier row already has. what describes the key, as in
// "code 189 is named twice (PrimarySteppedDown, line 12)".
type unique[K comparable] struct {
	tables *load.Tables
	seen   map[K]owner
}

type owner struct {
	name string
	at   load.Pos
}

func newUnique[K comparable](t *load.Tables) *unique[K] {
	return &unique[K]{tables: t, seen: map[K]owner{}}
}

// add records that the row at a place, called name, has the key.
func (u *unique[K]) add(key K, name string, at load.Pos, format string, args ...any) {
	if u.tables.IsBroken(at) {
		return
	}
	if first, twice := u.seen[key]; twice {
		where := first.at.String()
		if first.at.File == at.File {
			where = "line " + where[len(at.File)+1:]
		}
		u.tables.Problemf(at, format+" (%s, %s)", append(args, first.name, where)...)
		return
	}
	u.seen[key] = owner{name: name, at: at}
}

// goNames checks that names are exported Go identifiers and that no two rows of a package share one.
type goNames struct{ *unique[string] }

func newGoNames(t *load.Tables) goNames { return goNames{newUnique[string](t)} }

func (g goNames) add(name string, at load.Pos) {
	if !token.IsIdentifier(name) || !token.IsExported(name) {
		g.tables.Problemf(at, "%q is not an exported Go name", name)
	}
	g.unique.add(name, name, at, "name %s is given twice", name)
}

// checkSentence checks that a doc column is a sentence: it becomes a Go comment.
func checkSentence(t *load.Tables, at load.Pos, doc string) {
	if doc == load.Unwritten {
		t.Problemf(at, "write what this row is about")
	}
	if doc == "" || doc[len(doc)-1] != '.' {
		t.Problemf(at, "doc needs a sentence that ends with a full stop")
	}
}

// checkRange checks that a smallest value is not over a largest one.
func checkRange(t *load.Tables, at load.Pos, name string, least, most *int64) {
	if least != nil && most != nil && *least > *most {
		t.Problemf(at, "%s: min %d is over max %d", name, *least, *most)
	}
}

// checkParameter checks the name of a parameter of a generated function: it must not hide what the function calls.
func checkParameter(t *load.Tables, at load.Pos, of, name string) {
	if _, hides := types.Universe.Lookup(name).(*types.TypeName); hides || !token.IsIdentifier(name) {
		t.Problemf(at, "%s: %s cannot be the name of a parameter", of, name)
	}
}

// checkNotNegative checks that a text is not a negative span of time.
func checkNotNegative(t *load.Tables, at load.Pos, name, text string) {
	if d, err := time.ParseDuration(text); err == nil && d < 0 {
		t.Problemf(at, "%s: the duration %s is negative", name, text)
	}
}
