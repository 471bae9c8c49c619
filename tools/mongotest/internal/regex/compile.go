package regex

import (
	"regexp"
	"strings"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Compile compiles a PCRE pattern with the options i, m, s, x and u, to find where it matches.
func Compile(pattern, options string) (*Regexp, error) {
	t, err := translatorOf(options)
	if err != nil {
		return nil, err
	}
	return compile(pattern, options, t)
}

// CompileTest is Compile for patterns that only test whether a text matches. Here $ also matches before a final
// newline.
func CompileTest(pattern, options string) (*Regexp, error) {
	t, err := translatorOf(options)
	if err != nil {
		return nil, err
	}
	t.end = !strings.Contains(options, "m") && !multiline.MatchString(pattern)
	return compile(pattern, options, t)
}

// translatorOf derives the translator's settings from options.
func translatorOf(options string) (t translator, err error) {
	for _, o := range options {
		switch o {
		case 'i', 'm', 's', 'u':
		case 'x':
			t.extended = true
		default:
			return t, status.Errorf(errcode.Location51108, "invalid flag in regex options: %s", string(o))
		}
	}
	return t, nil
}

// multiline finds the option m inside a pattern.
var multiline = regexp.MustCompile(`\(\?[a-z]*m`)

// translator rewrites a pattern in Go's syntax.
type translator struct {
	extended bool // ignore white space and comments
	end      bool // $ also matches before a final newline
	back     bool // translate for the backtracking engine
}

func (t translator) translate(p string) string {
	w := writer{translator: t}
	return w.pattern(p)
}

// writer is the state of one translation.
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
			if n := t.reference(p[i:]); n > 0 && !class {
				i += n - 1
				continue
			}
			t.escape(p[i], class)
		case class:
			class = c != ']'
			t.out.WriteByte(c)
		case c == '[':
			class = true
			t.out.WriteByte(c)
			for i+1 < len(p) && (p[i+1] == '^' && p[i] == '[' || p[i+1] == ']') { // a leading ] is literal
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
		case c == '(' && t.back && strings.HasPrefix(p[i:], "(?P="):
			end := skip(p, i, ')')
			t.out.WriteString(`\k<` + p[i+4:end] + `>`)
			i = end
		case t.end && c == '$' && !t.back:
			t.out.WriteString(`(?:\n?\z)`)
		case t.end && c == '$':
			t.out.WriteString(`(?=\n?\z)`)
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

// reference writes the back-references \g1, \g{1}, \g{name}, \k{name} and \k'name'. It returns the length of the one it
// read.
func (t *writer) reference(p string) int {
	if !t.back {
		return 0
	}
	m := reference.FindStringSubmatch(p)
	if m == nil {
		return 0
	}
	t.out.WriteString(`\k<` + m[1] + m[2] + m[3] + `>`)
	return len(m[0])
}

var reference = regexp.MustCompile(`^(?:g(\d+)|[gk]\{(\w+)\}|k'(\w+)')`)

// skip returns the position of the next c, or the last position.
func skip(p string, i int, c byte) int {
	if n := strings.IndexByte(p[i:], c); n >= 0 {
		return i + n
	}
	return len(p) - 1
}
