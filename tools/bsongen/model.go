package main

import (
	"errors"
	"fmt"
	"go/types"
	"slices"
)

const (
	bsonPath = "github.com/specdrivers/onion/bson"
	implPath = bsonPath + "/bsonimpl"
	typePath = "github.com/specdrivers/onion/generated/bsontype"
)

// model is the structs that get methods.
type model struct {
	pkg      *types.Package
	structs  []*structType
	jsonTags bool // fields without a bson tag have their json tag
}

// structType is a struct that gets methods.
type structType struct {
	named     *types.Named
	fields    []field // in the order of declaration, inlined ones in their place
	rest      *field  // the inlined map, which takes every other element
	contains  []*types.Named
	recursive bool // it can contain itself, so its depth must be counted
}

// field is an element of the document.
type field struct {
	fieldTag
	expr  string // from the receiver, "v.Base.Name"
	typ   types.Type
	hops  []hop // the pointers to inlined structs on the way
	depth int
}

// hop is a pointer to an inlined struct.
type hop struct {
	expr string
	elem types.Type
}

// newModel collects the named structs and the structs of the package that they contain, in the order of discovery.
func newModel(pkg *types.Package, names []string, jsonTags bool) (*model, error) {
	m := &model{pkg: pkg, jsonTags: jsonTags}
	for _, name := range names {
		obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			return nil, fmt.Errorf("package %s has no type %s", pkg.Name(), name)
		}
		named, ok := obj.Type().(*types.Named)
		if ok {
			_, ok = named.Underlying().(*types.Struct)
		}
		if !ok {
			return nil, fmt.Errorf("type %s is not a struct", name)
		}
		if err := m.add(named); err != nil {
			return nil, err
		}
	}
	if err := m.addEmbedders(); err != nil {
		return nil, err
	}
	for _, s := range m.structs {
		s.recursive = m.reaches(s, s.named, map[*structType]bool{})
	}
	return m, nil
}

func (m *model) find(t types.Type) *structType {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	for _, s := range m.structs {
		if s.named == named.Origin() {
			return s
		}
	}
	return nil
}

func (m *model) add(named *types.Named) error {
	if m.find(named) != nil {
		return nil
	}
	s := &structType{named: named.Origin()}
	m.structs = append(m.structs, s)
	fields, err := m.fields(s.named.Underlying().(*types.Struct), "v", nil, []types.Type{s.named})
	if err != nil {
		return fmt.Errorf("struct %s: %w", named.Obj().Name(), err)
	}
	if fields, err = s.takeRest(fields); err == nil {
		s.fields, err = resolveDuplicates(fields)
	}
	if err != nil {
		return fmt.Errorf("struct %s: %w", named.Obj().Name(), err)
	}
	if s.rest != nil {
		fields = append(fields, *s.rest)
	}
	for _, f := range fields {
		if err := m.addContained(s, f.typ); err != nil {
			return err
		}
	}
	return nil
}

// takeRest takes the only remaining field with the tag inline, a map, as the rest of s.
func (s *structType) takeRest(fields []field) ([]field, error) {
	var kept []field
	for _, f := range fields {
		switch {
		case !f.inline:
			kept = append(kept, f)
		case s.rest != nil:
			return nil, errors.New("there is more than one inlined map")
		default:
			s.rest = &f
		}
	}
	return kept, nil
}

// addContained adds the structs of the package that values of type t contain.
func (m *model) addContained(s *structType, t types.Type) error {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		_, isStruct := t.Underlying().(*types.Struct)
		if !isStruct {
			if !encodesItself(t) && !decodesItself(t) {
				return m.addContained(s, t.Underlying())
			}
			return nil
		}
		if t.Obj().Pkg() != m.pkg || !atPackageLevel(t) || m.find(t) == nil && (encodesItself(t) || decodesItself(t)) {
			return nil
		}
		for arg := range t.TypeArgs().Types() {
			if err := m.addContained(s, arg); err != nil {
				return err
			}
		}
		s.contains = append(s.contains, t.Origin())
		return m.add(t.Origin())
	case *types.Pointer:
		return m.addContained(s, t.Elem())
	case *types.Slice:
		return m.addContained(s, t.Elem())
	case *types.Map:
		return m.addContained(s, t.Elem())
	}
	return nil
}

