package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// wrap gives a value of the official driver's type the type that Onion wants: a pointer, a wider number, a pointer
// to a struct. It fails when the two have nothing in common.
func (f *file) wrap(value ast.Expr, official, onion string) (string, bool) {
	text := f.text(value)
	from := translateType(official)
	switch {
	case from == onion, onion == "any", implementing[from] == onion:
		return text, true
	case "*"+from == onion:
		return f.pointerTo(value, text, from), true
	case translateType("*"+official) == onion: // options.PrefixOptions by value
		return f.pointerTo(value, text, onion[1:]), true
	case from == "bson.Binary" && onion == "bson.UUID":
		return f.useHelper("keyID") + "(" + text + ")", true
	case from == "bson.Binary" && onion == "*bson.UUID":
		return newCall + "(" + f.useHelper("keyID") + "(" + text + "))", true
	case canConvert(from, onion):
		return f.convertText(value, text, onion), true
	}
	if elem, ok := strings.CutPrefix(onion, "*"); ok {
		if canConvert(from, elem) {
			return newCall + "(" + f.convertText(value, text, elem) + ")", true
		}
		if pointed, ok := strings.CutPrefix(from, "*"); ok && canConvert(pointed, elem) {
			if operand, ok := newOperand(value); ok {
				return newCall + "(" + f.spell(elem) + "(" + f.text(operand) + "))", true
			}
		}
	}
	return text, false
}

// implementing holds the interfaces of options that a type of package mongo implements for them.
var implementing = map[string]string{"*mongo.AutoEncryption": "options.AutoEncrypter"}

// newCall takes the place of the builtin new until the file is complete, because a package may declare its own new.
const newCall = "new\x00"

// resolveNewCalls replaces newCall with the builtin new, or with the helper pointerTo if the package declares its own new.
func (f *file) resolveNewCalls(text string) string {
	name := "new"
	if strings.Contains(text, newCall) && f.pkg.Types.Scope().Lookup("new") != nil {
		name = f.useHelper("pointerTo")
	}
	return strings.ReplaceAll(text, newCall, name) + f.helperText()
}

func newOperand(e ast.Expr) (ast.Expr, bool) {
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 {
		if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "new" {
			return call.Args[0], true
		}
	}
	return nil, false
}

// pointerTo writes a pointer to a value of the type t.
func (f *file) pointerTo(value ast.Expr, text, t string) string {
	if _, ok := value.(*ast.CompositeLit); ok {
		return "&" + text
	}
	if star, ok := value.(*ast.StarExpr); ok { // *p: a copy, as a call by value makes one
		return newCall + "(*" + f.text(star.X) + ")"
	}
	if f.isUntyped(value) && !hasDefaultType(f.pkg.TypesInfo.Types[value].Value, value, t) {
		return newCall + "(" + f.spell(t) + "(" + text + "))"
	}
	return newCall + "(" + text + ")"
}

// convertText writes a conversion where an assignment would not do.
func (f *file) convertText(value ast.Expr, text, t string) string {
	if f.isUntyped(value) && hasDefaultType(f.pkg.TypesInfo.Types[value].Value, value, t) {
		return text
	}
	return f.spell(t) + "(" + text + ")"
}

// isUntyped reports whether an expression is a constant whose type depends on its context.
func (f *file) isUntyped(e ast.Expr) bool {
	if f.pkg.TypesInfo.Types[e].Value == nil {
		return false
	}
	typed := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			switch o := f.objectOf(n).(type) {
			case *types.Const:
				if b, ok := o.Type().(*types.Basic); !ok || b.Info()&types.IsUntyped == 0 {
					typed = true
				}
			case *types.TypeName:
				typed = true
			}
		case *ast.CallExpr:
			typed = true
		}
		return true
	})
	return !typed
}

// hasDefaultType reports whether a constant has the type t where nothing else says its type.
func hasDefaultType(v constant.Value, e ast.Expr, t string) bool {
	switch v.Kind() {
	case constant.Bool:
		return t == "bool"
	case constant.String:
		return t == "string"
	case constant.Int, constant.Float: // 2 as an argument for a float64 is a constant.Float, but new(2) is an *int
		if lit, ok := ast.Unparen(e).(*ast.BasicLit); ok && lit.Kind == token.FLOAT {
			return t == "float64"
		}
		return t == "int" && v.Kind() == constant.Int
	}
	return false
}

// isUnset reports whether an expression is a constant that means "not set" in the official driver's plain structs.
func (f *file) isUnset(e ast.Expr) bool {
	v := f.pkg.TypesInfo.Types[e].Value
	if v == nil {
		return false
	}
	switch v.Kind() {
	case constant.Bool:
		return !constant.BoolVal(v)
	case constant.String:
		return constant.StringVal(v) == ""
	case constant.Int, constant.Float:
		return constant.Sign(v) == 0
	}
	return false
}

// convertArguments rewrites the arguments of a method's call whose types differ in name alone, such as error codes.
func (f *file) convertArguments(n *ast.SelectorExpr, official *types.Signature, onion string) bool {
	call, ok := f.parents[n].(*ast.CallExpr)
	if !ok || call.Fun != n {
		return false
	}
	inside, results, ok := strings.Cut(strings.TrimPrefix(onion, "func("), ")")
	if !ok || strings.Contains(inside, "(") {
		return false
	}
	want := strings.Split(inside, ", ")
	if len(want) != len(call.Args) || official.Params().Len() != len(want) {
		return false
	}
	_, official1, _ := strings.Cut(typeText(official), ")")
	if translateType(official1) != results {
		return false
	}
	for i, arg := range call.Args {
		from := typeText(official.Params().At(i).Type())
		if f.isUntyped(arg) && canConvert(from, want[i]) {
			continue
		}
		text, ok := f.wrap(arg, from, want[i])
		if !ok {
			return false
		}
		if text != f.text(arg) {
			f.replace(arg, text)
		}
	}
	return true
}

// canConvert reports whether a value converts between two types without loss of meaning.
func canConvert(official, onion string) bool {
	return integers[official] && integers[onion] || texts[official] && texts[onion]
}

// integers and texts are the types whose values convert into each other.
var (
	integers = map[string]bool{
		"int": true, "uint": true, "int32": true, "int64": true, "uint32": true, "uint64": true, "errcode.Code": true,
	}
	texts = map[string]bool{
		"string": true, "event.ClosedReason": true, "event.CheckOutFailedReason": true, "options.ServerMonitoringMode": true,
	}
)
