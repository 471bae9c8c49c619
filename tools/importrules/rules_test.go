package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReason(t *testing.T) {
	ours := func(p string) string { return module + "/" + p }
	for _, c := range []struct {
		name, from, to string
		allowed        bool
	}{
		{"the standard library is free", "bson", "strings", true},
		{"bson imports bsontype", "bson", ours("generated/bsontype"), true},
		{"bson imports nothing else of ours", "bson", ours("generated/errcode"), false},
		{"bson imports no library", "bson", "gopkg.in/yaml.v3", false},
		{"the codec reads fields through pointers", "bson", "unsafe", true},
		{"nothing else does", "runtime/internal/conn", "unsafe", false},
		{"a connection knows no commands", "runtime/internal/conn", ours("generated/core/command"), false},
		{"generated imports bson", "generated/description", ours("bson"), true},
		{"generated never imports runtime", "generated/core/sdamtable", ours("runtime/sdam"), false},
		{"the generator imports itself", "gen/emit", ours("gen/model"), true},
		{"the generator imports jennifer", "gen/emit", "github.com/dave/jennifer/jen", true},
		{"the generator never imports its output", "gen/emit", ours("generated/errcode"), false},
		{"runtime imports generated", "runtime/sdam", ours("generated/core/sdamtable"), true},
		{"runtime imports downwards", "runtime/pool", ours("runtime/internal/conn"), true},
		{"runtime never imports upwards", "runtime/internal/conn", ours("runtime/pool"), false},
		{"runtime never imports the generator", "runtime/uri", ours("gen/model"), false},
		{"runtime never imports mongotest", "runtime/mongo", ours("tools/mongotest"), false},
		{"generated calls what no row decides", "generated/core/authtable", ours("bson/emitted"), true},
		{"generated calls nothing of the driver", "generated/core/authtable", ours("runtime/fault"), false},
		{"a package without a place is refused", "runtime/extra", ours("runtime/fault"), false},
		{"conn knows no commands", "runtime/internal/conn", ours("generated/core/command"), false},
		{"selection does no I/O", "runtime/selection", "os", false},
		{"selection may look at errors of the network", "runtime/selection", "net", true},
		{"the suites may", "tools/suite/seedlist", ours("runtime/mongo"), true},
		{"mongotest never imports the driver", "tools/mongotest", ours("runtime/mongo"), false},
		{"the driver does not know its page", "runtime/mongo", ours("runtime/mongodebug"), false},
		{"the page knows the driver", "runtime/mongodebug", ours("runtime/mongo"), true},
		{"the driver knows no JavaScript", "runtime/mongo", ours("tools/mongotest/javascript"), false},
		{"JavaScript has an interpreter", "tools/mongotest/javascript", "github.com/dop251/goja", true},
		{"nobody else has", "tools/mongotest/internal/engine", "github.com/dop251/goja", false},
		{"mongotest collates", "tools/mongotest", "golang.org/x/text/collate", true},
		{"the driver does not collate", "runtime/mongo", "golang.org/x/text/collate", false},
		{"the suite is for suites", "runtime/mongo", ours("tools/suite"), false},
		{"only tests of suites import the runtime", "generated/conformance/crud", ours("tools/suite"), false},
		{"specsync imports the generator", "tools/specsync", ours("gen/load"), true},
		{"specsync imports nothing else of ours", "tools/specsync", ours("bson"), false},
		{"mongotest sees no internals of the driver", "tools/mongotest/internal/frame", ours("runtime/internal/compress"), false},
		{"mongotest compresses", "tools/mongotest/internal/compress", "github.com/klauspost/compress/zstd", true},
		{"the program serves the library", "tools/mongotestd", ours("tools/mongotest"), true},
		{"nothing imports a program", "runtime/mongo", ours("tools/demo"), false},
		{"not even a tool", "tools/interop", ours("tools/mongotestd"), false},
		{"tools import the driver", "tools/demo", ours("runtime/mongo"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if why := reason(c.from, c.to); (why == "") != c.allowed {
				t.Errorf("reason(%s, %s) = %q", c.from, c.to, why)
			}
		})
	}
}

