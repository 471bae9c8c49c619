package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestNoTabulatedLiteral checks that hand-written code takes values from the generated packages when a table holds
// them. It skips the code that generated suites call: that code reads test files, which use these names themselves.
func TestNoTabulatedLiteral(t *testing.T) {
	facts := tabulateFacts(t)
	for _, dir := range []string{"../runtime", "../bson"} {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			switch slashed := filepath.ToSlash(name); {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || slashed == "../tools/suite"):
				return fs.SkipDir
			case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
				return nil
			default:
				// A server may use the names of fields and commands.
				return facts.check(t, name, !strings.HasPrefix(slashed, "../tools/mongotest/"))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (f facts) check(t *testing.T, name string, driver bool) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, problem := range f.findLiterals(fset, file, driver) {
		t.Error(problem)
	}
	return nil
}

// planted breaks every rule. The lists below it hold the reports for any code, and for the driver only.
const planted = `package p

import "log"

const stepDown = 189

func f(code int, r reply) {
	if code == 189 || r.Code != 26 || code == stepDown {
		log.Print("Command started")
	}
	switch r.code {
	case 11000:
	}
	_ = failure{Code: 91, Count: 91}
	_ = errcode.Code(50)
	r.errorCode = 59
	count := 189
	set("serverSelectionTimeoutMS")
	if hasLabel("RetryableWriteError") {}
	_ = count
	c := r.Code
	switch {
	case c == 7, 89 == c:
	}
	for _, x := range []errcode.Code{6, 7} {}
	retry := map[int32]bool{10107: true}
	fmt.Sprintf("Connection ready: address=%s:%d, driver-generated ID=%d", h, p, id)
	fmt.Errorf("primary marked stale due to electionId/setVersion mismatch, %s is stale", s)
	reply.Lookup("setName")
	run("endSessions", "SCRAM-SHA-256", "AWS_EXECUTION_ENV")
	port, next := 27017, code+1
}
`
const plantedAnywhere = `p.go:8:13: 189 is errcode.PrimarySteppedDown
p.go:8:30: 26 is errcode.NamespaceNotFound
p.go:8:44: stepDown is errcode.PrimarySteppedDown
p.go:9:13: "Command started" is a log message
p.go:12:7: 11000 is errcode.DuplicateKey
p.go:14:20: 91 is errcode.ShutdownInProgress
p.go:15:19: 50 is errcode.MaxTimeMSExpired
p.go:16:16: 59 is errcode.CommandNotFound
p.go:18:6: "serverSelectionTimeoutMS" is a URI option
p.go:19:14: "RetryableWriteError" is an error label
p.go:23:12: 7 is errcode.HostNotFound
p.go:23:15: 89 is errcode.NetworkTimeout
p.go:25:35: 6 is errcode.HostUnreachable
p.go:25:38: 7 is errcode.HostNotFound
p.go:27:14: "Connection ready: address=%s:%d, driver-generated ID=%d" is a log template
p.go:28:13: "primary marked stale due to electionId/setVersion mismatch, %s is stale" is a text of specs/server/messages.yaml
`
const plantedInDriver = `p.go:26:26: 10107 is errcode.NotWritablePrimary
p.go:29:15: "setName" is a field of hello
p.go:30:6: "endSessions" is a command
p.go:30:21: "SCRAM-SHA-256" is a mechanism
p.go:30:38: "AWS_EXECUTION_ENV" is a variable of the environment
`

func TestLiteralsAreFound(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", planted, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	facts := tabulateFacts(t)
	for _, test := range []struct {
		driver bool
		want   string
	}{{true, plantedAnywhere + plantedInDriver}, {false, plantedAnywhere}} {
		got, wanted := facts.findLiterals(fset, f, test.driver), strings.Split(strings.TrimSpace(test.want), "\n")
		slices.Sort(got)
		slices.Sort(wanted)
		if !slices.Equal(got, wanted) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(wanted, "\n"))
		}
	}
}

// distinct is the smallest code that cannot be mistaken for another number.
const distinct = 9000

// findLiterals finds literals of a file whose value is in a table. A number counts if it is compared with something named
// code, or with a variable that was assigned a code. In the driver a large number counts everywhere.
func (f facts) findLiterals(fset *token.FileSet, file *ast.File, driver bool) []string {
	l := literalWalk{facts: f, fset: fset, driver: driver, constants: map[string]*ast.BasicLit{}, codes: map[string]bool{}}
	ast.Inspect(file, l.noteConstant)
	ast.Inspect(file, l.visit)
	return l.out
}

