package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"go/types"
	"maps"
	"os"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

var update = flag.Bool("update", false, "write api.json and the golden files")

// TestAPI compares api.json with the driver's source.
func TestAPI(t *testing.T) {
	names := map[string]string{}
	conf := &packages.Config{Mode: loadMode, Dir: "../.."}
	loaded, err := packages.Load(conf, slices.Sorted(maps.Values(onionPaths))...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		describe(p.Types, shortName(p.PkgPath), names)
	}
	// mongo and bson have aliases of types that other packages declare: users name them by those.
	aliases := map[string]string{}
	for _, p := range loaded {
		for _, name := range p.Types.Scope().Names() {
			o, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
			if !ok || !o.IsAlias() {
				continue
			}
			if named, ok := types.Unalias(o.Type()).(*types.Named); ok && named.Obj().Pkg() != p.Types {
				aliases[shortName(named.Obj().Pkg().Path())+"."+named.Obj().Name()] = shortName(p.PkgPath) + "." + name
			}
		}
	}
	for key, text := range names {
		names[key] = qualified.ReplaceAllStringFunc(text, func(s string) string {
			return cmp.Or(aliases[s], s)
		})
	}
	want, err := json.MarshalIndent(names, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile("api.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(want) != string(apiJSON) {
		t.Error("api.json is not what the driver exports: run go test -run TestAPI -update")
	}
}
