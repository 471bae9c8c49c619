package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestNamesOfVersion1 checks that every name that version 1 exports is accounted for: this program rewrites it, Onion has it, or
// the report says what to use in its place.
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
	if len(names) < 2500 {
		t.Errorf("read %d names, fewer than version 1 exports", len(names))
	}
	for _, key := range slices.Sorted(maps.Keys(names)) {
		if strings.HasPrefix(names[key], "func() *options.") || hasHelper(key) {
			continue // a constructor, or a type that becomes a helper with the same methods
		}
		if callRules[coreKey(key)] != nil || strings.HasPrefix(counterpart(key[:strings.LastIndexByte(key, '.')]), "(") {
			continue // calls are rewritten, or the type becomes another one
		}
		if to, reason := parityOf(coreKey(key), names[key]); to == "" && reason == "" {
			t.Errorf("%s (%s) has no counterpart and no reason: add it to missing or families", key, names[key])
		}
	}
}

// coreKey returns the key of a name of bsoncore, whose types package bson spells otherwise.
func coreKey(key string) string {
	parts := strings.Split(key, ".")
	if to := coreTypes[parts[1]]; parts[0] == "bson" && to != "" {
		parts[1] = to
	}
	return strings.Join(parts, ".")
}

// hasHelper reports whether a type, or the type of a method, becomes a helper.
func hasHelper(key string) bool {
	parts := strings.Split(key, ".")
	owner := strings.Join(parts[:2], ".")
	_, coded := codecTypes[owner]
	return coded || streamPools[owner] != "" || poolTypes[owner] != "" || owner == "bson.DocumentBuilder" || owner == "bson.ArrayBuilder"
}
