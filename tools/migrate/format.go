package main

import (
	"bytes"
	"go/format"
	"go/parser"
	"go/token"

	"github.com/aymanbagabas/go-udiff"
)

// formatText formats the new text of a file. In a file that was not formatted before, the lines that no rule has changed stay as
// they are, and so do its line endings.
func formatText(before, after []byte) ([]byte, error) {
	crlf := bytes.Contains(before, []byte("\r\n"))
	if crlf {
		before = bytes.ReplaceAll(before, []byte("\r\n"), []byte("\n"))
		after = bytes.ReplaceAll(after, []byte("\r\n"), []byte("\n"))
	}
	out, err := format.Source(after)
	if err != nil {
		return nil, err
	}
	if clean, err := format.Source(before); err != nil || !bytes.Equal(clean, before) {
		if out, err = formatChanged(before, after, out); err != nil {
			return nil, err
		}
	}
	if crlf {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return out, nil
}

// formatChanged takes from the formatted text the lines that differ between before and after.
func formatChanged(before, after, formatted []byte) ([]byte, error) {
	var changed []span
	shift := 0
	for _, e := range lineEdits(string(before), string(after)) {
		changed = append(changed, span{e.Start + shift, e.Start + shift + len(e.New)})
		shift += len(e.New) - (e.End - e.Start)
	}
	changed = append(changed, importsOf(after)) // sorting moves a line: an edit where it was, and one where it goes
	var kept []udiff.Edit
	for _, e := range lineEdits(string(after), string(formatted)) {
		for _, c := range changed {
			if e.Start <= c.end && c.start <= e.End {
				kept = append(kept, e)
				break
			}
		}
	}
	text, err := udiff.Apply(string(after), kept)
	return []byte(text), err
}

type span struct{ start, end int }

// importsOf returns the place of the import declarations.
func importsOf(src []byte) span {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, "", src, parser.ImportsOnly)
	if err != nil || len(tree.Decls) == 0 {
		return span{-1, -1}
	}
	last := tree.Decls[len(tree.Decls)-1]
	return span{files.Position(tree.Decls[0].Pos()).Offset, files.Position(last.End()).Offset}
}
