package main

import (
	"go/ast"
	"slices"
	"strings"
)

// setFieldsSource is the helper for setters on options that a function returns, or in the middle of an expression.
const setFieldsSource = `
// setFields sets fields of options and returns them.
func setFields[T any](opts *T, set func(*T)) *T {
	set(opts)
	return opts
}
`

// changedText writes a chain of setters on options that are there already.
func (f *file) changedText(target string, c chain) string {
	var lines []string
	for _, s := range c.steps {
		for _, field := range f.fieldsOf(target, s) {
			if strings.HasPrefix(field[0], "DefaultTransaction.") {
				f.report(s.call, "options.Session has no field for %s: set it in DefaultTransaction, an *options.Transaction", s.name)
			}
			lines = append(lines, "o."+field[0]+" = "+field[1])
		}
	}
	return f.useHelper("setFields") + "(" + f.text(c.root) + ", func(o *" + f.qualify(target) + ") {\n" + strings.Join(lines, "\n") + "\n})"
}

// rewriteSearchIndexes rewrites the list of search indexes: its name is one of the options here.
func (f *file) rewriteSearchIndexes(n *ast.CallExpr) {
	if len(n.Args) < 2 {
		return
	}
	text := f.text(n.Args[1])
	made := "&" + f.qualify("options.SearchIndex") + "{"
	list := "&" + f.qualify("options.ListSearchIndexes") + "{"
	switch rest, ok := strings.CutPrefix(text, made); {
	case text == "nil":
		f.replaceRange(n.Args[0].End(), n.Args[1].End(), "")
	case ok:
		f.replace(n.Args[1], list+rest)
	default:
		if _, isName := n.Args[1].(*ast.Ident); !isName && !isSelector(n.Args[1]) {
			f.report(n, "SearchIndexView.List takes *options.ListSearchIndexes here: its field Name says which index")
			return
		}
		f.replace(n.Args[1], list+"Name: "+text+".Name}")
	}
}

func isSelector(e ast.Expr) bool {
	_, ok := e.(*ast.SelectorExpr)
	return ok
}

// mustBothSource is the helper for the two parts of a value.
const mustBothSource = `
// mustBoth returns both parts of a BSON value, and panics if the value has another type.
func mustBoth[A, B any](a A, b B, ok bool) (A, B) {
	if !ok {
		panic("the BSON value has another type")
	}
	return a, b
}
`

// inTwoParts are the methods of a RawValue that return two parts and panic if the value has another type.
var inTwoParts = []string{"Binary", "CodeWithScope", "Regex", "Timestamp"}

// rewriteParts rewrites v.Timestamp(), whose only form here says whether the value is one.
func (f *file) rewriteParts(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	f.replace(n, f.useHelper("mustBoth")+"("+f.text(s.X)+"."+s.Sel.Name+"OK())")
}

// raiseGoVersion raises the version of Go that a file asks for in its constraint: the file gets its language from there, and
// new(value) is of Go 1.26.
func (f *file) raiseGoVersion() {
	for _, group := range f.tree.Comments {
		for _, c := range group.List {
			if c.Pos() > f.tree.Package || !strings.HasPrefix(c.Text, "//go:build ") {
				continue
			}
			words := strings.Fields(c.Text)
			if i := slices.IndexFunc(words, isOlderGo); i >= 0 && !strings.ContainsAny(c.Text, "|!") {
				words[i] = "go1.26"
				f.replace(c, strings.Join(words, " "))
			}
		}
	}
}

func isOlderGo(word string) bool {
	minor, ok := strings.CutPrefix(word, "go1.")
	return ok && len(minor) < 2 || ok && minor < "26" && len(minor) == 2
}
