package main

import (
	"regexp"
	"strings"
)

var anyDeclaration = regexp.MustCompile(`^\s*((?:\w+ +)*)(?:class|interface|enum) +\w+(.*)$`)

// strangeForms returns an error for each form of declaration that TypeScript allows and no reader looks for. A reader would take
// the text below it for part of something else.
func (d *document) strangeForms() []error { return remember(d, "strange forms", d.findStrangeForms) }

func (d *document) findStrangeForms() []error {
	var out []error
	comment := false
	for i, line := range d.lines {
		if d.kind(i) != code {
			comment = false
			continue
		}
		comment = comment || strings.HasPrefix(strings.TrimSpace(line), "/*")
		if m := anyDeclaration.FindStringSubmatch(line); m != nil && !comment {
			out = append(out, d.strangeDeclaration(i, m[1], m[2])...)
		}
		comment = comment && !strings.Contains(line, "*/")
	}
	return out
}

// strangeDeclaration complains about a declaration that has words in front, or whose brace is on another line.
func (d *document) strangeDeclaration(at int, words, rest string) []error {
	switch {
	case words != "":
		return []error{d.errorf(at+1, "a declaration does not begin with %q", strings.TrimSpace(words))}
	case !strings.ContainsAny(rest, "{;") && !strings.HasSuffix(strings.TrimSpace(rest), ":"): // pseudocode opens with a colon
		return []error{d.errorf(at+1, "the declaration does not open on its line")}
	}
	return nil
}
