package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestNamesOfVersion1 asks of every name that version 1 exports what becomes of it: this program rewrites it, Onion has it, or
// the report says what to use in its place. None is left without a word.
func TestNamesOfVersion1(t *testing.T) {
	var paths []string
	for _, rest := range slices.Sorted(maps.Keys(officialPackages)) {
		if rest != mtestPackage && !strings.HasPrefix(rest, "x/mongo/driver") && rest != "x/bsonx" {
			paths = append(paths, officialModule+rest)
		}
	}
	loaded, err := packages.Load(&packages.Config{Mode: loadMode, Dir: "testdata/v1"}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		describe(p.Types, shortName(p.PkgPath), names)
	}
	if len(names) < 3000 {
		t.Errorf("read %d names, fewer than version 1 exports", len(names))
	}
	for _, key := range slices.Sorted(maps.Keys(names)) {
		if to, reason := parityOf(key, names[key]); to == "" && reason == "" {
			t.Errorf("%s (%s) has no counterpart and no reason: add it to missing or families", key, names[key])
		}
	}
}
