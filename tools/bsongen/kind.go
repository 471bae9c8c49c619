package main

import "go/types"

// form is how a type is encoded and decoded.
type form int

const (
	viaPackage form = iota // by package bson, which looks at it at run time
	aBool
	anInt // int: 32 bits where it fits
	aShortInt
	aLongInt
	aShortUint
	aLongUint
	aFloat
	aString
	aBytes
	anObjectID
	aDateTime
	aTime
	aStruct // with methods that are written here
	aPointer
	aSlice
	aMap
)

// keyMethods are the methods that package bson asks of the keys of maps.
var keyMethods = []string{"MarshalKey", "UnmarshalKey", "AppendText", "MarshalText", "UnmarshalText"}

func hasMethod(t types.Type, names ...string) bool {
	if _, ok := t.Underlying().(*types.Interface); !ok {
		if _, ok := types.Unalias(t).(*types.Pointer); !ok {
			t = types.NewPointer(t)
		}
	}
	set := types.NewMethodSet(t)
	for _, name := range names {
		if set.Lookup(nil, name) != nil {
			return true
		}
	}
	return false
}

// encodesItself reports whether package bson asks a method of the type to encode it.
func encodesItself(t types.Type) bool {
	return hasMethod(t, "AppendBSON", "AppendBSONValue", "MarshalBSON", "MarshalBSONValue")
}

// decodesItself reports whether package bson asks a method of the type to decode it.
func decodesItself(t types.Type) bool {
	return hasMethod(t, "DecodeBSON", "DecodeBSONValue", "UnmarshalBSON", "UnmarshalBSONValue")
}

// formOf returns the form of t.
func (m *model) formOf(t types.Type) form {
	t = types.Unalias(t)
	if _, ok := t.(*types.TypeParam); ok {
		return viaPackage
	}
	if named, ok := t.(*types.Named); ok {
		if m.find(named) != nil {
			return aStruct
		}
		if f, ok := knownForm(named); ok {
			return f
		}
		if encodesItself(t) || decodesItself(t) || hasMethod(t, "UnmarshalText", "UnmarshalBinary") {
			return viaPackage
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basicForm(u.Kind())
	case *types.Pointer:
		if _, named := t.(*types.Named); !named && m.formOf(u.Elem()) != viaPackage && !isPointer(u.Elem()) {
			return aPointer
		}
	case *types.Slice:
		return m.sliceForm(t, u.Elem())
	case *types.Map:
		if b, ok := u.Key().Underlying().(*types.Basic); ok && b.Kind() == types.String &&
			!hasMethod(u.Key(), keyMethods...) &&
			m.formOf(u.Elem()) != viaPackage {
			return aMap
		}
	}
	return viaPackage
}

func (m *model) sliceForm(t, elem types.Type) form {
	if types.Identical(elem, types.Typ[types.Byte]) {
		if types.Identical(t, types.NewSlice(types.Typ[types.Byte])) {
			return aBytes
		}
		return viaPackage
	}
	if m.formOf(elem) == viaPackage {
		return viaPackage
	}
	return aSlice
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// knownForm returns the form of a type that package bson knows by name. Its kind does not matter.
func knownForm(t *types.Named) (form, bool) {
	if t.Obj().Pkg() == nil {
		return viaPackage, true // error
	}
	path, name := t.Obj().Pkg().Path(), t.Obj().Name()
	switch {
	case path == "time" && name == "Time":
		return aTime, true
	case path == bsonPath && name == "ObjectID":
		return anObjectID, true
	case path == bsonPath && name == "DateTime":
		return aDateTime, true
	case path == bsonPath, path == "encoding/json", path == "net/url", path == "math/big":
		return viaPackage, true
	}
	return viaPackage, false
}

func basicForm(k types.BasicKind) form {
	switch k {
	case types.Bool:
		return aBool
	case types.Int:
		return anInt
	case types.Int8, types.Int16, types.Int32:
		return aShortInt
	case types.Int64:
		return aLongInt
	case types.Uint8, types.Uint16:
		return aShortUint
	case types.Uint32, types.Uint64, types.Uint:
		return aLongUint
	case types.Float32, types.Float64:
		return aFloat
	case types.String:
		return aString
	}
	return viaPackage
}
