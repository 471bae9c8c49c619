package main

import (
	_ "embed"
	"encoding/json"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
)

//go:embed api.json
var apiJSON []byte

// api says what Onion exports: names such as "mongo.Collection.Find" and, for each, its kind and type in the form that
// describe writes.
var api = func() map[string]string {
	names := map[string]string{}
	if err := json.Unmarshal(apiJSON, &names); err != nil {
		panic(err)
	}
	delete(names, "options.Logger") // an interface; in the official driver the function that makes LoggerOptions
	return names
}()

// onionPaths are the packages of Onion that rewritten code may import, by the name that api gives them.
var onionPaths = map[string]string{
	"mongo":       "github.com/specdrivers/onion/runtime/mongo",
	"options":     "github.com/specdrivers/onion/generated/options",
	"event":       "github.com/specdrivers/onion/generated/event",
	"bson":        "github.com/specdrivers/onion/bson",
	"bsontype":    "github.com/specdrivers/onion/generated/bsontype",
	"errcode":     "github.com/specdrivers/onion/generated/errcode",
	"description": "github.com/specdrivers/onion/generated/description",
	"mongotest":   "github.com/specdrivers/onion/tools/mongotest",
	"mtest":       "github.com/specdrivers/onion/tools/mtest",
	"uri":         "github.com/specdrivers/onion/runtime/uri",
}

// describe lists what a package exports: types with their fields and methods, functions, variables and constants.
func describe(p *types.Package, short string, into map[string]string) {
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		key := short + "." + name
		switch o := o.(type) {
		case *types.TypeName:
			into[key] = "type " + kindOf(o.Type())
			describeMembers(o.Type(), key, into)
		case *types.Func:
			into[key] = typeText(o.Type())
		case *types.Const:
			into[key] = "const " + typeText(o.Type())
		case *types.Var:
			into[key] = "var " + typeText(o.Type())
		}
	}
}

func describeMembers(t types.Type, key string, into map[string]string) {
	describeFields(t, key, into)
	holder := types.Type(types.NewPointer(t))
	if types.IsInterface(t) {
		holder = t
	}
	for m := range types.NewMethodSet(holder).Methods() {
		if m.Obj().Exported() {
			into[key+"."+m.Obj().Name()] = typeText(m.Type())
		}
	}
}

// describeFields lists a struct's fields, including those promoted from embedded structs.
func describeFields(t types.Type, key string, into map[string]string) {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for f := range s.Fields() {
		if !f.Exported() {
			continue
		}
		if _, nearer := into[key+"."+f.Name()]; !nearer {
			into[key+"."+f.Name()] = "field " + typeText(f.Type())
		}
	}
	for f := range s.Fields() {
		if f.Embedded() {
			describeFields(f.Type(), key, into)
		}
	}
}

func kindOf(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return "struct"
	case *types.Interface:
		if u.NumMethods() > 0 {
			return "interface"
		}
	}
	return typeText(t.Underlying())
}

// typeText prints a type with the names of packages, but without the names of parameters, which may differ.
func typeText(t types.Type) string {
	if s, ok := t.(*types.Signature); ok {
		return signatureText(s)
	}
	text := types.TypeString(t, func(p *types.Package) string { return shortName(p.Path()) })
	return strings.ReplaceAll(text, "interface{}", "any")
}

func signatureText(s *types.Signature) string {
	list := func(t *types.Tuple, variadic bool) string {
		var out []string
		for i := range t.Len() {
			text := typeText(t.At(i).Type())
			if variadic && i == t.Len()-1 {
				text = "..." + strings.TrimPrefix(text, "[]")
			}
			out = append(out, text)
		}
		return strings.Join(out, ", ")
	}
	text := "func(" + list(s.Params(), s.Variadic()) + ")"
	switch s.Results().Len() {
	case 0:
		return text
	case 1:
		return text + " " + list(s.Results(), false)
	}
	return text + " (" + list(s.Results(), false) + ")"
}

