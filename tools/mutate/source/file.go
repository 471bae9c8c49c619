package source

import (
	"go/ast"
	"go/token"
	"strings"
)

// File is one file of a package. Name is its path below the module.
type File struct {
	Name, Package string
	text          string
	set           *token.FileSet
	tree          *ast.File
	Mutants       []*Mutant
}

// Mutant is one change to a function: With replaces the text Was.
type Mutant struct {
	File     *File
	What     string // what kind of change it is
	Was      string
	With     string
	Also     []*Mutant // what changes with it
	start    int
	hit      int // where the statement begins that holds it
	function *ast.FuncDecl
}

// Line returns the line of the change.
func (m *Mutant) Line() int { return m.File.line(m.start) }

// Row names the place in a way that outlasts moved lines: the function and the text of the line.
func (m *Mutant) Row() string {
	begin := strings.LastIndexByte(m.File.text[:m.start], '\n') + 1
	line, _, _ := strings.Cut(m.File.text[begin:], "\n")
	return m.function.Name.Name + ": " + strings.TrimSpace(line)
}

func (f *File) line(offset int) int { return 1 + strings.Count(f.text[:offset], "\n") }

func (f *File) offset(p token.Pos) int { return f.set.Position(p).Offset }

func (f *File) textOf(n ast.Node) string { return f.text[f.offset(n.Pos()):f.offset(n.End())] }

// Files lists the files that a mutant changes.
func (m *Mutant) Files() []*File {
	files := []*File{m.File}
	for _, other := range m.Also {
		files = append(files, other.File)
	}
	return files
}
