package suite

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/emit"
	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/suite/source"
	"github.com/specdrivers/onion/gen/suite/unified"
)

// Options say where compiled suites go.
type Options struct {
	Dir     string          // below the module root, like generated/conformance
	Tag     string          // the build tag of the files; empty for none
	From    string          // what headers and problems call the directory of the test files, with a final slash
	Joined  bool            // the suites of a format share a package, which costs one program and not one a suite
	Unified *unified.Format // the table of the unified format
	// Catalogue holds what cases of the unified format name; nil when there are none.
	Catalogue *Catalogue
	Zone      *Zone // DNS records that the specification's list lacks; nil for none
	// Choose says whether a case counts at all, and why a case is skipped. Nil chooses every case.
	Choose func(f *File, name string) (counts bool, skip string)

	// Except names the topologies that a case of the unified format cannot run on. Nil excepts none.
	Except func(f *File, name string) []string
}

// Case is a case of a test file.
type Case struct {
	File     *File
	Name     string
	Package  string         // the package of its test, below the module root
	Func     string         // the test function; empty when the case is not compiled
	Judged   bool           // compiling the case is the whole test: it passes unless it has problems
	Skip     string         // why it is skipped
	Problems []load.Problem // why it is not compiled
}

// Result is what a set of test files compiles to.
type Result struct {
	Cases []*Case
	Files []emit.File
}