func TestExternalTestsReachTheServer(t *testing.T) {
	if why := externalTestReason("runtime/internal/exec", module+"/tools/mongotest"); why != "" {
		t.Errorf("an external test may not use mongotest: %s", why)
	}
	if why := testReason("runtime/internal/exec", module+"/tools/mongotest"); why == "" {
		t.Error("a test inside the package may use mongotest")
	}
	if why := testReason("runtime/internal/exec", module+"/gen/upstream"); why != "" {
		t.Errorf("a test may not read the specifications: %s", why)
	}
}

func TestSuitesReachTheDriver(t *testing.T) {
	for _, to := range []string{"tools/suite", "runtime/mongo"} {
		if why := testReason("generated/conformance/crud", module+"/"+to); why != "" {
			t.Errorf("a generated suite may not import %s: %s", to, why)
		}
	}
}

func TestProblemsNameBothSides(t *testing.T) {
	p := goPackage{ImportPath: module + "/bson", Imports: []string{"gopkg.in/yaml.v3"}, TestImports: []string{module + "/runtime/mongo"}}
	got := strings.Join(p.problems(), "\n")
	want := "bson imports gopkg.in/yaml.v3: it is not among the dependencies that CONTRIBUTING.md lists for this place\n" +
		"bson (test) imports runtime/mongo: bson imports generated/bsontype and generated/core/form only"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNetworkProblems(t *testing.T) {
	const source = `package selection

import "net"

func isTimeout(err net.Error) bool { return err.Timeout() }

func find(name string) { _, _ = net.LookupHost(name) }
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "explain.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(networkProblems(fset, f), "\n")
	if want := "explain.go:7:33: net.LookupHost does I/O"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCgoIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "c.go"), []byte("package pool\n\nimport \"C\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, p := range []goPackage{{Dir: dir, CgoFiles: []string{"c.go"}}, {Dir: dir, IgnoredGoFiles: []string{"c.go"}}} {
		got, err := sourceProblems(p, nil)
		if err != nil || len(got) != 1 || !strings.HasSuffix(got[0], "c.go:3:8: there is no cgo here") {
			t.Errorf("got %q, %v", got, err)
		}
	}
}

func TestSourceProblems(t *testing.T) {
	const source = `package pool

import (
	sdam "github.com/specdrivers/onion/generated/core/sdamtable"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

type Pool struct {
	Conn  *conn.Conn
	inner *conn.Conn
}

func New(c *conn.Conn) *Pool { _ = conn.Default; return nil }

func open(c *conn.Conn) {}
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "pool.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := append(aliasProblems(fset, f), signatureProblems(fset, f)...)
	want := []string{
		"pool.go:4:2: generated/core/sdamtable is imported under its own name",
		"pool.go:9:9: an exported signature names runtime/internal/conn.Conn",
		"pool.go:13:13: an exported signature names runtime/internal/conn.Conn",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAudience(t *testing.T) {
	for _, c := range []struct {
		name, path, doc string
		allowed         bool
	}{
		{"users are served", "bson", "Package bson reads and writes BSON.", true},
		{"plumbing says so", "generated/core/txn", "Package txn is plumbing of the driver, not for users: it ...", true},
		{"tools say so", "tools/suite", "Package suite serves compiled tests, not users: it ...", true},
		{"nothing hidden has to", "runtime/internal/exec", "Package exec runs operations.", true},
		{"everything else has to", "gen/emit", "Package emit prints Go.", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := goPackage{ImportPath: module + "/" + c.path, Name: "x", Doc: c.doc, GoFiles: []string{"doc.go"}}
			if got := p.audienceProblem(); (len(got) == 0) != c.allowed {
				t.Errorf("got %q", got)
			}
		})
	}
}
