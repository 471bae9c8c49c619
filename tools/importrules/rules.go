package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const module = "github.com/specdrivers/onion"

// libraries are the packages of others that a part of the module may import, in addition to the standard library.
var libraries = map[string][]string{
	"gen":   {"github.com/dave/jennifer", "gopkg.in/yaml.v3"},
	"tools": {"github.com/dave/jennifer", "gopkg.in/yaml.v3"},
	"tools/mongotest": {"github.com/klauspost/compress", "github.com/golang/snappy", "github.com/xdg-go/scram", "golang.org/x/text",
		"github.com/kljensen/snowball", "github.com/blevesearch/snowballstem", "github.com/dlclark/regexp2/v2"},
	// An interpreter. A deployment that runs no JavaScript does not link it.
	"tools/mongotest/javascript": {"github.com/dop251/goja"},
	"runtime": {"github.com/klauspost/compress", "github.com/golang/snappy", "github.com/xdg-go/scram",
		"github.com/xdg-go/stringprep", "golang.org/x/crypto/ocsp",
		"golang.org/x/net/proxy", "golang.org/x/net/dns/dnsmessage"},
}

// layers is the order of packages in runtime: each imports its own layer and those before it.
var layers = [][]string{
	{"runtime/fault", "runtime/concern", "runtime/internal/option", "runtime/internal/callback", "runtime/internal/web",
		"runtime/internal/poison"},
	{"runtime/uri", "runtime/sdam", "runtime/selection", "runtime/internal/decide", "runtime/internal/queryanalysis",
		"runtime/internal/batch", "runtime/internal/chunk", "runtime/internal/encode"},
	{"runtime/internal/compress", "runtime/internal/conn", "runtime/internal/auth", "runtime/internal/dns", "runtime/internal/encrypt"},
	{"runtime/internal/observe", "runtime/internal/tracing"},
	{"runtime/pool"},
	{"runtime/internal/topology"},
	{"runtime/internal/session"},
	{"runtime/internal/exec"},
	{"runtime/internal/bulk"},
	{"runtime/mongo"},
	{"runtime/mongodebug"},
}

// forbiddenImports are imports that the order alone would allow.
var forbiddenImports = []struct{ from, to, why string }{
	{"runtime/internal/conn", "generated/core/command", "a connection knows nothing about commands"},
	{"runtime/sdam", "os", "it does no I/O"},
	{"runtime/sdam", "net/http", "it does no I/O"},
	{"runtime/selection", "os", "it does no I/O"},
	{"runtime/selection", "net/http", "it does no I/O"},
}

// forUsers are the packages that programs and their tests may want.
var forUsers = []string{
	"", "bson", "generated/options", "generated/event", "generated/errcode", "generated/description", "generated/bsontype",
	"runtime/mongo", "runtime/mongo/encrypted", "runtime/fault", "runtime/uri", "runtime/sdam", "runtime/selection", "runtime/pool",
	"runtime/mongodebug", "tools/mongotest", "tools/mongotest/javascript", "tools/mongotest/kmstest", "tools/mtest",
}

// audienceProblem reports a package that others can import and whose first line does not say that users should not.
func (p goPackage) audienceProblem() []string {
	path := inModule(p.ImportPath)
	hidden := strings.Contains("/"+path+"/", "/internal/") || p.Name == "main" || len(p.GoFiles) == 0
	if hidden || slices.Contains(forUsers, path) || notForUsers.MatchString(p.Doc) {
		return nil
	}
	return []string{path + `: its first line does not say that it is "not for users", and forUsers does not list it`}
}

var notForUsers = regexp.MustCompile(`\bnot (for )?users\b`)

// unsafePlaces are the packages that may import unsafe. CONTRIBUTING says what checks them.
var unsafePlaces = []string{"bson", "bson/internal/arena", "bson/internal/wire"}

// problems lists the imports of a package that the rules forbid.
func (p goPackage) problems() []string {
	from := inModule(p.ImportPath)
	var out []string
	report := func(kind, path, why string) {
		out = append(out, fmt.Sprintf("%s%s imports %s: %s", from, kind, shorten(path), why))
	}
	for _, path := range p.Imports {
		if why := reason(from, path); why != "" {
			report("", path, why)
		}
	}
	for _, path := range p.TestImports {
		if why := testReason(from, path); why != "" {
			report(" (test)", path, why)
		}
	}
	for _, path := range p.XTestImports {
		if why := externalTestReason(from, path); why != "" {
			report(" (external test)", path, why)
		}
	}
	return out
}

// reason says why a package may not import another, "" when it may.
func reason(from, path string) string {
	if path == "unsafe" && !slices.Contains(unsafePlaces, from) {
		return "only " + strings.Join(unsafePlaces, ", ") + " may"
	}
	for _, f := range forbiddenImports {
		if isWithin(from, f.from) && (path == f.to || isWithin(inModule(path), f.to) && isOurs(path)) {
			return f.why
		}
	}
	if !isOurs(path) {
		return libraryReason(from, path)
	}
	return ownReason(from, inModule(path))
}

