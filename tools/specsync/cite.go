package main

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// citations are the places that cite a section, by document and section.
type citations map[string]map[string][]string

func (c citations) add(document, section, at string) {
	if c[document] == nil {
		c[document] = map[string][]string{}
	}
	if !slices.Contains(c[document][section], at) {
		c[document][section] = append(c[document][section], at)
	}
}

// citation is one reference to the sections of a document.
type citation struct {
	at       string // file and line
	document string
	sections []string
}

// checkReferences looks up every section that a row of the tables or a Go comment refers to. It only reports a section that is
// gone, because a person has to say where the rule is now. Tables without documents.yaml refer to nothing.
func (s *session) checkReferences(stdout io.Writer) (cited citations, behind bool, err error) {
	cited = citations{}
	from, specs := s.from, s.specs
	if _, err := os.Stat(filepath.Join(specs, "documents.yaml")); err != nil {
		return cited, false, nil
	}
	tables := load.NewTables(os.DirFS(specs))
	paths := map[string]string{}
	for _, d := range tables.Documents().Rows {
		paths[d.Name] = d.Path
	}
	var list []citation
	references, err := s.library.references(specs)
	if err != nil {
		return nil, false, err
	}
	for _, r := range references {
		name, named := paths[r.Document]
		if !named {
			name = r.Document
		}
		list = append(list, citation{r.At.String(), name, r.Sections})
	}
	comments, err := s.code.cited()
	if err != nil {
		return nil, false, err
	}
	upstream, err := s.library.specifications(from)
	if err != nil {
		return nil, false, err
	}
	shelf := map[string][]titled{}
	for _, c := range append(list, comments...) {
		if c.document == "" {
			continue // it is outside the repository
		}
		if shelf[c.document] == nil {
			documents, err := shelfOf(s.library, from, c.document, upstream)
			if err != nil {
				fmt.Fprintf(stdout, "error %s: %v\n", c.at, err)
				behind = true
			}
			shelf[c.document] = documents
		}
		for _, name := range c.sections {
			if !cited.find(shelf[c.document], name, c.at) {
				fmt.Fprintf(stdout, "error %s: %s has no section %q\n", c.at, c.document, name)
				behind = true
			}
		}
	}
	return cited, behind, nil
}

// titled is a document with its titles.
type titled struct {
	path   string
	titles []caption
}

// caption is a heading or a declaration, and how a citation finds it.
type caption struct{ text, lower string }

// shelfOf returns a document and the documents about its tests: a comment that cites a prose test names the
// specification.
func shelfOf(l *library, from, name string, upstream []string) ([]titled, error) {
	titles, err := l.titles(from, name)
	if err != nil {
		return nil, err
	}
	out := []titled{{name, titles}}
	for _, p := range upstream {
		if isAboutTests(p) && strings.HasPrefix(p, path.Dir(name)+"/") {
			titles, err := l.titles(from, p)
			if err != nil {
				return nil, err
			}
			out = append(out, titled{p, titles})
		}
	}
	return out, nil
}

// find looks a section up in documents. It ignores capitals and any text in parentheses after the title.
func (c citations) find(documents []titled, section, at string) bool {
	want := strings.ToLower(plainTitle(section))
	for _, d := range documents {
		if t, found := d.find(want); found {
			c.add(d.path, t, at)
			return true
		}
	}
	return false
}

// find returns the title that is a text in lower case or, failing that, the first with something in parentheses after it.
func (d titled) find(want string) (text string, found bool) {
	for _, t := range d.titles {
		rest, opens := strings.CutPrefix(t.lower, want)
		if opens && rest == "" {
			return t.text, true
		}
		if opens && !found && strings.HasPrefix(rest, " (") {
			text, found = t.text, true
		}
	}
	return text, found
}

var (
	typeName = regexp.MustCompile(`^ *(?:class|interface|enum) (\w+)\b`)
	markup   = strings.NewReplacer("`", "", "*", "", `"`, "", `\`, "", "\u201c", "", "\u201d", "", "\u2019", "'")
	quotes   = regexp.MustCompile(`, ("[^"]+"(?:,? (?:and )?"[^"]+")*)`)
	quote    = regexp.MustCompile(`"([^"]+)"`)
)

// titles returns the headings and declarations of a document, in its order.
func (d *document) titles() []caption {
	out := []caption{}
	add := func(text string) { out = append(out, caption{text, strings.ToLower(text)}) }
	for i, line := range d.lines {
		if d.kind(i) == prose && strings.HasPrefix(strings.TrimSpace(line), "#") {
			if m := heading.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				add(plainTitle(m[1]))
			}
		} else if m := typeName.FindStringSubmatch(line); m != nil {
			add(m[1])
		}
	}
	return out
}

// plainTitle returns a heading without markup.
func plainTitle(text string) string { return markup.Replace(link.ReplaceAllString(text, "$1")) }

// goCitations reads the comments of the Go files below a module's root that people wrote: the name of a document, a comma
// and a section in quotation marks.
func goCitations(root string, names map[string]string) ([]citation, error) {
	var out []citation
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() &&
			(d.Name() == "testdata" || name == "generated" || name == "tools/specsync" || strings.HasPrefix(d.Name(), ".") && name != ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || !bytes.Contains(data, []byte(`, "`)) {
			return err
		}
		for _, c := range commentsOf(data) {
			out = append(out, commentCitations(c.text, fmt.Sprintf("%s:%d", name, c.line), names)...)
		}
		return nil
	})
	return out, err
}

// comment is a group of comment lines with no code and no empty line between them, joined into one line.
type comment struct {
	text string
	line int // of its first
}

// commentsOf scans a Go file for its comments alone, which takes a fraction of the time that parsing takes.
func commentsOf(data []byte) []comment {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(data))
	var s scanner.Scanner
	s.Init(file, data, nil, scanner.ScanComments)
	var out []comment
	last := -1 // line
	for {
		pos, tok, text := s.Scan()
		switch tok {
		case token.EOF:
			return out
		case token.COMMENT:
			line := file.Line(pos)
			words := strings.Fields(strings.Trim(text, "/*"))
			if n := len(out); n > 0 && last == line-1 {
				out[n-1].text += " " + strings.Join(words, " ")
			} else {
				out = append(out, comment{strings.Join(words, " "), line})
			}
			last = line + strings.Count(text, "\n")
		case token.SEMICOLON:
		default:
			last = -1
		}
	}
}

// commentCitations finds the citations in a comment. The text before the comma ends in the name of a document.
func commentCitations(text, at string, names map[string]string) []citation {
	var out []citation
	if !strings.Contains(text, `, "`) {
		return nil
	}
	for _, m := range quotes.FindAllStringSubmatchIndex(text, -1) {
		before := strings.ToLower(text[:m[0]])
		longest := ""
		for name := range names {
			if strings.HasSuffix(before, name) && len(name) > len(longest) &&
				(len(before) == len(name) || !isLetter(before[len(before)-len(name)-1])) {
				longest = name
			}
		}
		if longest == "" {
			continue
		}
		c := citation{at: at, document: names[longest]}
		for _, q := range quote.FindAllStringSubmatch(text[m[2]:m[3]], -1) {
			c.sections = append(c.sections, q[1])
		}
		out = append(out, c)
	}
	return out
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c == '-' || c == '_' }
