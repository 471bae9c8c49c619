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
)

// words are the names that the server knows: every string in its sources that looks like one.
type words struct {
	commands                              []string
	engine                                []string // those of them that the engine runs
	arguments                             map[string][]argument
	options                               []string
	queries, updates, stages, expressions []string
}

// argument is an argument of a command, and the kind of value that it wants.
type argument struct{ name, kind string }

var (
	operatorName = regexp.MustCompile(`^\$[a-zA-Z]+$`)
	optionName   = regexp.MustCompile(`^\$?[a-z][a-zA-Z]+$`)
)

func readWords(t testing.TB) *words {
	t.Helper()
	w := &words{arguments: argumentTables(t)}
	for name := range commandTable() {
		w.commands = append(w.commands, name)
	}
	for _, row := range dataCommands() {
		w.engine = append(w.engine, row.name)
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

// argumentTables reads the tables of arguments out of the engine's sources. They are called after their commands.
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

// kindOf is the name that a kind begins with.
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

// sources are the syntax trees of a package, in the order of the files' names.
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

// literals are the strings of some packages that match.
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
