package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The limits for hand-written code. A tab counts as four columns; tests may have longer lines and functions.
const (
	maxLines    = 400
	maxColumns  = 140
	maxFunction = 60
	maxSwitch   = 80 // a function that is a flat switch: splitting it would only invent names
	maxClause   = 10
	maxP99      = 50
)

// form measures the hand-written Go of every module below a directory.
type form struct {
	fset     *token.FileSet
	problems []string
	lengths  []int // of the functions outside tests
}

// formProblems lists the files, lines and functions that are too long, and the exported names without a comment.
func formProblems(root string) ([]string, error) {
	c := form{fset: token.NewFileSet()}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || path == filepath.Join(root, "generated")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		short, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return c.checkFile(short, data)
	})
	if err != nil {
		return nil, err
	}
	if n := percentile(c.lengths, 99); n > maxP99 {
		c.problems = append(c.problems, fmt.Sprintf("one function in a hundred has more than %d lines; %d are the limit", n, maxP99))
	}
	return c.problems, nil
}

// checkFile measures one file. Generated ones are the emitters' business.
func (c *form) checkFile(name string, data []byte) error {
	f, err := parser.ParseFile(c.fset, name, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(f) {
		return nil
	}
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	if len(lines) > maxLines {
		c.addProblem(f.Pos(), "the file has %d lines; %d are the limit", len(lines), maxLines)
	}
	if strings.HasSuffix(name, "_test.go") {
		return nil
	}
	for i, line := range lines {
		if n := len([]rune(string(line))) + 3*bytes.Count(line, []byte("\t")); n > maxColumns {
			c.problems = append(c.problems, fmt.Sprintf("%s:%d: the line has %d columns; %d are the limit", name, i+1, n, maxColumns))
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			c.checkFunction(d)
		case *ast.GenDecl:
			c.checkDeclaration(d)
		}
	}
	return nil
}

func (c *form) checkFunction(d *ast.FuncDecl) {
	n := c.countLines(d)
	c.lengths = append(c.lengths, n)
	limit := maxFunction
	if c.isFlatSwitch(d) {
		limit = maxSwitch
	}
	if n > limit {
		c.addProblem(d.Pos(), "%s has %d lines; %d are the limit", d.Name.Name, n, limit)
	}
	if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || receiverIsExported(d)) && !wellKnown[d.Name.Name] {
		c.addProblem(d.Pos(), "%s is exported and has no comment", d.Name.Name)
	}
}

// isFlatSwitch reports whether most of a function is a switch with short clauses.
func (c *form) isFlatSwitch(d *ast.FuncDecl) bool {
	if d.Body == nil {
		return false
	}
	for _, s := range d.Body.List {
		var clauses *ast.BlockStmt
		switch s := s.(type) {
		case *ast.SwitchStmt:
			clauses = s.Body
		case *ast.TypeSwitchStmt:
			clauses = s.Body
		default:
			continue
		}
		short := !slices.ContainsFunc(clauses.List, func(s ast.Stmt) bool { return c.countLines(s) > maxClause })
		if short && 2*c.countLines(clauses) > c.countLines(d) {
			return true
		}
	}
	return false
}

func (c *form) countLines(n ast.Node) int {
	return c.fset.Position(n.End()).Line - c.fset.Position(n.Pos()).Line + 1
}

// wellKnown are methods whose name says everything: interfaces of the standard library.
var wellKnown = map[string]bool{
	"Error": true, "String": true, "Unwrap": true, "Is": true, "Len": true, "Less": true, "Swap": true,
	"GoString": true, "Format": true, "LogValue": true,
}

func receiverIsExported(d *ast.FuncDecl) bool {
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

// checkDeclaration looks at types, constants and variables. The comment of a group serves all that the group declares.
func (c *form) checkDeclaration(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
				c.addProblem(s.Pos(), "%s is exported and has no comment", s.Name.Name)
			}
		case *ast.ValueSpec:
			exported := slices.IndexFunc(s.Names, func(n *ast.Ident) bool { return n.IsExported() })
			if exported >= 0 && d.Doc == nil && s.Doc == nil && s.Comment == nil {
				c.addProblem(s.Pos(), "%s is exported and has no comment", s.Names[exported].Name)
			}
		}
	}
}

func (c *form) addProblem(at token.Pos, format string, args ...any) {
	p := c.fset.Position(at)
	c.problems = append(c.problems, fmt.Sprintf("%s:%d: ", p.Filename, p.Line)+fmt.Sprintf(format, args...))
}

// percentile is 0 without values.
func percentile(values []int, p int) int {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)*p/100]
}