// shortName returns the name that this program uses for a package of either driver.
func shortName(path string) string {
	if rest, ok := officialPath(path); ok {
		switch short := officialShort(rest); short {
		case "bsoncodec", "bsoncore": // version 2 has the names of bsoncodec in package bson, and Onion those of bsoncore
			return "bson"
		default:
			return short
		}
	}
	for _, short := range slices.Sorted(maps.Keys(onionPaths)) {
		if onionPaths[short] == path {
			return short
		}
	}
	return path[strings.LastIndexByte(path, '/')+1:]
}

var (
	listerArgument = regexp.MustCompile(`options\.Lister\[options\.(\w+)Options\]`)
	builderPointer = regexp.MustCompile(`\*options\.(\w+)OptionsBuilder`)
	optionsPointer = regexp.MustCompile(`\*options\.(\w+)Options\b`)
)

// translateType turns the text of a type of the official driver into the text of Onion's type.
func translateType(text string) string {
	name := func(re *regexp.Regexp) func(string) string {
		return func(s string) string {
			stem := re.FindStringSubmatch(s)[1]
			if to, ok := renames["options."+stem+"Options"]; ok {
				return "*" + to
			}
			return "*options." + optionsName(stem)
		}
	}
	text = listerArgument.ReplaceAllStringFunc(text, name(listerArgument))
	text = builderPointer.ReplaceAllStringFunc(text, name(builderPointer))
	text = optionsPointer.ReplaceAllStringFunc(text, name(optionsPointer))
	text = strings.ReplaceAll(text, "bsontype.Type", "bson.Type")
	return qualified.ReplaceAllStringFunc(text, func(s string) string {
		switch to, ok := renames[s]; {
		case ok && !strings.HasPrefix(to, "("):
			return to
		case to == "(string)", to == "(any)", to == "([]any)", to == "(context.Context)":
			return strings.Trim(to, "()")
		}
		if strings.HasPrefix(s, "primitive.") {
			return "bson." + strings.TrimPrefix(s, "primitive.")
		}
		return s
	})
}

// officialName is a name that typeSource has marked as one of the official driver.
var officialName = regexp.MustCompile("\x01\\w+\\.\\w+")

var qualified = regexp.MustCompile(`\b[a-z]+\.[A-Z]\w*`)

// canReplace reports whether a function of Onion can replace one of the official driver in every call. Its results must be
// the same. Its parameters must take the same arguments; it may have more optional ones.
func canReplace(official, onion string) bool {
	theirs, results := splitSignature(translateType(official))
	ours, ourResults := splitSignature(onion)
	if interfaces.ReplaceAllString(results, "$1") != interfaces.ReplaceAllString(ourResults, "$1") {
		return false
	}
	if len(ours) > len(theirs) && strings.HasPrefix(ours[len(ours)-1], "...") {
		ours = ours[:len(ours)-1]
	}
	return slices.EqualFunc(theirs, ours, func(their, our string) bool {
		if our == their || our == "any" || our == "...any" {
			return true
		}
		if strings.HasPrefix(our, "...*options.") && strings.HasPrefix(their, "...*options.") {
			return true // version 1 has one type of options for several methods
		}
		return interfaces.ReplaceAllString(our, "$1") == interfaces.ReplaceAllString(their, "$1")
	})
}

// interfaces are the types that version 1 declares as interfaces and Onion as structs.
var interfaces = regexp.MustCompile(`\*(mongo\.Session)\b`)

// splitSignature splits the text of a signature into the types of its parameters and its results.
func splitSignature(text string) (list []string, results string) {
	rest, ok := strings.CutPrefix(text, "func(")
	if !ok {
		return nil, text
	}
	depth, start := 0, 0
	for i, r := range rest {
		switch {
		case r == '(' || r == '[':
			depth++
		case depth > 0 && (r == ')' || r == ']'):
			depth--
		case r == ')':
			if i > start {
				list = append(list, strings.TrimSpace(rest[start:i]))
			}
			return list, strings.TrimSpace(rest[i+1:])
		case r == ',' && depth == 0:
			list = append(list, strings.TrimSpace(rest[start:i]))
			start = i + 1
		}
	}
	return nil, text
}
