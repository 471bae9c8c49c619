package main

import "go/types"

// unbounded is the depth of types whose values may be nested without limit, or that this program cannot look into.
const unbounded = 1 << 20

// depthOf returns how many levels of documents and arrays a value of s has at most, 0 if there is no limit.
func (m *model) depthOf(s *structType) int {
	if depth := m.structDepth(s); depth < unbounded {
		return depth
	}
	return 0
}

func (m *model) structDepth(s *structType) int {
	if s.recursive {
		return unbounded
	}
	inner := 0
	for _, f := range s.fields {
		inner = max(inner, m.depth(f.typ))
	}
	if s.rest != nil {
		inner = max(inner, m.depth(elemOf(s.rest.typ)))
	}
	return 1 + inner
}

// depth is depthOf for values of any type.
func (m *model) depth(t types.Type) int {
	switch m.formOf(t) {
	case viaPackage:
		if isScalar(t) {
			return 0
		}
		return unbounded
	case aStruct:
		return m.structDepth(m.find(t))
	case aPointer:
		return m.depth(elemOf(t))
	case aSlice, aMap:
		return 1 + m.depth(elemOf(t))
	}
	return 0
}

// isScalar reports whether t is a type of package bson whose values have no documents inside.
func isScalar(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != bsonPath {
		return false
	}
	switch named.Obj().Name() {
	case "Decimal128", "Timestamp", "Binary", "Regex", "JavaScript", "Symbol", "UUID", "DBPointer", "MinKey", "MaxKey", "Null":
		return true
	}
	return false
}
