package pattern

import (
	"regexp"
	"strings"
)

// Matcher tests texts against a pattern.
type Matcher struct {
	re    *regexp.Regexp
	heads []head
}

// head is a look-ahead at the start of the text, or anywhere in it.
type head struct {
	re   *regexp.Regexp
	want bool
}

// MatchString reports whether the text has a match of the pattern.
func (m *Matcher) MatchString(s string) bool {
	for _, h := range m.heads {
		if h.re.MatchString(s) != h.want {
			return false
		}
	}
	return m.re.MatchString(s)
}

// lookAhead is a head before it is compiled.
type lookAhead struct {
	pattern string
	want    bool
}

// ahead takes look-aheads from the start of a pattern, which is all that Go's engine leaves possible: ^(?=A)(?!B)rest, and
// the idiom ^((?!X).)*$ for a text without X.
func ahead(p string) (rest string, heads []lookAhead) {
	for _, open := range [...]string{"^((?!", "^(?:(?!"} {
		if inner, ok := strings.CutPrefix(p, open); ok {
			if end := closing(inner); end >= 0 && inner[end:] == ").)*$" {
				return "^.*$", []lookAhead{{inner[:end], false}}
			}
		}
	}
	rest, anchored := strings.CutPrefix(p, "^")
	for anchored && (strings.HasPrefix(rest, "(?=") || strings.HasPrefix(rest, "(?!")) {
		end := closing(rest[3:])
		if end < 0 {
			return p, nil
		}
		heads = append(heads, lookAhead{`\A(?:` + rest[3:3+end] + `)`, rest[2] == '='})
		rest = rest[3+end+1:]
	}
	if len(heads) == 0 {
		return p, nil
	}
	return "^" + rest, heads
}

// closing is the index of the parenthesis that closes a group which has been opened before p, or -1.
func closing(p string) int {
	depth, class := 1, false
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
