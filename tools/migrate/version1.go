package main

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// These rules keep what version 1 of the official driver does by default, and version 2 and Onion only if a program asks for it.

const likeVersion1Source = `
// decodeLikeVersion1 makes values decode as in version 1 of the official driver: a document inside a map becomes such a map, and an
// ObjectID goes into a string as hexadecimal digits.
func decodeLikeVersion1() *bson.UnmarshalOptions {
	return &bson.UnmarshalOptions{DefaultDocument: bson.DocumentLikeParent, ObjectIDAsHexString: true}
}
`

// isVersion1 reports whether an object belongs to version 1 of the official driver.
func isVersion1(o types.Object) bool {
	return o != nil && o.Pkg() != nil && strings.HasPrefix(o.Pkg().Path(), officialModule) &&
		!strings.HasPrefix(o.Pkg().Path(), officialModule+"v2/")
}

// addVersion1Options adds the options of version 1 to the options of a client, unless those say how values decode.
func (f *file) addVersion1Options(rest []string, isList bool) []string {
	unmarshal := "Unmarshal: " + f.useHelper("decodeLikeVersion1") + "()"
	start := "&" + f.qualify("options.Client") + "{"
	if isList {
		list := "[]*" + f.qualify("options.Client") + "{{" + unmarshal + "}}"
		return []string{"append(" + list + ", " + strings.Join(rest, ", ") + ")..."}
	}
	if len(rest) != 1 || !strings.HasPrefix(rest[0], start) {
		return append([]string{start + unmarshal + "}"}, rest...)
	}
	if strings.Contains(rest[0], "Unmarshal:") {
		return rest
	}
	return []string{start + unmarshal + ", " + strings.TrimPrefix(rest[0], start)}
}

// addVersion1Unmarshal adds the options of version 1 to a call that decodes outside of a client, where the target may hold what
// they change.
func (f *file) addVersion1Unmarshal(n *ast.CallExpr, s *ast.SelectorExpr, key string) {
	if !slices.Contains([]string{"bson.Unmarshal", "bson.UnmarshalExtJSON", "bson.RawValue.Unmarshal"}, key) ||
		!isVersion1(f.objectOf(s.Sel)) || n.Ellipsis.IsValid() || len(n.Args) == 0 {
		return
	}
	if target := f.typeOf(n.Args[len(n.Args)-1]); target != nil && decodesOtherwise(target, map[types.Type]bool{}) {
		f.insert(n.Args[len(n.Args)-1].End(), ", "+f.useHelper("decodeLikeVersion1")+"()")
	}
}

// decodesOtherwise reports whether a value of a type may hold a map of any, or a text with an ID.
func decodesOtherwise(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return types.IsInterface(u.Elem()) || decodesOtherwise(u.Elem(), seen)
	case *types.Slice:
		return decodesOtherwise(u.Elem(), seen)
	case *types.Array:
		return decodesOtherwise(u.Elem(), seen)
	case *types.Map:
		return types.IsInterface(u.Elem()) || decodesOtherwise(u.Elem(), seen)
	case *types.Interface: // what it holds is known when the program runs
		return len(seen) == 1
	case *types.Struct:
		for v := range u.Fields() {
			b, isBasic := v.Type().Underlying().(*types.Basic)
			if isBasic && b.Kind() == types.String && strings.HasSuffix(strings.ToLower(v.Name()), "id") ||
				!isBasic && decodesOtherwise(v.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// keepLocalTime has a time of version 1 keep its time zone, which is the local one there and UTC here, where something may show it.
func (f *file) keepLocalTime(n *ast.CallExpr, key string) {
	if key != "primitive.DateTime.Time" && key != "bson.DateTime.Time" && key != "bson.RawValue.Time" {
		return
	}
	s := n.Fun.(*ast.SelectorExpr)
	if !isVersion1(f.objectOf(s.Sel)) {
		return
	}
	if next, ok := f.parents[n].(*ast.SelectorExpr); ok && zoneless[next.Sel.Name] {
		return
	}
	f.replace(n, f.text(n)+".Local()")
}

// zoneless are the methods of a time whose result has nothing to do with its time zone.
var zoneless = map[string]bool{
	"UTC": true, "Local": true, "In": true, "Unix": true, "UnixMilli": true, "UnixMicro": true, "UnixNano": true, "IsZero": true,
	"Before": true, "After": true, "Equal": true, "Compare": true, "Sub": true,
}
