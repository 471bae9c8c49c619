package bson

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/specdrivers/onion/bson/internal/names"
)

// structPlan is what encoding and decoding a struct type needs to know.
type structPlan struct {
	fields    []field     // in the order of declaration, inlined ones in their place
	encFields []encField  // the same, for encoding
	decFields []decField  // the same, for decoding
	byName    names.Table // of fields
	rest      *field      // the inlined map, which takes every other element
	exported  []member    // the struct's own exported fields
}

// field is an element of the document that a struct is encoded as.
type field struct {
	name   string
	codec  *codec
	hops   []hop   // the pointers to inlined structs on the way
	offset uintptr // from the last hop, or from the struct
	index  []int   // position of the field, as in reflect.Type.FieldByIndex
	fieldTag
}

// hop is a pointer to an inlined struct.
type hop struct {
	offset uintptr
	target reflect.Type
}

type member struct {
	codec  *codec
	offset uintptr
}

// reach returns the address of the field in the struct at p, nil if a pointer on the way is nil.
func (fd *field) reach(p unsafe.Pointer) unsafe.Pointer {
	for _, h := range fd.hops {
		if p = *(*unsafe.Pointer)(unsafe.Add(p, h.offset)); p == nil {
			return nil
		}
	}
	return unsafe.Add(p, fd.offset)
}

// reachNew is reach that allocates the structs on the way.
func (fd *field) reachNew(p unsafe.Pointer) unsafe.Pointer {
	for _, h := range fd.hops {
		next := (*unsafe.Pointer)(unsafe.Add(p, h.offset))
		if *next == nil {
			*next = reflect.New(h.target).UnsafePointer()
		}
		p = *next
	}
	return unsafe.Add(p, fd.offset)
}

// useStruct fills in the codec of a struct.
func (b *compiler) useStruct(c *codec) {
	c.plan = &structPlan{}
	fields, rest, err := b.fields(c.typ, nil, b.cache.jsonTags || c.static != nil && c.static.JSONTags)
	if err != nil {
		c.fail(fmt.Errorf("struct %v: %w", c.typ, err))
		return
	}
	c.plan.fields, c.plan.rest = fields, rest
	keys := make([]string, len(fields))
	for i := range fields {
		keys[i] = fields[i].name
	}
	c.plan.byName = names.New(keys)
	for i := range c.typ.NumField() {
		if f := c.typ.Field(i); f.IsExported() {
			c.plan.exported = append(c.plan.exported, member{codec: b.codec(f.Type), offset: f.Offset})
		}
	}
	c.encode, c.decode, c.empty = encodeStruct, decodeStruct, emptyStruct
}

// fields returns the fields of t with those of inlined structs, and the inlined map if there is one. outer are the structs
// that t is being inlined into.
func (b *compiler) fields(t reflect.Type, outer []reflect.Type, jsonTags bool) (fields []field, rest *field, err error) {
	if slices.Contains(outer, t) {
		return nil, nil, errors.New("it is inlined into itself")
	}
	for i := range t.NumField() {
		sf := t.Field(i)
		if !sf.IsExported() {
			continue
		}
		tag, err := parseTag(sf, jsonTags)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case tag.skip:
		case tag.inline:
			inner, innerRest, err := b.inline(sf, append(outer, t), jsonTags)
			if err != nil {
				return nil, nil, err
			}
			if innerRest != nil && rest != nil {
				return nil, nil, errors.New("there is more than one inlined map")
			}
			fields = append(fields, inner...)
			rest = cmp.Or(rest, innerRest)
		default:
			fields = append(fields, field{
				name: tag.name, codec: b.codec(sf.Type), offset: sf.Offset, index: []int{i}, fieldTag: tag,
			})
		}
	}
	fields, err = dominant(fields, b.cache.errorOnDuplicates)
	return fields, rest, err
}

// inline returns the fields that the inlined field sf stands for.
func (b *compiler) inline(sf reflect.StructField, outer []reflect.Type, jsonTags bool) (fields []field, rest *field, err error) {
	t := sf.Type
	if t.Kind() == reflect.Map {
		if t.Key().Kind() != reflect.String {
			return nil, nil, fmt.Errorf("the keys of the inlined map %s must be strings", sf.Name)
		}
		return nil, &field{codec: b.codec(t), offset: sf.Offset, index: sf.Index}, nil
	}
	pointer := t.Kind() == reflect.Pointer
	if pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, nil, fmt.Errorf("field %s is inlined, but is neither struct nor pointer to struct nor map", sf.Name)
	}
	fields, rest, err = b.fields(t, outer, jsonTags)
	if err != nil {
		return nil, nil, err
	}
	for i := range fields {
		fields[i].prepend(sf, t, pointer)
	}
	if rest != nil {
		rest.prepend(sf, t, pointer)
	}
	return fields, rest, nil
}

// prepend makes a field of the inlined struct t a field of the struct that sf belongs to.
func (fd *field) prepend(sf reflect.StructField, t reflect.Type, pointer bool) {
	fd.index = append(slices.Clone(sf.Index), fd.index...)
	switch {
	case pointer:
		fd.hops = append([]hop{{offset: sf.Offset, target: t}}, fd.hops...)
	case len(fd.hops) > 0:
		fd.hops = slices.Clone(fd.hops)
		fd.hops[0].offset += sf.Offset
	default:
		fd.offset += sf.Offset
	}
}

// dominant resolves duplicate names as Go resolves embedded fields: the one that is inlined least deeply hides the others,
// and two at the same depth are an error.
func dominant(fields []field, strict bool) ([]field, error) {
	best := make(map[string]int, len(fields))
	for i, fd := range fields {
		j, ok := best[fd.name]
		switch {
		case !ok:
			best[fd.name] = i
		case strict || len(fields[j].index) == len(fd.index):
			return nil, fmt.Errorf("two fields are named %q", fd.name)
		case len(fd.index) < len(fields[j].index):
			best[fd.name] = i
		}
	}
	kept := fields[:0:0]
	for i, fd := range fields {
		if best[fd.name] == i {
			kept = append(kept, fd)
		}
	}
	return kept, nil
}
