package model

import (
	"strconv"

	"github.com/specdrivers/onion/gen/load"
)

// Layouts is what the emitter of layouts sees: the constants of one file.
type Layouts struct {
	File, Package, Doc string
	Constants          []Constant
}

// layoutSizes are the lengths of types. A type of length 0 ends where its value says.
var layoutSizes = map[string]int{
	"uint8": 1, "uint8_t": 1, "int32": 4, "int32_t": 4, "uint32": 4,
	"document": 0, "document*": 0, "cstring": 0, "Section+": 0, "char": 0, "union": 0,
}

// NewLayouts returns the function that computes where the fields of a table of layouts are.
func NewLayouts(file string) func(*load.Tables) *Layouts {
	return func(t *load.Tables) *Layouts {
		in := t.Layouts(file)
		out := &Layouts{File: file, Package: in.Package, Doc: in.Doc}
		names := newGoNames(t)
		for _, r := range in.Rows {
			checkSentence(t, r.At, r.Doc)
			for _, c := range layoutConstants(t, r) {
				names.add(c.Name, r.At)
				out.Constants = append(out.Constants, c)
			}
		}
		return out
	}
}

// layoutConstants are the places of the fields, up to the first without a fixed length; after that one, the lengths.
func layoutConstants(t *load.Tables, r load.Layout) []Constant {
	var out []Constant
	at, open := 0, false
	for _, f := range r.Fields {
		size, known := layoutSizes[f.Type]
		if !known {
			t.Problemf(f.At, "%s has a type of unknown length, %s", f.Field, f.Type)
		}
		if f.Count != "" {
			count, _ := strconv.Atoi(f.Count) // a word says that the length is not fixed
			size *= count
		}
		name := r.Name + f.Name
		if open {
			out = append(out, Constant{Name: name + "Size", Value: size, Doc: name + "Size is the length of " + f.Field + "."})
			continue
		}
		out = append(out, Constant{Name: name + "At", Value: at, Doc: name + "At is where " + f.Field + " begins."})
		at += size
		open = size == 0
	}
	if !open {
		out = append(out, Constant{Name: r.Name + "Size", Value: at, Doc: r.Name + "Size is the length of all fields."})
	}
	return out
}
