package encrypted

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/specdrivers/onion/generated/options"
)

// Of returns the schema of the struct T, or of the struct that a pointer T points to. It reads the encrypt tags of its
// fields and of the structs in it, and takes the names from the bson tags. An error names every field whose tag is
// wrong, and what to write instead. It is also an error if no field has an encrypt tag.
func Of[T any]() (Schema, error) {
	t := reflect.TypeFor[T]()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("encrypted: %v is not a struct, and only the fields of a struct have tags", t)
	}
	w := &walk{}
	w.walkStruct(t, place{source: t.Name()})
	if err := errors.Join(w.wrong...); err != nil {
		return nil, err
	}
	if len(w.schema) == 0 {
		return nil, fmt.Errorf("%w (%v has none)", errEmpty, t)
	}
	return w.schema, w.schema.check()
}

// walk collects the fields of a struct, and the mistakes in them.
type walk struct {
	schema Schema
	wrong  []error
}

// place says where in the document a struct is.
type place struct {
	path   string // in BSON, with a dot after it unless it is empty
	source string // in Go
	outer  []reflect.Type
}

func (w *walk) walkStruct(t reflect.Type, at place) {
	at.outer = append(at.outer[:len(at.outer):len(at.outer)], t)
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, tagged := sf.Tag.Lookup("encrypt")
		stored, err := readBSON(sf)
		f := Field{Path: at.path + stored.name, source: at.source + "." + sf.Name}
		switch {
		case err != nil:
			w.fail(f.errorf("%v", err))
		case tagged && stored.skip:
			w.fail(f.errorf("is not written to BSON, so none of it is encrypted: export it and give it a name, or remove " +
				"its tag encrypt"))
		case stored.skip:
		case tagged && stored.inline:
			w.fail(f.errorf("is inlined, so it has no value of its own: put the tag encrypt on the fields inside it"))
		case tagged:
			w.takeTagged(f, sf, tag, stored)
		default:
			w.walkPlain(sf.Type, f, stored.inline, at)
		}
	}
}

func (w *walk) fail(err error) { w.wrong = append(w.wrong, err) }

// takeTagged adds a field that is encrypted as a whole.
func (w *walk) takeTagged(f Field, sf reflect.StructField, tag string, stored storage) {
	if inner := findTag(sf.Type, nil); inner != "" {
		w.fail(f.errorf("is encrypted as a whole, so %s in it cannot be encrypted again: remove one of the tags", inner))
		return
	}
	bsonType, open := typeOf(sf.Type, stored.minSize)
	if err := f.read(tag, bsonType); err != nil {
		w.fail(err)
		return
	}
	needs := f.Algorithm != options.AlgorithmRandom && f.Algorithm != options.AlgorithmUnindexed
	switch {
	case f.Type == "" && needs:
		w.fail(f.errorf("has the Go type %v: %s", sf.Type, open))
	case bsonType != "" && f.Type != bsonType:
		w.fail(f.errorf("has the type %s in its tag, but a %v is written as %s", f.Type, sf.Type, bsonType))
	case writesNull(sf.Type) && !stored.omit:
		w.fail(f.errorf("has the Go type %v, which is written as null when it is nil, and null cannot be encrypted: "+
			"add omitempty to its tag bson", sf.Type))
	default:
		w.schema = append(w.schema, f)
	}
}

// walkPlain looks into a field that is not encrypted as a whole.
func (w *walk) walkPlain(t reflect.Type, f Field, inline bool, at place) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	inner := findTag(t, nil)
	if inner == "" {
		return
	}
	switch {
	case t.Kind() != reflect.Struct:
		w.fail(f.errorf("is a %v, whose elements cannot be encrypted one by one: put the tag encrypt on the whole "+
			"field, and remove it from %s", t.Kind(), inner))
	case encodesItself(t):
		w.fail(f.errorf("has the type %v, which writes its own BSON, so the tag of %s has no effect: put the tag encrypt on the "+
			"whole field", t, inner))
	case slices.Contains(at.outer, t):
		w.fail(f.errorf("has the type %v again, so the paths of its encrypted fields would never end: put the tag encrypt on the "+
			"whole field", t))
	case inline:
		w.walkStruct(t, place{at.path, f.source, at.outer})
	default:
		w.walkStruct(t, place{f.Path + ".", f.source, at.outer})
	}
}

// findTag returns a field inside a type that has an encrypt tag, with the name of its struct. It is "" if there is none.
func findTag(t reflect.Type, seen []reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return findTag(t.Elem(), seen)
	case reflect.Struct:
	default:
		return ""
	}
	if slices.Contains(seen, t) {
		return ""
	}
	seen = append(seen[:len(seen):len(seen)], t)
	for i := range t.NumField() {
		sf := t.Field(i)
		if _, ok := sf.Tag.Lookup("encrypt"); ok {
			return t.Name() + "." + sf.Name
		}
		if inner := findTag(sf.Type, seen); inner != "" {
			return inner
		}
	}
	return ""
}

// storage is what the tag bson says about where and how a field is written.
type storage struct {
	name                        string
	skip, inline, omit, minSize bool
}

// readBSON reads the tag bson as package bson does.
func readBSON(sf reflect.StructField) (storage, error) {
	text, ok := sf.Tag.Lookup("bson")
	if !ok && !strings.Contains(string(sf.Tag), ":") {
		text = string(sf.Tag)
	}
	if text == "-" || !sf.IsExported() {
		return storage{skip: true}, nil
	}
	name, rest, _ := strings.Cut(text, ",")
	s := storage{name: name}
	if name == "" {
		s.name = strings.ToLower(sf.Name)
	}
	for option := range strings.SplitSeq(rest, ",") {
		switch option {
		case "omitempty", "omitzero":
			s.omit = true
		case "inline":
			s.inline = true
		case "minsize":
			s.minSize = true
		}
	}
	if !s.inline && strings.Contains(s.name, ".") {
		return s, errors.New("has a dot in its name, which in a path would mean an embedded document: give it another name")
	}
	return s, nil
}
