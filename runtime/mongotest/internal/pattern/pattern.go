package pattern

import (
	"regexp"
	"strings"

	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// Compile compiles a PCRE pattern with the options i, m, s, x and u. What Go's engine lacks is an error.
func Compile(pattern, options string) (*regexp.Regexp, error) {
	flags := ""
	for _, o := range options {
		switch o {
		case 'i', 'm', 's':
			flags += string(o)
		case 'x':
			pattern = stripExtended(pattern)
		case 'u', 'l':
		default:
			return nil, status.Errorf(51108, "invalid flag in regex options: %s", string(o))
		}
	}
	if flags != "" {
		pattern = "(?" + flags + ")" + pattern
	}
	pattern = strings.ReplaceAll(pattern, "(?<", "(?P<")
	for _, behind := range [...]string{"(?P<=", "(?P<!"} {
		pattern = strings.ReplaceAll(pattern, behind, strings.Replace(behind, "P", "", 1))
	}
	pattern = strings.ReplaceAll(pattern, `\Z`, `\n?\z`)
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, status.Errorf(51091, "Regular expression is invalid: %s (mongotest uses Go's syntax)", err)
	}
	return re, nil
}

// stripExtended removes the white space and comments that the option x allows.
func stripExtended(pattern string) string {
	var out strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			out.WriteByte(c)
			i++
			out.WriteByte(pattern[i])
		case class:
			class = c != ']'
			out.WriteByte(c)
		case c == '[':
			class = true
			out.WriteByte(c)
		case c == '#':
			for i < len(pattern) && pattern[i] != '\n' {
				i++
			}
		case c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v':
			out.WriteByte(c)
		}
	}
	return out.String()
}
