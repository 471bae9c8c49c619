package mongo_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"testing"
)

// required are the settings of options that have no default: plain values, which the driver checks.
var requiredSettings = map[string]bool{
	"AutoEncryption.KeyVaultNamespace": true, "ClientEncryption.KeyVaultNamespace": true, "Encrypt.Algorithm": true,
	"ServerAPI.Version": true, "DriverInfo.Name": true, "Collation.Locale": true,
}

// differ are names of fields that have several types, with the reason.
var differentTypes = map[string]string{
	"ExpireAfterSeconds": "a modification may also say off",
	"Limit":              "GridFS counts files in an int32, as the specification and the official driver do",
	"Skip":               "the same",
	"Max":                "a bound of a scan; of a 2d index a coordinate, of a capped collection a number of documents",
	"Min":                "the same",
	"Name":               "of DriverInfo it is required",
	"TLSConfig":          "of encryption it has one for each key management service",
	"Version":            "of an index the server numbers it, and of the stable API it is required",
}

// withoutMerge are structs of settings that have no Merge, because a value of theirs is taken as a whole.
var withoutMerge = [...]string{"AutoEncryption", "Client", "Collation", "Credential", "DriverInfo", "Index", "SearchIndex", "ServerAPI", "Tracing"}

// plain are optional settings that are no pointers, with the reason.
var plainSettings = map[string]string{
	"DriverInfo.Version":  "an empty text is left out of the metadata",
	"DriverInfo.Platform": "the same",
}

// optionFields calls f for each exported field of a struct of settings in package options.
func optionFields(t *testing.T, f func(owner, name, typ string, x ast.Expr)) {
	paths, err := filepath.Glob("../../generated/options/*.go")
	if err != nil || len(paths) == 0 {
		t.Fatal("no options: ", err)
	}
	structs, merged := map[string]*ast.StructType{}, map[string]bool{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok && n.Name.IsExported() {
					structs[n.Name.Name] = s
				}
			case *ast.FuncDecl:
				if n.Name.Name == "Merge" && n.Recv != nil {
					merged[receiverName(n.Recv.List[0].Type)] = true
				}
			}
			return true
		})
	}
	for _, name := range withoutMerge {
		merged[name] = true
	}
	for _, owner := range slices.Sorted(maps.Keys(structs)) {
		for _, field := range structs[owner].Fields.List {
			for _, name := range field.Names {
				if merged[owner] && name.IsExported() {
					f(owner, name.Name, types.ExprString(field.Type), field.Type)
				}
			}
		}
	}
}

// CONTRIBUTING, "The API": an option that can be left out is nil then; a required one is a plain value.
func TestOptionsThatCanBeLeftOutAreNilThen(t *testing.T) {
	found, missing := 0, maps.Clone(requiredSettings)
	optionFields(t, func(owner, name, typ string, x ast.Expr) {
		found++
		key := owner + "." + name
		if _, pointer := x.(*ast.StarExpr); requiredSettings[key] == pointer && pointer {
			t.Errorf("%s is required, and a %s", key, typ)
		}
		if requiredSettings[key] || plainSettings[key] != "" {
			delete(missing, key)
			return
		}
		switch x := x.(type) {
		case *ast.StarExpr, *ast.MapType, *ast.FuncType, *ast.InterfaceType:
		case *ast.ArrayType:
			if x.Len != nil {
				t.Errorf("%s is a %s: nobody can tell whether it is set", key, typ)
			}
		case *ast.Ident:
			if x.Name != "any" && !ast.IsExported(x.Name) { // an exported one is an interface or a function, which the compiler compares with nil
				t.Errorf("%s is a %s: nobody can tell whether it is set", key, typ)
			}
		}
	})
	if found < 300 {
		t.Errorf("only %d options were found", found)
	}
	for key := range missing {
		t.Errorf("there is no required option %s", key)
	}
}

// CONTRIBUTING, "The API": one word for one thing.
func TestOptionsOfOneNameHaveOneType(t *testing.T) {
	of := map[string]map[string]string{} // name, type, an owner
	optionFields(t, func(owner, name, typ string, _ ast.Expr) {
		if of[name] == nil {
			of[name] = map[string]string{}
		}
		of[name][typ] = owner
	})
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if len(of[name]) > 1 && differentTypes[name] == "" {
			t.Errorf("%s: %s", name, fmt.Sprint(of[name]))
		}
		if len(of[name]) < 2 && differentTypes[name] != "" {
			t.Errorf("%s has one type: take it out of the list", name)
		}
	}
}
