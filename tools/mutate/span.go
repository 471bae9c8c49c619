package main

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// offset returns where a node begins in the text.
func (f *finder) offset(n *yaml.Node) int {
	at, column := f.table.starts[n.Line-1], 1
	// The parser counts characters, not bytes.
	for i := range f.table.text[at:] {
		if column == n.Column {
			return at + i
		}
		column++
	}
	return len(f.table.text)
}

// span returns the extent in the text of a scalar on one line, or of a list or map in brackets.
func (f *finder) span(n *yaml.Node) (start, end int, ok bool) {
	start = f.offset(n)
	rest := f.table.text[start:]
	switch {
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		end, ok = quotedEnd(rest)
	case n.Kind == yaml.ScalarNode:
		end, ok = len(n.Value), n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && strings.HasPrefix(rest, n.Value)
	case n.Style&yaml.FlowStyle != 0:
		end, ok = bracketEnd(rest)
	}
	return start, start + end, ok
}

// quotedEnd returns the position after the quote that closes the one at the beginning.
func quotedEnd(s string) (int, bool) {
	for i := 1; i < len(s); i++ {
		switch {
		case s[0] == '"' && s[i] == '\\':
			i++
		case s[i] == s[0] && s[0] == '\'' && i+1 < len(s) && s[i+1] == '\'':
			i++
		case s[i] == s[0]:
			return i + 1, true
		}
	}
	return 0, false
}

// bracketEnd returns the position after the bracket that closes the one at the beginning.
func bracketEnd(s string) (int, bool) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1, true
			}
		case '"', '\'':
			if strings.IndexByte("[{,: ", s[i-1]) < 0 {
				continue // an apostrophe inside a word
			}
			n, ok := quotedEnd(s[i:])
			if !ok {
				return 0, false
			}
			i += n - 1
		}
	}
	return 0, false
}

// block returns the lines of an element of a list with dashes.
func (f *finder) block(n *yaml.Node) (start, end int, ok bool) {
	first := n.Line - 1
	start = f.table.starts[first]
	indent, ok := dash(f.line(first))
	if !ok {
		return 0, 0, false
	}
	last := first + 1
	for ; last < len(f.table.starts); last++ {
		line := f.line(last)
		if trimmed := strings.TrimLeft(line, " "); trimmed != "" && len(line)-len(trimmed) <= indent {
			break
		}
	}
	if last == len(f.table.starts) {
		return start, len(f.table.text), true
	}
	return start, f.table.starts[last], true
}

func (f *finder) line(i int) string {
	line, _, _ := strings.Cut(f.table.text[f.table.starts[i]:], "\n")
	return line
}

// dash returns the column of the dash that begins a line.
func dash(line string) (int, bool) {
	trimmed := strings.TrimLeft(line, " ")
	return len(line) - len(trimmed), strings.HasPrefix(trimmed, "- ")
}
