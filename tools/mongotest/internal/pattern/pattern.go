package pattern

import (
	"regexp"
	"strings"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Compile compiles a PCRE pattern with the options i, m, s, x and u, to find where it matches. What Go's engine lacks is
// an error.
func Compile(pattern, options string) (*regexp.Regexp, error) {
	flags, t, err := flagsOf(options)
	if err != nil {
		return nil, err
	}
	return compile(t.translate(pattern), flags)
}

// CompileTest is Compile for patterns that only test whether a text matches: $ also stands before a last newline, and
// look-aheads may stand at the start.
func CompileTest(pattern, options string) (*Matcher, error) {
	flags, t, err := flagsOf(options)
	if err != nil {
		return nil, err
	}
	m := &Matcher{}
	if strings.Contains(flags, "m") || multiline.MatchString(pattern) {
		m.re, err = compile(t.translate(pattern), flags)
		return m, err
	}
	t.end = true
	rest, heads := ahead(pattern)
	for _, h := range heads {
		re, err := compile(t.translate(h.pattern), flags)
		if err != nil {
			return nil, err
		}
		m.heads = append(m.heads, head{re, h.want})
	}
	m.re, err = compile(t.translate(rest), flags)
	return m, err
}

// flagsOf reads options: Go's flags, and what the translator has to do.
func flagsOf(options string) (flags string, t translator, err error) {
	for _, o := range options {
		switch o {
		case 'i', 'm', 's':
			flags += string(o)
		case 'x':
			t.extended = true
		case 'u':
		default:
			return "", t, status.Errorf(errcode.Location51108, "invalid flag in regex options: %s", string(o))
		}
	}
	return flags, t, nil
}

func compile(pattern, flags string) (*regexp.Regexp, error) {
	if flags != "" {
		pattern = "(?" + flags + ")" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, status.Errorf(errcode.Location51091, "Regular expression is invalid: %s (mongotest uses Go's syntax)", err)
	}
	return re, nil
}

// multiline finds the option m inside a pattern.
var multiline = regexp.MustCompile(`\(\?[a-z]*m`)

// translator writes a pattern in Go's syntax.
type translator struct {
	extended bool // white space and comments mean nothing
	end      bool // $ stands before a last newline too
}

func (t translator) translate(p string) string {
	w := writer{translator: t}
	return w.pattern(p)
}

// writer is one translation.
type writer struct {
	translator
	out strings.Builder
}

func (t *writer) pattern(p string) string {
	class := false
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c == '\\' && i+1 < len(p):
			i++
			t.escape(p[i], class)
		case class:
			class = c != ']'
			t.out.WriteByte(c)
		case c == '[':
			class = true
			t.out.WriteByte(c)
			for i+1 < len(p) && (p[i+1] == '^' && p[i] == '[' || p[i+1] == ']') { // a bracket that comes first is itself
				i++
				t.out.WriteByte(p[i])
				if p[i] == ']' {
					break
				}
			}
		case c == '(' && strings.HasPrefix(p[i:], "(?#"):
			i = skip(p, i, ')')
		case t.extended && c == '#':
			i = skip(p, i, '\n')
		case t.extended && strings.IndexByte(" \t\n\r\f\v", c) >= 0:
		case t.end && c == '$':
			t.out.WriteString(`(?:\n?\z)`)
		default:
			t.out.WriteByte(c)
		}
	}
	return t.out.String()
}

func (t *writer) escape(c byte, class bool) {
	if c == 'Z' && !class {
		t.out.WriteString(`(?:\n?\z)`)
		return
	}
	t.out.WriteByte('\\')
	t.out.WriteByte(c)
}

// skip is the position of the next c, or the last one.
func skip(p string, i int, c byte) int {
	if n := strings.IndexByte(p[i:], c); n >= 0 {
		return i + n
	}
	return len(p) - 1
}
