package query

import (
	"regexp"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// regexOperator is {$regex: pattern, $options: options}.
func regexOperator(v, options bson.RawValue) (condition, error) {
	pattern, flags, isRegex := v.RegexOK()
	if !isRegex {
		var ok bool
		if pattern, ok = v.StringOK(); !ok {
			return condition{}, status.Errorf(errcode.BadValue, "$regex has to be a string")
		}
	}
	if !options.IsZero() {
		o, ok := options.StringOK()
		switch {
		case !ok:
			return condition{}, status.Errorf(errcode.BadValue, "$options has to be a string")
		case flags != "":
			return condition{}, status.Errorf(51075, "options set in both $regex and $options")
		}
		flags = o
	}
	return patternCondition(pattern, flags)
}

// regexCondition is a regular expression where a value could stand.
func regexCondition(v bson.RawValue) (condition, error) {
	pattern, flags, _ := v.RegexOK()
	cond, err := patternCondition(pattern, flags)
	cond.op, cond.operand = "$regex", v
	return cond, err
}

// patternCondition finds strings that match, and the same expression kept as a value.
func patternCondition(pattern, flags string) (condition, error) {
	re, err := Regexp(pattern, flags)
	if err != nil {
		return condition{}, err
	}
	return condition{test: func(_ *Match, v bson.RawValue) bool {
		switch v.Type {
		case bsontype.String:
			s, _ := v.StringOK()
			return re.MatchString(s)
		case bsontype.Symbol:
			s, _ := v.SymbolOK()
			return re.MatchString(s)
		case bsontype.Regex:
			p, o, _ := v.RegexOK()
			return p == pattern && o == flags
		}
		return false
	}}, nil
}

// Regexp compiles a PCRE pattern with the options i, m, s, x and u. What Go's engine lacks is an error.
func Regexp(pattern, options string) (*regexp.Regexp, error) {
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
