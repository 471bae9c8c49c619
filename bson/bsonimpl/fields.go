package bsonimpl

import (
	"sync"

	"github.com/specdrivers/onion/bson/internal/names"
)

// Fields are the names of a struct's fields, in the order of the cases of the generated switch.
type Fields struct {
	Names []string

	once  sync.Once
	table names.Table
}

// lookup returns the position of the field that a key belongs to, -1 if there is none.
func (f *Fields) lookup(key []byte) int {
	f.once.Do(func() { f.table = names.New(f.Names) })
	return f.table.Lookup(key)
}

// isAt reports whether the name of the i-th field and a zero byte are at the start of b.
func (f *Fields) isAt(i int, b []byte) bool {
	if i >= len(f.Names) {
		return false
	}
	name := f.Names[i]
	n := len(name)
	return n < len(b) && b[n] == 0 && string(b[:n]) == name
}
