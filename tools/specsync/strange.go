package main

import (
	"regexp"
	"strings"
)

var (
	underline      = regexp.MustCompile(`^ {0,3}(?:-+|=+) *$`)
	indentedTitle  = regexp.MustCompile(`^ {1,3}#{1,6} `)
	anyDeclaration = regexp.MustCompile(`^\s*((?:\w+ +)*)(?:class|interface|enum) +\w+(.*)$`)
)

// strange lists forms of headings and declarations that Markdown and TypeScript allow but no reader looks for. A reader
// would take the text below them for part of something else.
func (d *document) strange() []error { return remembered(d, "strange forms", d.findStrange) }

func (d *document) findStrange() []error {
	if !strings.HasSuffix(d.path, ".md") {
		return nil
	}
	var out []error
	code, comment := false, false
	for i, line := range d.lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code, comment = !code, false
			continue
		}
		switch {
		case code:
			comment = comment || strings.HasPrefix(strings.TrimSpace(line), "/*")
			if m := anyDeclaration.FindStringSubmatch(line); m != nil && !comment {
				out = append(out, d.strangeDeclaration(i, m[1], m[2])...)
			}
			comment = comment && !strings.Contains(line, "*/")
		case strings.HasPrefix(line, "\t"):
			out = append(out, d.errorf(i+1, "the line is indented by a tab"))
		case indentedTitle.MatchString(line):
			out = append(out, d.errorf(i+1, "the heading is indented"))
		case i > 0 && underline.MatchString(line) && paragraph(d.lines[i-1]):
			out = append(out, d.errorf(i+1, "the heading is underlined; write it with #"))
		}
	}
	return out
}

// paragraph reports whether a line is one that a line of dashes below would make a heading.
func paragraph(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && !isTableLine(line) && line[0] != '#' && line[0] != '>'
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