func atPackageLevel(t *types.Named) bool { return t.Obj().Parent() == t.Obj().Pkg().Scope() }

// addEmbedders adds the structs of the package that embed a struct that gets methods. Go would promote the methods, and
// the codec would take them for the methods of the whole struct.
func (m *model) addEmbedders() error {
	for added := true; added; {
		added = false
		for _, name := range m.pkg.Scope().Names() {
			obj, ok := m.pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || obj.IsAlias() {
				continue
			}
			named, ok := obj.Type().(*types.Named)
			if !ok || m.find(named) != nil || encodesItself(named) || !m.embeds(named) {
				continue
			}
			if err := m.add(named); err != nil {
				return err
			}
			added = true
		}
	}
	return nil
}

func (m *model) embeds(named *types.Named) bool {
	s, ok := named.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		t := f.Type()
		if p, ok := types.Unalias(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		if f.Embedded() && m.find(t) != nil {
			return true
		}
	}
	return false
}

func (m *model) reaches(s *structType, target *types.Named, seen map[*structType]bool) bool {
	if seen[s] {
		return false
	}
	seen[s] = true
	for _, named := range s.contains {
		if named == target {
			return true
		}
		if next := m.find(named); next != nil && m.reaches(next, target, seen) {
			return true
		}
	}
	return false
}

// fields returns the fields of a struct and of the structs that are inlined into it.
func (m *model) fields(s *types.Struct, expr string, hops []hop, outer []types.Type) ([]field, error) {
	var fields []field
	for i := range s.NumFields() {
		v := s.Field(i)
		if !v.Exported() {
			continue
		}
		if v.Type() == types.Typ[types.Invalid] {
			return nil, fmt.Errorf("the type of field %s does not compile", v.Name())
		}
		tag, err := parseTag(v.Name(), s.Tag(i), m.jsonTags)
		if err != nil {
			return nil, err
		}
		at := expr + "." + v.Name()
		switch {
		case tag.skip:
		case tag.inline:
			inner, err := m.inline(v, tag, at, hops, outer)
			if err != nil {
				return nil, err
			}
			fields = append(fields, inner...)
		default:
			fields = append(fields, field{fieldTag: tag, expr: at, typ: v.Type(), hops: hops, depth: len(outer)})
		}
	}
	return fields, nil
}

func (m *model) inline(v *types.Var, tag fieldTag, at string, hops []hop, outer []types.Type) ([]field, error) {
	t := v.Type()
	if u, ok := t.Underlying().(*types.Map); ok {
		if b, ok := u.Key().Underlying().(*types.Basic); !ok || b.Kind() != types.String {
			return nil, fmt.Errorf("the keys of the inlined map %s must be strings", v.Name())
		}
		if hasMethod(u.Key(), keyMethods...) {
			return nil, fmt.Errorf("the keys of the inlined map %s encode themselves, which is not supported", v.Name())
		}
		return []field{{fieldTag: tag, expr: at, typ: t, hops: hops, depth: len(outer)}}, nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
		hops = append(slices.Clone(hops), hop{expr: at, elem: t})
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil, fmt.Errorf("field %s: only structs, pointers to structs and maps can be inlined", v.Name())
	}
	if slices.ContainsFunc(outer, func(o types.Type) bool { return types.Identical(o, t) }) {
		return nil, fmt.Errorf("field %s is inlined into itself", v.Name())
	}
	return m.fields(s, at, hops, append(slices.Clone(outer), t))
}

// resolveDuplicates resolves duplicate names as package bson does: the least deeply inlined wins, a tie is an error.
func resolveDuplicates(fields []field) ([]field, error) {
	best := map[string]int{}
	for i, f := range fields {
		j, ok := best[f.name]
		switch {
		case !ok:
			best[f.name] = i
		case fields[j].depth == f.depth:
			return nil, fmt.Errorf("two fields are named %q", f.name)
		case f.depth < fields[j].depth:
			best[f.name] = i
		}
	}
	var kept []field
	for i, f := range fields {
		if best[f.name] == i {
			kept = append(kept, f)
		}
	}
	return kept, nil
}
