package bson

import "fmt"

// Must returns v, and panics if ok is false. Use it with methods whose names end in OK when the type of a value is
// certain, as in tests: bson.Must(raw.Lookup("name").StringOK()).
func Must[T any](v T, ok bool) T {
	if !ok {
		panic(fmt.Sprintf("bson: the value is no %T", v))
	}
	return v
}