// libraryReason is reason for packages outside the module.
func libraryReason(from, path string) string {
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		return ""
	}
	for part, allowed := range libraries {
		if !isWithin(from, part) {
			continue
		}
		for _, library := range allowed {
			if path == library || strings.HasPrefix(path, library+"/") {
				return ""
			}
		}
	}
	return "it is not among the dependencies that CONTRIBUTING.md lists for this place"
}

// ownReason is reason for packages of the module.
func ownReason(from, to string) string {
	if why := toolReason(from, to); why != "" {
		return why
	}
	part, _, _ := strings.Cut(from, "/")
	switch part {
	case "generated":
		if to == "bson" || isWithin(to, "bson/emitted") || isWithin(to, "generated") {
			return ""
		}
		return "generated imports bson, bson/emitted and generated only"
	case "tools":
		if isWithin(from, "tools/specsync") && !isWithin(to, "gen") && !isWithin(to, "tools/specsync") {
			return "specsync imports the generator's packages only"
		}
		if isWithin(from, "tools/mongotest") && to != "bson" && to != "bson/emitted/sealed" && !isWithin(to, "generated") &&
			!isWithin(to, "tools/mongotest") {
			return "mongotest imports bson and generated, never the driver"
		}
	case "bson":
		if to == "generated/bsontype" || to == "generated/core/form" || isWithin(to, "bson") {
			return ""
		}
		return "bson imports generated/bsontype and generated/core/form only"
	case "gen":
		if isWithin(to, "gen") {
			return ""
		}
		return "the generator imports its own packages only, so that broken output never stops it"
	case "runtime":
		return runtimeReason(from, to)
	}
	return ""
}

// toolReason says why a package may not import one below tools. No package may import programs; only generated tests and
// tools may import the suites' helpers; only tools and tests may import mongotest.
func toolReason(from, to string) string {
	switch {
	case !isWithin(to, "tools") || isWithin(from, toolOf(to)):
		return ""
	case isWithin(to, "tools/suite") && !isWithin(from, "tools") && !isSuite(from):
		return "only generated suites and tools import the suite"
	case isWithin(to, "tools/mongotest") && !isWithin(from, "tools") && !isSuite(from):
		return "only tests import mongotest"
	case !isWithin(to, "tools/suite") && !isWithin(to, "tools/mongotest"):
		return "nothing imports a program"
	}
	return ""
}

// toolOf returns the folder below tools that holds a package.
func toolOf(pkg string) string {
	parts := strings.SplitN(pkg, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// runtimeReason is reason inside runtime, by layer.
func runtimeReason(from, to string) string {
	if to == "bson" || isWithin(to, "bson/emitted") || isWithin(to, "generated") && !isSuite(to) {
		return ""
	}
	if !isWithin(to, "runtime") {
		return "runtime imports bson, generated and runtime only"
	}
	f, t := layerOf(from), layerOf(to)
	switch {
	case f < 0:
		return "the package has no place in the order of runtime"
	case t < 0:
		return "that package has no place in the order of runtime"
	case t > f:
		return "runtime imports downwards only"
	}
	return ""
}

// testReason is reason for tests inside a package. They keep the package's rules; the standard library is free.
func testReason(from, path string) string {
	if !isOurs(path) {
		return libraryReason(from, path)
	}
	if isSuite(from) || inModule(path) == "gen/upstream" { // a test anywhere reads the specifications
		return externalTestReason(from, path)
	}
	return ownReason(from, inModule(path))
}

// externalTestReason is reason for external tests, which may use any package of the module but the suites' own.
func externalTestReason(from, path string) string {
	if !isOurs(path) {
		return libraryReason(from, path)
	}
	to := inModule(path)
	switch {
	case isWithin(from, "gen") && !isWithin(to, "gen"):
		return "the generator imports its own packages only, so that broken output never stops it"
	case isWithin(to, "tools/mongotest"):
		return ""
	}
	return toolReason(from, to)
}

// layerOf returns the position of a package in the order, or -1 if it has none.
func layerOf(pkg string) int {
	for i, l := range layers {
		for _, p := range l {
			if isWithin(pkg, p) {
				return i
			}
		}
	}
	return -1
}

// isSuite reports whether a package holds generated test suites.
func isSuite(pkg string) bool {
	return isWithin(pkg, "generated/conformance") || isWithin(pkg, "generated/upstream")
}

func isOurs(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// inModule returns the path of a package below the module root. An import path of others stays as it is.
func inModule(path string) string { return strings.TrimPrefix(strings.TrimPrefix(path, module), "/") }

func shorten(path string) string { return inModule(path) }

// isWithin reports whether a package is a part of the module or below it.
func isWithin(pkg, part string) bool { return pkg == part || strings.HasPrefix(pkg, part+"/") }
