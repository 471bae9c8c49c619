package mongotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/server"
)

// words holds the names that the server knows: every string in its sources that looks like one.
type words struct {
	commands                              []string
	engine                                []string // those of them that the engine runs
	arguments                             map[string][]argument
	shapes                                map[string]shape
	options                               []string
	queries, updates, stages, expressions []string
}

// shape says what the operator of an expression takes: a number of arguments, or named arguments.
type shape struct {
	min, max int
	names    []string
}

// argument is an argument of a command, and the kind of value that it takes.
type argument struct{ name, kind string }

var (
	operatorName = regexp.MustCompile(`^\$[a-zA-Z]+$`)
	optionName   = regexp.MustCompile(`^\$?[a-z][a-zA-Z]+$`)
)

func readWords(t testing.TB) *words {
	t.Helper()
	w := &words{arguments: argumentTables(t), shapes: operatorShapes(t)}
	for name := range server.CommandNames() {
		if name != "shutdown" { // nothing answers after it
			w.commands = append(w.commands, name)
		}
	}
	for name := range engine.Commands() {
		w.engine = append(w.engine, name)
	}
	slices.Sort(w.commands)
	slices.Sort(w.engine)
	w.options = literals(t, optionName, "engine", "agg", "expr", "collate")
	w.queries = literals(t, operatorName, "query")
	w.updates = literals(t, operatorName, "update")
	w.stages = literals(t, operatorName, "agg")
	w.expressions = literals(t, operatorName, "expr")
	return w
}

// argumentTables reads the tables of arguments out of the engine's sources. Each table is named after its command.
func argumentTables(t testing.TB) map[string][]argument {
	t.Helper()
	tables := map[string][]argument{}
	for _, tree := range sources(t, "engine") {
		ast.Inspect(tree, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 || !strings.HasSuffix(v.Names[0].Name, "Fields") {
				return true
			}
			list, ok := v.Values[0].(*ast.CompositeLit)
			if !ok {
				return true
			}
			name := strings.ToLower(strings.TrimSuffix(v.Names[0].Name, "Fields"))
			for _, element := range list.Elts {
				if row, ok := element.(*ast.CompositeLit); ok && len(row.Elts) == 3 {
					tables[name] = append(tables[name], argument{unquote(row.Elts[0]), kindOf(row.Elts[2])})
				}
			}
			return false
		})
	}
	if len(tables["find"]) == 0 || len(tables["aggregate"]) == 0 {
		t.Fatalf("no tables of arguments in %d tables", len(tables))
	}
	return tables
}

func unquote(e ast.Expr) string {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return ""
	}
	s, err := strconv.Unquote(l.Value)
	if err != nil {
		return ""
	}
	return s
}

// operatorShapes reads the tables of operators out of the sources of package expr.
func operatorShapes(t testing.TB) map[string]shape {
	t.Helper()
	shapes := map[string]shape{}
	for _, tree := range sources(t, "expr") {
		ast.Inspect(tree, func(n ast.Node) bool {
			pair, ok := n.(*ast.KeyValueExpr)
			if !ok || !operatorName.MatchString(unquote(pair.Key)) {
				return true
			}
			s := shape{min: 1, max: 1}
			if row, ok := pair.Value.(*ast.CompositeLit); ok && len(row.Elts) >= 2 {
				if least, ok := integer(row.Elts[0]); ok {
					s.min = least
					s.max, _ = integer(row.Elts[1])
				}
			}
			ast.Inspect(pair.Value, func(n ast.Node) bool {
				if l, ok := n.(ast.Expr); ok && optionName.MatchString(unquote(l)) && unquote(l)[0] != '$' {
					s.names = append(s.names, unquote(l))
				}
				return true
			})
			shapes[unquote(pair.Key)] = s
			return true
		})
	}
	return shapes
}

// integer returns the value of a literal, which may have a sign.
func integer(e ast.Expr) (int, bool) {
	sign := 1
	if minus, ok := e.(*ast.UnaryExpr); ok {
		sign, e = -1, minus.X
	}
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.INT {
		return 0, false
	}
	n, err := strconv.Atoi(l.Value)
	return sign * n, err == nil
}

// kindOf returns the name that a kind begins with.
func kindOf(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.BinaryExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// sources returns the syntax trees of a package, ordered by file name.
func sources(t testing.TB, name string) []*ast.File {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("internal", name, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources of %s: %v", name, err)
	}
	var trees []*ast.File
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tree)
	}
	return trees
}

// literals returns the strings in some packages that match a pattern.
func literals(t testing.TB, pattern *regexp.Regexp, packages ...string) []string {
	t.Helper()
	var found []string
	for _, name := range packages {
		for _, tree := range sources(t, name) {
			ast.Inspect(tree, func(n ast.Node) bool {
				if l, ok := n.(*ast.BasicLit); ok && pattern.MatchString(unquote(l)) {
					found = append(found, unquote(l))
				}
				return true
			})
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
