package suite

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/suite/source"
	"github.com/specdrivers/onion/gen/suite/unified"
)

// unifiedPackage is the package below the shared helpers that compiled cases of the unified format call.
const unifiedPackage = "unified"

// newestSchema is the newest version of the format. Every older minor version is a subset of it.
var newestSchema = [2]int{1, 28}

// unifiedFile compiles the cases of one file, which share requirements, entities and data.
type unifiedFile struct {
	*compiler
	name  string // what the file's own identifiers begin with
	root  *source.Node
	model *unified.File
	tests map[*source.Node]unified.Test
	scope *scope // entities that every case begins with

	requires bool // the file has requirements of its own
	single   bool // a client of the file or of the case knows one router
	narrow   bool // every client knows one router, to reach the fail point of the case
	loose    bool // commands may have more fields than expected, at every depth
	several  bool // a client of the file or of the case knows several routers
}

// openUnified reads a file. Its declarations are what the cases share.
func openUnified(c *compiler) ([]jen.Code, func(*compiler, *source.Node) []jen.Code) {
	return (&unifiedFile{compiler: c}).open(c.file.Root)
}

// open reads the tree of a file. Its tests are in the same order as in the file itself.
func (u *unifiedFile) open(root *source.Node) ([]jen.Code, func(*compiler, *source.Node) []jen.Code) {
	c := u.compiler
	u.root, u.tests = root, map[*source.Node]unified.Test{}
	for _, v := range ignoreSchemaRules(c.unified.Validate(root)) {
		c.problemf(&source.Node{Line: v.Line}, "%s", v)
	}
	if len(c.problems) > 0 {
		return nil, nil
	}
	model, found := c.unified.Read(root)
	for _, v := range found {
		c.problemf(&source.Node{Line: v.Line}, "%s", v)
	}
	u.model = model
	for i, n := range c.file.Root.Get("tests").Items {
		u.tests[n] = model.Tests[i]
	}
	u.checkVersion()
	u.name = c.file.ident
	top := u.declarations()
	return top, u.test
}

// majorOnly matches the violation of a version that consists of one number.
var majorOnly = regexp.MustCompile(`^"[0-9]+" does not match `)

// ignoreSchemaRules leaves out what the schema forbids although the document allows it: heartbeats among the events that a client
// observes, where eventKind finds what is not an event at all, and versions of one number. Unified Test Format, "entity",
// "Version String".
func ignoreSchemaRules(found []unified.Violation) []unified.Violation {
	return slices.DeleteFunc(found, func(v unified.Violation) bool {
		return strings.Contains(v.Path, ".observeEvents[") || majorOnly.MatchString(v.Text)
	})
}

// checkVersion follows Unified Test Format, "Test Runner Support".
func (u *unifiedFile) checkVersion() {
	parts := append(strings.Split(u.model.SchemaVersion, "."), "0")
	major, _ := strconv.Atoi(parts[0])
	minor, _ := strconv.Atoi(parts[1])
	if major != newestSchema[0] || minor > newestSchema[1] {
		u.problemf(u.root.Get("schemaVersion"), "version %s of the format is not supported", u.model.SchemaVersion)
	}
}

// declarations prints
//
//	// findRunsOn says where the cases of find run.
//	var findRunsOn = unified.AnyOf{{MinVersion: "4.4"}}
//
//	// findEntities are what every case of find begins with.
//	type findEntities struct {
//		client0 *unified.Client
//	}
//
//	func findSetUp(r *unified.Run) *findEntities { ... }
func (u *unifiedFile) declarations() []jen.Code {
	var out []jen.Code
	if u.requires = len(u.model.RunOn) > 0; u.requires {
		out = append(out, jen.Var().Id(u.name+"RunsOn").Op("=").Add(u.anyOf(u.model.RunOn)))
	}
	u.scope = newScope(nil)
	var body, fields []jen.Code
	for _, d := range u.model.Data {
		body = append(body, u.data(d))
	}
	add := func(call jen.Code, entity *entity) {
		if entity == nil {
			return
		}
		entity.code = jen.Id("e").Dot(entity.name)
		fields = append(fields, jen.Id(entity.name).Add(entityType(entity.kind)))
		body = append(body, jen.Add(entity.code).Op("=").Add(call))
	}
	for _, e := range u.model.Entities {
		for _, id := range storedEvents(e) {
			add(jen.Id("r").Dot("List").Call(), u.define(u.scope, "value", id.Text, id.Line))
		}
		add(u.entity(u.scope, e))
	}
	out = append(out, jen.Type().Id(u.name+"Entities").Struct(fields...))
	body = append([]jen.Code{jen.Id("e").Op(":=").Op("&").Id(u.name + "Entities").Values()}, body...)
	body = append(body, jen.Return(jen.Id("e")))
	return append(out, jen.Func().Id(u.name+"SetUp").Params(jen.Id("r").Op("*").Add(sharedSymbol("Run"))).
		Op("*").Id(u.name+"Entities").Block(body...))
}

// sharedSymbol names a symbol of the package that compiled cases call.
func sharedSymbol(name string) *jen.Statement { return helper(unifiedPackage, name) }

