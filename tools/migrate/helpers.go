package main

import (
	"maps"
	"slices"
)

// helpers are the functions that rewritten code may call. The first file of a package that needs one declares it.
var helpers = map[string]struct{ imports, source string }{
	"pointerTo": {"", `
// pointerTo makes a pointer to a copy of v, for the fields of options.
func pointerTo[T any](v T) *T { return &v }
`},
	"orOutOfBounds": {"errors", `
// orOutOfBounds turns the bool of Index into the error of the official driver's IndexErr.
func orOutOfBounds[T any](v T, ok bool) (T, error) {
	if !ok {
		return v, errors.New("out of bounds")
	}
	return v, nil
}
`},
	"orZero": {"", `
// orZero returns what p points to, or the zero value for a field that is not set.
func orZero[T any](p *T) T {
	if p == nil {
		p = new(T)
	}
	return *p
}
`},
}

// helper returns the name of a helper, and has it declared in this file if no other file of the package declares it.
func (f *file) helper(name string) string {
	key := f.pkg.PkgPath + "." + name
	if !f.helped[key] {
		f.helped[key] = true
		f.helpers[name] = true
		if path := helpers[name].imports; path != "" {
			f.extra[path] = true
		}
	}
	return name
}

// helperText is the source of the helpers that this file declares.
func (f *file) helperText() string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(f.helpers)) {
		text += helpers[name].source
	}
	return text
}
