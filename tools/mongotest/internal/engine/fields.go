package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// Fields are the fields of a command that the layer above runs, beside those that every command takes.
type Fields struct {
	list   []field
	strict int32  // the first wire version that refuses other fields
	why    string // the reason why no version does
}

// Takes declares fields. Each is its name, and its type if a server checks that, with an exclamation mark if the field is
// required: "roles:array!". Servers from 5.0 on refuse any other field, and older ones ignore it.
func Takes(fields ...string) *Fields {
	return (&Fields{strict: wire.Server50}).Since(0, fields...)
}

// Since declares more fields, which older servers do not know.
func (f *Fields) Since(version int32, fields ...string) *Fields {
	for _, s := range fields {
		name, kindName, _ := strings.Cut(s, ":")
		kindName, needed := strings.CutSuffix(kindName, "!")
		kind, known := kindsByName[kindName]
		if !known {
			panic(fmt.Sprintf("mongotest: %s: %q is no type of a field", s, kindName))
		}
		if needed {
			kind |= required
		}
		f.list = append(f.list, field{name, version, kind})
	}
	return f
}

// StrictSince names the first version that refuses any other field.
func (f *Fields) StrictSince(version int32) *Fields {
	f.strict = version
	return f
}

// Ignoring says that servers ignore any other field, and why.
func (f *Fields) Ignoring(why string) *Fields {
	f.why = why
	return f
}

// Knows reports whether a field is declared, or one that every command takes.
func (f *Fields) Knows(name string) bool {
	return isGeneric(name) || name == "comment" || slices.ContainsFunc(f.list, func(have field) bool { return have.name == name })
}

// Check refuses what a server of a version would refuse in a command: a field that it does not know, one of another type,
// and the lack of one that is required.
func (f *Fields) Check(name string, body bson.Raw, version int32) error {
	r := &Request{Name: name, Body: body, WireVersion: version, ignoring: f.why != "" || version < f.strict}
	_, err := r.parse(f.list)
	return err
}

// kindsByName are the types of fields by the names that Takes knows.
var kindsByName = map[string]kind{
	"": anything, "object": document, "array": array, "string": text, "bool": flag, "flag": boolean, "number": integer,
}
