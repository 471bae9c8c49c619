package bson

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson/internal/names"
)

// useStruct fills in the codec of a struct.
func (b *compiler) useStruct(c *codec) {
	c.plan = &structPlan{}
	fields, rest, err := b.compileFields(c.typ, nil, b.cache.jsonTags || c.static != nil && c.static.JSONTags)
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
			c.plan.exported = append(c.plan.exported, member{codec: b.codec(f.Type), offset: f.Offset, index: i})
		}
	}
	c.encode, c.decode, c.empty = encodeStruct, decodeStruct, isEmptyStruct
}

// compileFields returns the fields of t, with the fields of inlined structs in their place, and the inlined map if
// there is one. outer are the structs that t is being inlined into.
func (b *compiler) compileFields(t reflect.Type, outer []reflect.Type, jsonTags bool) (fields []field, rest *field, err error) {
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
			inner, innerRest, err := b.compileInline(sf, append(outer, t), jsonTags)
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
	fields, err = resolveDuplicates(fields, b.cache.errorOnDuplicates)
	return fields, rest, err
}

// compileInline returns the fields that take the place of the inlined field sf.
func (b *compiler) compileInline(sf reflect.StructField, outer []reflect.Type, jsonTags bool) (fields []field, rest *field, err error) {
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
	fields, rest, err = b.compileFields(t, outer, jsonTags)
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
		fd.hops[0].offset += sf.Offset
	default:
		fd.offset += sf.Offset
	}
}

// resolveDuplicates treats fields of one name as Go treats embedded fields: the field that is inlined least deeply
// hides the others, and two at the same depth are an error.
func resolveDuplicates(fields []field, strict bool) ([]field, error) {
	best := make(map[string]int, len(fields))
	for i, fd := range fields {
		j, ok := best[fd.name]
		switch {
		case !ok:
			best[fd.name] = i
		case strict || len(fields[j].index) == len(fd.index):
			return nil, fmt.Errorf("two fields are named %q: give one of them another name in its tag", fd.name)
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

func newEncField(fd *field) encField {
	op := opOf(fd.codec, fd.codec.customEncode)
	e := encField{
		header: string([]byte{byte(typeOfOp[op])}) + fd.name + "\x00",
		offset: fd.offset,
		codec:  fd.codec,
		field:  fd,
		op:     op,
		extra:  fd.hops != nil || fd.omitEmpty || fd.omitZero || fd.minSize,
	}
	if len(e.header) <= len(e.start) {
		copy(e.start[:], e.header)
		e.short = uint8(len(e.header))
	}
	return e
}

func newDecField(fd *field) decField {
	e := decField{offset: fd.offset, codec: fd.codec, field: fd, extra: fd.hops != nil || fd.truncate}
	if !e.extra {
		e.op = opOf(fd.codec, fd.codec.customDecode)
		e.want = typeOfOp[e.op]
	}
	e.setName(fd.name)
	return e
}

// opOfKind holds the operations for types that their kind says all about.
var opOfKind = map[reflect.Kind]fieldOp{
	reflect.String: opString, reflect.Int32: opInt32, reflect.Int64: opInt64, reflect.Float64: opFloat64, reflect.Bool: opBool,
}

// opOf returns the operation for a codec. custom says that the type, or a method of it, decides how it is encoded or
// decoded.
func opOf(c *codec, custom bool) (op fieldOp) {
	switch {
	case c.user:
	case c.typ == reflect.TypeFor[ObjectID]():
		op = opObjectID
	case c.typ == reflect.TypeFor[time.Time]():
		op = opTime
	case !custom:
		op = opOfKind[c.typ.Kind()]
	}
	return op
}
