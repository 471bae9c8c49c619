package main

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// sentences map texts of several words, in lower case, to the function or the document that has them. A text of ours that
// contains one repeats it.
type sentences map[string]string

var (
	quoted    = regexp.MustCompile("\"([^\"`|]+)\"|`([^`|]+)`|^> ([A-Z][^\n]+)$")
	expected  = regexp.MustCompile(`errorContains"?: *["']?([^"'\n]+\w)`)
	lineBreak = regexp.MustCompile(`\s*\n[\s>]*`)
)

// words is the fewest that make a sentence.
const words = 4

func (s sentences) note(text, from string) {
	text = strings.ToLower(strings.Trim(lineBreak.ReplaceAllString(text, " "), " .:"))
	if strings.Count(text, " ")+1 >= words && s[text] == "" && !strings.ContainsAny(text, "{}<>=") {
		s[text] = from
	}
}

// longestIn returns the longest sentence that a text has, or "".
func (s sentences) longestIn(text string) string {
	text = strings.ToLower(text)
	longest := ""
	for sentence := range s {
		if len(sentence) > len(longest) && strings.Contains(text, sentence) {
			longest = sentence
		}
	}
	return longest
}

// sentencesOf returns the texts that functions of generated packages return.
func sentencesOf(dir string) (sentences, error) {
	out := sentences{}
	return out, eachFile(dir, func(_ string, _ *token.FileSet, file *ast.File) {
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || len(fn.Body.List) != 1 {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if e, ok := n.(ast.Expr); ok {
					if text, ok := textOf(e); ok {
						out.note(text, file.Name.Name+"."+fn.Name.Name)
						return false
					}
				}
				return true
			})
		}
	})
}

// upstreamSentences returns the texts that documents quote and that suites look for in errors.
func upstreamSentences(checkout string) (sentences, error) {
	dir := filepath.Join(checkout, "source")
	out := sentences{}
	return out, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		patterns := map[string]*regexp.Regexp{".md": quoted, ".yml": expected}
		pattern := patterns[filepath.Ext(name)]
		if err != nil || d.IsDir() || pattern == nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		for paragraph := range strings.SplitSeq(string(data), "\n\n") {
			for _, m := range pattern.FindAllStringSubmatch(paragraph, -1) {
				for _, text := range m[1:] {
					out.note(text, filepath.ToSlash(rel))
				}
			}
		}
		return err
	})
}