type literalWalk struct {
	facts
	fset      *token.FileSet
	driver    bool
	constants map[string]*ast.BasicLit
	codes     map[string]bool // variables of the function that were assigned a code
	out       []string
}

func (l *literalWalk) report(n ast.Expr, text, what string) {
	line := fmt.Sprintf("%s: %s is %s", l.fset.Position(n.Pos()), text, what)
	for _, have := range l.out {
		if have == line {
			return
		}
	}
	l.out = append(l.out, line)
}

// noteConstant notes the constants of a file.
func (l *literalWalk) noteConstant(n ast.Node) bool {
	if spec, ok := n.(*ast.ValueSpec); ok {
		for i := range min(len(spec.Names), len(spec.Values)) {
			if lit, ok := spec.Values[i].(*ast.BasicLit); ok {
				l.constants[spec.Names[i].Name] = lit
			}
		}
	}
	return true
}

// checkNumber reports a number, or the name of one, that is a code.
func (l *literalWalk) checkNumber(e ast.Expr) {
	lit, _ := e.(*ast.BasicLit)
	text := ""
	if id, ok := e.(*ast.Ident); ok {
		lit, text = l.constants[id.Name], id.Name
	}
	if lit == nil || lit.Kind != token.INT {
		return
	}
	if text == "" {
		text = lit.Value
	}
	n, err := strconv.ParseInt(lit.Value, 0, 64)
	name := l.facts.codes[n]
	if err != nil || name == "" || !l.driver && name == fmt.Sprintf("errcode.Location%d", n) {
		return // a server has thousands of locations, whose names say no more than their numbers
	}
	l.report(e, text, name)
}

func (l *literalWalk) checkText(n *ast.BasicLit) {
	s, err := strconv.Unquote(n.Value)
	if err != nil {
		return
	}
	if what := l.facts.texts[s]; what != "" {
		l.report(n, n.Value, what)
	} else if what := l.facts.names[s]; what != "" && l.driver {
		l.report(n, n.Value, what)
	}
	for opening, what := range l.openings {
		if strings.HasPrefix(s, opening) {
			l.report(n, n.Value, what)
		}
	}
}

func (l *literalWalk) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.Field:
		return n.Tag == nil
	case *ast.FuncDecl:
		l.codes = map[string]bool{}
	case *ast.BasicLit:
		l.checkLiteral(n)
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			l.checkPair(n.X, n.Y)
			l.checkPair(n.Y, n.X)
		}
	case *ast.KeyValueExpr:
		l.checkPair(n.Key, n.Value)
	case *ast.CompositeLit:
		l.checkList(n)
	case *ast.AssignStmt:
		for i := range min(len(n.Lhs), len(n.Rhs)) {
			l.checkPair(n.Lhs[i], n.Rhs[i])
			if id, ok := n.Lhs[i].(*ast.Ident); ok && n.Tok == token.DEFINE {
				l.codes[id.Name] = l.isCode(n.Rhs[i])
			}
		}
	case *ast.CallExpr:
		if s, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) == 1 {
			l.checkPair(s, n.Args[0])
		}
	case *ast.SwitchStmt:
		if n.Tag != nil {
			for _, clause := range n.Body.List {
				for _, e := range clause.(*ast.CaseClause).List {
					l.checkPair(n.Tag, e)
				}
			}
		}
	}
	return true
}

func (l *literalWalk) checkLiteral(n *ast.BasicLit) {
	switch n.Kind {
	case token.STRING:
		l.checkText(n)
	case token.INT:
		if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil && l.driver && v >= distinct && l.facts.codes[v] != "" {
			l.report(n, n.Value, l.facts.codes[v])
		}
	}
}

// checkPair reports a number that is paired with a code.
func (l *literalWalk) checkPair(code, number ast.Expr) {
	if l.isCode(code) {
		l.checkNumber(number)
	}
}

// checkList reports the numbers of a list of codes.
func (l *literalWalk) checkList(n *ast.CompositeLit) {
	if array, ok := n.Type.(*ast.ArrayType); ok && l.isCode(array.Elt) {
		for _, e := range n.Elts {
			l.checkNumber(e)
		}
	}
}

// isCode reports whether the name of an expression says code. Opcodes, HTTP status codes and exit codes do not count.
func (l *literalWalk) isCode(e ast.Expr) bool {
	name := ""
	switch e := e.(type) {
	case *ast.Ident:
		if l.codes[e.Name] {
			return true
		}
		name = e.Name
	case *ast.SelectorExpr:
		name = e.Sel.Name
	case *ast.CallExpr:
		return len(e.Args) == 1 && l.isCode(e.Args[0])
	}
	name = strings.ToLower(name)
	return name == "code" || name == "errorcode" || name == "errcode"
}
