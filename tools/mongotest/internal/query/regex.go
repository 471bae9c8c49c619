package query

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/regex"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// compileRegexOperator is {$regex: pattern, $options: options}, in either order.
func compileRegexOperator(ops bson.Raw) (condition, error) {
	pattern, flags := "", ""
	for op, v := range ops.All() {
		switch op {
		case "$regex":
			p, f, isRegex := v.RegexOK()
			if !isRegex {
				var ok bool
				if p, ok = v.StringOK(); !ok {
					return condition{}, status.Errorf(errcode.BadValue, "$regex has to be a string")
				}
			}
			if f != "" && flags != "" {
				return condition{}, status.Errorf(51074, "options set in both $regex and $options")
			}
			pattern, flags = p, flags+f
		case "$options":
			o, ok := v.StringOK()
			if !ok {
				return condition{}, status.Errorf(errcode.BadValue, "$options has to be a string")
			}
			if flags != "" {
				return condition{}, status.Errorf(51075, "options set in both $regex and $options")
			}
			flags = o
		}
	}
	return compilePattern(pattern, flags)
}

// compileRegex compiles a regular expression in place of a value.
func compileRegex(v bson.RawValue) (condition, error) {
	pattern, flags, _ := v.RegexOK()
	cond, err := compilePattern(pattern, flags)
	cond.op, cond.operand = "$regex", v
	return cond, err
}

// compilePattern matches strings by the pattern, and also the same regular expression stored as a value.
func compilePattern(pattern, flags string) (condition, error) {
	if strings.ContainsRune(pattern, 0) {
		return condition{}, status.Errorf(errcode.BadValue, "Regular expression cannot contain an embedded null byte")
	}
	re, err := regex.CompileTest(pattern, flags)
	if err != nil {
		return condition{}, err
	}
	return condition{list: []bson.RawValue{value.Regex(pattern, flags)}, test: func(m *Match, v bson.RawValue) bool {
		switch v.Type {
		case bsontype.String:
			s, _ := v.StringOK()
			return m.matches(re, s)
		case bsontype.Symbol:
			s, _ := v.SymbolOK()
			return m.matches(re, s)
		case bsontype.Regex:
			p, o, _ := v.RegexOK()
			return p == pattern && o == flags
		}
		return false
	}}, nil
}

// matches reports whether a text matches a pattern.
func (m *Match) matches(re *regex.Regexp, s string) bool {
	ok, err := re.MatchString(s)
	if err != nil {
		m.err = err
	}
	return ok
}