// Problems lists the problems of all cases, ordered by file and line.
func (r *Result) Problems() []load.Problem {
	var all []load.Problem
	for _, c := range r.Cases {
		for _, p := range c.Problems {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b load.Problem) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
	return all
}

// NotCompiledYet is the problem text for a case whose format has no emitter.
const NotCompiledYet = "not compiled yet"

// Compile turns test files into Go packages, one per suite and format or, joined, one per format. A problem in one case
// never stops another case.
func Compile(files []*File, o Options) *Result {
	r := &Result{}
	if o.Joined {
		nameSuites(files)
	}
	names := map[string]bool{} // of files and of functions, below their package
	for _, f := range files {
		r.compileFile(f, o, names)
	}
	return r
}

// nameSuites puts the suite into the names of files whose format several suites use. Joined, these files share a package.
func nameSuites(files []*File) {
	suite := map[string]string{} // by format; empty if several suites have the format
	for _, f := range files {
		if one, ok := suite[f.Format]; ok && one != f.Suite {
			suite[f.Format] = ""
		} else if !ok {
			suite[f.Format] = f.Suite
		}
	}
	for _, f := range files {
		if suite[f.Format] == "" {
			f.among = f.Suite
		}
	}
}

// pkg returns the package of the cases of a file.
func (o Options) pkg(f *File, format string) string {
	if o.Joined {
		return path.Join(o.Dir, format)
	}
	return path.Join(o.Dir, f.Suite, format)
}

func (r *Result) compileFile(f *File, o Options, names map[string]bool) {
	format := formatOf(f.Format)
	switch {
	case f.Err != nil:
		r.fail(f, o, f.readProblem(o.From))
		return
	case format == nil:
		at := load.Pos{File: o.From + f.Path, Line: f.Root.Line}
		r.fail(f, o, load.Problem{Pos: at, Text: "no format of test files fits"})
		return
	}
	header := f.checkTop(format, o.From)
	cases := f.cases(format)
	compile := format.compile
	pkg := o.pkg(f, format.name)
	var top []jen.Code
	if format.open != nil {
		f.ident = makeUnique(names, pkg, identifier(f.localName()))
		shared := &compiler{file: f, from: o.From, unified: o.Unified, catalogue: o.Catalogue}
		top, compile = format.open(shared)
		header = append(header, shared.problems...)
	}
	if compile == nil {
		r.addPending(f, cases, header, o)
		return
	}
	out := newFile(pkg, o, f)
	emitted := false
	for _, n := range cases {
		done, body := r.compileCase(f, o, n, compile, header)
		if done == nil {
			continue
		}
		done.Package = pkg
		if len(done.Problems) > 0 || done.Judged || done.Skip != "" {
			continue
		}
		done.Func = makeUnique(names, pkg, "Test"+f.prefix()+goName(n.name))
		if len(format.list) == 0 {
			done.Func = makeUnique(names, pkg, "Test"+goName(f.localName()))
		}
		if !emitted {
			emitted = true
			for _, d := range top {
				out.Add(d)
				out.Line()
			}
		}
		addComment(out, n.name)
		out.Func().Id(done.Func).Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(body...)
		out.Line()
	}
	if f.deprecated {
		out.HeaderComment("//lint:file-ignore SA1019 deprecated options are tested too")
	}
	if emitted {
		name := makeUnique(names, pkg, fileName(f.localName()))
		r.Files = append(r.Files, emit.File{Path: pkg + "/" + name, Table: strings.TrimPrefix(o.From, "specs/") + f.Path, Content: out})
	}
}

// fail records a file that cannot be compiled, as one case.
func (r *Result) fail(f *File, o Options, p load.Problem) {
	if c := r.add(f, f.Base, o); c != nil && c.Skip == "" {
		c.Problems = []load.Problem{p}
	}
}

// compileCase compiles one case. header are the problems of its file. The case is nil if it was skipped before.
func (r *Result) compileCase(f *File, o Options, n entry, compile compileFunc, header []load.Problem) (*Case, []jen.Code) {
	done := r.add(f, n.name, o)
	if done == nil || done.Skip != "" {
		return nil, nil
	}
	c := &compiler{file: f, from: o.From, list: n.list, unified: o.Unified, zone: o.Zone, catalogue: o.Catalogue, fileProblems: header}
	if o.Except != nil {
		c.except = o.Except(f, n.name)
	}
	body := compile(c, n.node)
	done.Judged, done.Problems = c.judged, c.problems
	if !c.excused {
		done.Problems = append(slices.Clone(header), c.problems...)
	}
	if c.skip != "" { // Unified Test Format, "test"
		done.Skip, done.Problems = c.skip, nil
	}
	return done, body
}

// addPending records the cases of a format without an emitter, and the cases of a file that could not be read.
func (r *Result) addPending(f *File, cases []entry, problems []load.Problem, o Options) {
	for _, n := range cases {
		c := r.add(f, n.name, o)
		if c == nil || c.Skip != "" {
			continue
		}
		if c.Problems = problems; len(problems) == 0 {
			c.Problems = []load.Problem{{Pos: load.Pos{File: o.From + f.Path, Line: n.node.Line}, Text: NotCompiledYet}}
		}
	}
}

// add records a case, unless it does not count.
func (r *Result) add(f *File, name string, o Options) *Case {
	c := &Case{File: f, Name: name}
	if o.Choose != nil {
		var counts bool
		if counts, c.Skip = o.Choose(f, name); !counts {
			return nil
		}
	}
	r.Cases = append(r.Cases, c)
	return c
}

// prefix returns the common start of the function names of a file with many cases.
func (f *File) prefix() string { return goName(f.localName()) + "_" }

// makeUnique keeps names distinct when they differ only in symbols.
func makeUnique(names map[string]bool, pkg, name string) string {
	base, ext := name, ""
	if i := len(name) - len("_test.go"); i > 0 && name[i:] == "_test.go" {
		base, ext = name[:i], "_test.go"
	}
	for i := 2; names[pkg+"/"+name]; i++ {
		name = fmt.Sprintf("%s-%d%s", base, i, ext)
		if ext == "" {
			name = fmt.Sprintf("%s_%d", base, i)
		}
	}
	names[pkg+"/"+name] = true
	return name
}

// entry is a case as its file has it.
type entry struct {
	list, name string
	node       *source.Node
}

// cases lists the cases of a file. It lists as many as the format says there are, whatever else is wrong with the file.
func (f *File) cases(format *format) []entry {
	if len(format.list) == 0 {
		name := f.Base
		if d := f.Root.Get("description"); d != nil && d.Kind == source.String && d.Text != "" {
			name = d.Text
		}
		return []entry{{name: name, node: f.Root}}
	}
	var all []entry
	for _, list := range format.list {
		n := f.Root.Get(list)
		if n == nil || n.Kind != source.Array {
			continue
		}
		for i, item := range n.Items {
			name := fmt.Sprintf("%s %d", list, i+1)
			if d := item.Get("description"); d != nil && d.Kind == source.String && d.Text != "" {
				name = d.Text
			}
			all = append(all, entry{list: list, name: name, node: item})
		}
	}
	return all
}

// checkTop reads the keys next to the cases of a file. A problem there is a problem of each case.
func (f *File) checkTop(format *format, from string) []load.Problem {
	if len(format.list) == 0 {
		return nil // the case itself reads the whole file
	}
	c := &compiler{file: f, from: from}
	top := c.object(f.Root)
	for _, list := range format.list {
		top.listOr(list)
	}
	switch format.name {
	case "bson-corpus":
		readCorpusTop(top)
	case "bson-vector":
		readVectorTop(top)
	case "unified", "cse-legacy":
		return nil
	}
	top.reportUnread()
	return c.problems
}

// newFile returns an empty Go test file.
func newFile(pkg string, o Options, f *File) *jen.File {
	out := jen.NewFilePathName(emit.Module+"/"+pkg, packageName(pkg)+"_test")
	header := "// Code generated by gen from " + o.From + f.Path + ". DO NOT EDIT."
	if o.Tag != "" {
		header = "//go:build " + o.Tag + "\n\n" + header
	}
	out.HeaderComment(header)
	for _, p := range imported {
		out.ImportName(emit.Module+"/"+p, path.Base(p))
	}
	out.ImportName("testing", "testing")
	out.ImportName("math", "math")
	out.ImportName("time", "time")
	return out
}

// imported are the packages of the module that compiled suites call.
var imported = []string{
	"bson", "generated/bsontype", "generated/description", "generated/event", "generated/options",
	helpers, helpers + "/corpus", helpers + "/vector", helpers + "/connstring", helpers + "/concern", helpers + "/discovery",
	helpers + "/election", helpers + "/checkout", helpers + "/seedlist", helpers + "/unified",
}

// helpers is the package that all compiled suites call. The packages for single formats are below it.
const helpers = "tools/suite"

// addComment puts the name of a case above its function.
func addComment(out *jen.File, name string) {
	for _, line := range wrap(name) {
		out.Comment("// " + line)
	}
}
