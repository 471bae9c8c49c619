package expr

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/mongotest/internal/pattern"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

var texts = map[string]namedFunction{
	"$regexMatch":   {[]string{"input", "regex", "options"}, 2, regexMatch},
	"$regexFind":    {[]string{"input", "regex", "options"}, 2, regexFind},
	"$regexFindAll": {[]string{"input", "regex", "options"}, 2, regexFindAll},
	"$trim":         {[]string{"input", "chars"}, 1, trim("$trim", strings.Trim)},
	"$ltrim":        {[]string{"input", "chars"}, 1, trim("$ltrim", strings.TrimLeft)},
	"$rtrim":        {[]string{"input", "chars"}, 1, trim("$rtrim", strings.TrimRight)},
	"$replaceOne":   {[]string{"input", "find", "replacement"}, 3, replace("$replaceOne", 1)},
	"$replaceAll":   {[]string{"input", "find", "replacement"}, 3, replace("$replaceAll", -1)},
}

// white is what $trim removes by default.
const white = "\x00 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"

// searched compiles the arguments of a search; re is nil when one is null.
func searched(args []bson.RawValue) (s string, re *regexp.Regexp, err error) {
	if value.Nullish(args[0]) || value.Nullish(args[1]) {
		return "", nil, nil
	}
	s, ok := args[0].StringOK()
	if !ok {
		return "", nil, status.Errorf(51104, "$regexFind needs 'input' to be of type string")
	}
	source, flags, isRegex := args[1].RegexOK()
	if !isRegex {
		if source, ok = args[1].StringOK(); !ok {
			return "", nil, status.Errorf(51105, "$regexFind needs 'regex' to be of type string or regex")
		}
	}
	if !value.Nullish(args[2]) {
		if flags != "" {
			return "", nil, status.Errorf(51107, "$regexFind found regex option(s) specified in both 'regex' and 'option' fields")
		}
		if flags, ok = args[2].StringOK(); !ok {
			return "", nil, status.Errorf(51106, "$regexFind needs 'options' to be of type string")
		}
	}
	re, err = pattern.Compile(source, flags)
	return s, re, err
}

func regexMatch(_ *Env, args []bson.RawValue, _ []bool) (bson.RawValue, error) {
	s, re, err := searched(args)
	return value.Bool(re != nil && err == nil && re.MatchString(s)), err
}

func regexFind(_ *Env, args []bson.RawValue, _ []bool) (bson.RawValue, error) {
	s, re, err := searched(args)
	if re == nil || err != nil {
		return value.Null, err
	}
	m := re.FindStringSubmatchIndex(s)
	if m == nil {
		return value.Null, nil
	}
	return matchDocument(s, m), nil
}

func regexFindAll(_ *Env, args []bson.RawValue, _ []bool) (bson.RawValue, error) {
	s, re, err := searched(args)
	if re == nil || err != nil {
		return value.ArrayOf(), err
	}
	var out []bson.RawValue
	for _, m := range re.FindAllStringSubmatchIndex(s, -1) {
		out = append(out, matchDocument(s, m))
	}
	return value.ArrayOf(out...), nil
}

func matchDocument(s string, m []int) bson.RawValue {
	var captures []bson.RawValue
	for i := 2; i < len(m); i += 2 {
		if m[i] < 0 {
			captures = append(captures, value.Null)
		} else {
			captures = append(captures, value.String(s[m[i]:m[i+1]]))
		}
	}
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendStringElement(d, "match", s[m[0]:m[1]])
	d = bson.AppendInt32Element(d, "idx", int32(utf8.RuneCountInString(s[:m[0]])))
	d = bson.AppendRawValueElement(d, "captures", value.ArrayOf(captures...))
	return value.Document(bson.AppendDocumentEnd(d, start))
}

func trim(name string, f func(s, cutset string) string) func(*Env, []bson.RawValue, []bool) (bson.RawValue, error) {
	return func(_ *Env, args []bson.RawValue, present []bool) (bson.RawValue, error) {
		cutset := white
		if present[1] {
			if value.Nullish(args[1]) {
				return value.Null, nil
			}
			var ok bool
			if cutset, ok = args[1].StringOK(); !ok {
				return missing, status.Errorf(50700, "%s requires 'chars' to be a string, got %s instead.", name, args[1].Type)
			}
		}
		s, ok := args[0].StringOK()
		switch {
		case value.Nullish(args[0]):
			return value.Null, nil
		case !ok:
			return missing, status.Errorf(50699, "%s requires its input to be a string, got %s instead.", name, args[0].Type)
		}
		return value.String(f(s, cutset)), nil
	}
}

func replace(name string, n int) func(*Env, []bson.RawValue, []bool) (bson.RawValue, error) {
	return func(_ *Env, args []bson.RawValue, _ []bool) (bson.RawValue, error) {
		var parts [3]string
		for i, what := range [...]string{"input", "find", "replacement"} {
			if value.Nullish(args[i]) {
				return value.Null, nil
			}
			if args[i].Type != bsontype.String {
				return missing, status.Errorf(location(51746-i), "%s requires that '%s' be a string, found: %s", name, what, status.TextOf(args[i]))
			}
			parts[i] = value.Text(args[i])
		}
		return value.String(strings.Replace(parts[0], parts[1], parts[2], n)), nil
	}
}
