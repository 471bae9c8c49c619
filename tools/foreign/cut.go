package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// complaintLine is an error of the compiler.
var complaintLine = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):(\d+): (.*)$`)

// edit replaces a part of a file.
type edit struct {
	from, to int
	text     string
}

// cutFiles edits every file of the packages that the compiler complains about.
func cutFiles(folder string, packages []string, out string) error {
	byFile := map[string][][]string{}
	for _, m := range complaintLine.FindAllStringSubmatch(out, -1) {
		if slices.Contains(packages, "./"+filepath.Dir(m[1])) {
			byFile[m[1]] = append(byFile[m[1]], m)
		}
	}
	if len(byFile) == 0 {
		return errors.New("the moved tests do not compile")
	}
	for name, complaints := range byFile {
		path := filepath.Join(folder, name)
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		cutter := &cutter{fset: token.NewFileSet(), src: src}
		if cutter.tree, err = parser.ParseFile(cutter.fset, path, src, parser.SkipObjectResolution); err != nil {
			return err
		}
		for _, m := range complaints {
			line, _ := strconv.Atoi(m[2])
			column, _ := strconv.Atoi(m[3])
			file := cutter.fset.File(cutter.tree.Pos())
			cutter.complain(file.LineStart(min(line, file.LineCount()))+token.Pos(column-1), m[4])
		}
		if err := os.WriteFile(path, cutter.apply(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// cutter edits one file.
type cutter struct {
	fset  *token.FileSet
	src   []byte
	tree  *ast.File
	edits []edit
}

func (c *cutter) offset(p token.Pos) int { return c.fset.Position(p).Offset }

func (c *cutter) put(from, to token.Pos, text string) {
	c.edits = append(c.edits, edit{c.offset(from), c.offset(to), text})
}

// apply makes the edits. One that lies inside another is left out: the next round finds what is left of it.
func (c *cutter) apply() []byte {
	slices.SortStableFunc(c.edits, func(a, b edit) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	var out []byte
	at := 0
	for _, e := range c.edits {
		if e.from < at {
			continue
		}
		out = append(append(out, c.src[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, c.src[at:]...)
}

// complain edits the place of one error.
func (c *cutter) complain(at token.Pos, what string) {
	for _, s := range c.tree.Imports {
		if s.Pos() <= at && at <= s.End() && strings.Contains(what, "imported") {
			if s.Name != nil {
				c.put(s.Name.Pos(), s.Name.End(), "_")
			} else {
				c.put(s.Pos(), s.Pos(), "_ ")
			}
			return
		}
	}
	for _, d := range c.tree.Decls {
		if d.Pos() <= at && at < d.End() {
			c.decl(d, at, what)
			return
		}
	}
}

func (c *cutter) decl(d ast.Decl, at token.Pos, what string) {
	fn, ok := d.(*ast.FuncDecl)
	if !ok || fn.Body == nil || at < fn.Body.Pos() {
		c.put(d.Pos(), d.End(), "")
		return
	}
	if name, unused := strings.CutPrefix(what, "declared and not used: "); unused {
		c.use(fn.Body, at, name)
		return
	}
	text := strconv.Quote("does not compile: " + what)
	if lit := innermostTest(fn.Body, at); lit != nil {
		c.failBody(lit.Type, lit.Body, text)
		return
	}
	if takesTest(fn.Type) {
		c.failBody(fn.Type, fn.Body, text)
		return
	}
	c.put(d.Pos(), d.End(), "") // now what calls it does not compile
}

// takesTest reports whether the first parameter is a *testing.T.
func takesTest(t *ast.FuncType) bool {
	if len(t.Params.List) == 0 || len(t.Params.List[0].Names) != 1 {
		return false
	}
	star, ok := t.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	selector, ok := star.X.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "T"
}

// failBody makes a test fail.
func (c *cutter) failBody(t *ast.FuncType, b *ast.BlockStmt, text string) {
	param := t.Params.List[0].Names[0]
	name := param.Name
	if name == "_" {
		name = "t"
		c.put(param.Pos(), param.End(), name)
	}
	ends := ""
	if t.Results != nil {
		ends = "; panic(0)"
	}
	c.put(b.Pos(), b.End(), fmt.Sprintf("{ %s.Fatal(%s)%s }", name, text, ends))
}

// use adds a use of a variable after the statement that declares it.
func (c *cutter) use(body *ast.BlockStmt, at token.Pos, name string) {
	var end token.Pos
	ast.Inspect(body, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		}
		for _, s := range list {
			if s.Pos() <= at && at < s.End() {
				switch s := s.(type) {
				case *ast.AssignStmt, *ast.DeclStmt:
					end = s.End()
				case *ast.RangeStmt:
					end = s.Body.Lbrace + 1
				}
			}
		}
		return true
	})
	if end.IsValid() {
		c.put(end, end, "\n_ = "+name+"\n")
	}
}

// innermostTest returns the function of the subtest that holds the place, or nil.
func innermostTest(body *ast.BlockStmt, at token.Pos) *ast.FuncLit {
	var found *ast.FuncLit
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil || at < n.Pos() || n.End() <= at {
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || selector.Sel.Name != "Run" && selector.Sel.Name != "RunOpts" {
			return true
		}
		lit, ok := call.Args[len(call.Args)-1].(*ast.FuncLit)
		if ok && lit.Body.Pos() <= at && at < lit.Body.End() && len(lit.Type.Params.List) == 1 {
			found = lit
		}
		return true
	})
	return found
}