// anyOf prints requirements.
func (u *unifiedFile) anyOf(list []unified.Requirement) jen.Code {
	var items []jen.Code
	for _, r := range list {
		var values []jen.Code
		for _, f := range []struct{ name, value string }{
			{"MinVersion", r.MinServerVersion}, {"MaxVersion", r.MaxServerVersion}, {"Serverless", r.Serverless},
			{"AuthMechanism", r.AuthMechanism},
		} {
			if f.value != "" {
				values = append(values, field(f.name, text(f.value)))
			}
		}
		if len(r.Topologies) > 0 {
			var names []jen.Code
			for _, t := range r.Topologies {
				names = append(names, text(t))
			}
			values = append(values, field("Topologies", jen.Index().String().Values(names...)))
		}
		if r.ServerParameters != nil {
			values = append(values, field("Parameters", u.value(r.ServerParameters)))
		}
		if r.Auth != nil {
			values = append(values, field("Auth", jen.New(jen.Lit(*r.Auth))))
		}
		if r.CSFLE != nil {
			values = append(values, field("Encryption", jen.New(jen.Lit(r.CSFLE.Text != "false"))))
		}
		items = append(items, jen.Values(values...))
	}
	return sharedSymbol("AnyOf").Values(items...)
}

// data prints the content of a collection.
func (u *unifiedFile) data(d unified.Collection) jen.Code {
	args := []jen.Code{text(d.Database), text(d.Name)}
	method := "Data"
	if d.Options != nil {
		method = "DataWith"
		args = append(args, u.value(d.Options))
	}
	return jen.Id("r").Dot(method).Call(append(args, u.documents(d.Documents)...)...)
}

func (u *unifiedFile) documents(list []*source.Node) []jen.Code {
	var out []jen.Code
	for _, n := range list {
		out = append(out, u.value(n))
	}
	return out
}

// value prints extended JSON.
func (c *compiler) value(n *source.Node) jen.Code {
	if at := placeholderIn(n); at != nil {
		c.problemf(at, "nothing can take the place of a placeholder here")
	}
	code, ok := literals{}.value(n)
	if !ok {
		c.problemf(n, "is not extended JSON")
		return jen.Nil()
	}
	return code
}

// placeholderIn finds a placeholder. Unified Test Format, "$$placeholder".
func placeholderIn(n *source.Node) *source.Node {
	for _, m := range n.Members {
		if m.Key == "$$placeholder" {
			return n
		}
		if at := placeholderIn(m.Value); at != nil {
			return at
		}
	}
	for _, item := range n.Items {
		if at := placeholderIn(item); at != nil {
			return at
		}
	}
	return nil
}

// test prints the body of a case.
func (u *unifiedFile) test(c *compiler, n *source.Node) []jen.Code {
	file := *u
	file.compiler = c
	t := u.tests[n]
	because, must := c.catalogue.Failures.MustFail(c.file.Name(), t.Description)
	must = must && c.file.Suite == "unified-test-format"
	b := &unifiedCase{unifiedFile: &file, scope: newScope(u.scope)}
	body := b.body(t)
	if must && len(c.fileProblems)+len(c.problems) > 0 {
		c.judge(because)
		return nil
	}
	var where []jen.Code
	if u.requires {
		where = append(where, jen.Id(u.name+"RunsOn"))
	}
	if len(t.RunOn) > 0 {
		where = append(where, b.anyOf(t.RunOn))
	}
	if t.SkipReason != "" {
		c.skip = "upstream skips the case: " + t.SkipReason
	}
	c.skip = cmp.Or(c.skip, explainNowhere(u.model.RunOn), explainNowhere(t.RunOn))
	args := []jen.Code{jen.Id("t")}
	method := "Test"
	if must {
		method = "Fails"
		args = append(args, text(because))
	}
	args = append(args, jen.Func().Params(jen.Id("r").Op("*").Add(sharedSymbol("Run"))).Block(body...))
	on := sharedSymbol("On").Call(where...)
	if b.needsOneRouter() {
		on = on.Dot("BehindOneRouter").Call()
	}
	if b.narrow {
		on = on.Dot("WithOneRouter").Call()
	}
	for _, topology := range c.except {
		on = on.Dot("Except").Call(text(topology))
	}
	return []jen.Code{on.Dot(method).Call(args...)}
}

// explainNowhere says why a case cannot run on any deployment: each of its requirements asks for what no longer exists, or for
// a driver without client-side encryption. Unified Test Format, "runOnRequirement": such a case is skipped.
func explainNowhere(list []unified.Requirement) string {
	reason := ""
	for _, r := range list {
		switch {
		case r.Serverless == "require":
			reason = "Needs Atlas Serverless, which is gone; the format lets drivers skip what requires it."
		case r.CSFLE != nil && r.CSFLE.Text == "false":
			reason = "Needs a driver without client-side encryption."
		default:
			return ""
		}
	}
	return reason
}

// needsOneRouter reports whether a client of the case must know only one router, and none must know several. Clients
// that do not say how many they want then know one router too, so that a fail point set through one client reaches all.
func (u *unifiedCase) needsOneRouter() bool {
	return u.single && !u.several
}

// judge decides a case that must fail: it passes if the compiler reports a problem whose text contains because.
func (c *compiler) judge(because string) {
	for _, p := range append(c.fileProblems, c.problems...) {
		if strings.Contains(p.Text, because) {
			c.judged, c.problems, c.excused = true, nil, true
			return
		}
	}
}

func lowerFirst(s string) string {
	r := []rune(s)
	if len(r) > 0 {
		r[0] = unicode.ToLower(r[0])
	}
	return cmp.Or(string(r), "x")
}

func upperFirst(s string) string {
	r := []rune(s)
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}
