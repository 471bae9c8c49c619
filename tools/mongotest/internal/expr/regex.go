package expr

import (
	"strings"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/regex"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var texts = map[string]namedFunction{
	"$regexMatch":   {regexSignature, regexMatch},
	"$regexFind":    {regexSignature, regexFind},
	"$regexFindAll": {regexSignature, regexFindAll},
	"$trim":         {trimSignature, trim("$trim", strings.Trim)},
	"$ltrim":        {trimSignature, trim("$ltrim", strings.TrimLeft)},
	"$rtrim":        {trimSignature, trim("$rtrim", strings.TrimRight)},
	"$replaceOne":   {replaceSignature, replace("$replaceOne", 1)},
	"$replaceAll":   {replaceSignature, replace("$replaceAll", -1)},
}

var regexSignature = signature{
	names:   []string{"input", "regex", "options"},
	object:  refusal{51103, "{op} expects an object of named arguments but found: {type}"},
	unknown: refusal{31024, "{op} found an unknown argument: {arg}"},
	missing: []refusal{{31022, "{op} requires 'input' parameter"}, {31023, "{op} requires 'regex' parameter"}},
}

var trimSignature = signature{
	names:   []string{"input", "chars"},
	object:  refusal{50696, "{op} only supports an object as an argument, found {type}"},
	unknown: refusal{50694, "{op} found an unknown argument: {arg}"},
	missing: []refusal{{50695, "{op} requires an 'input' field"}},
}

var replaceSignature = signature{
	names:   []string{"input", "find", "replacement"},
	object:  refusal{51751, "{op} requires an object as an argument, found: {type}"},
	unknown: refusal{51750, "{op} found an unknown argument: {arg}"},
	missing: []refusal{
		{51749, "{op} requires 'input' to be specified"}, {51748, "{op} requires 'find' to be specified"},
		{51747, "{op} requires 'replacement' to be specified"},
	},
}

// white is the set of characters that $trim removes by default.
const white = "\x00 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"

// compileSearch compiles the arguments of a search. re is nil if one of them is null.
func compileSearch(op string, args []bson.RawValue) (s string, re *regex.Regexp, err error) {
	input, source, flags := args[0], args[1], value.Text(args[2])
	pattern, own, isRegex := source.RegexOK()
	if !isRegex {
		pattern = value.Text(source)
	}
	switch {
	case !value.IsNullish(input) && input.Type != bsontype.String:
		err = status.Errorf(51104, "%s needs 'input' to be of type string", op)
	case !value.IsNullish(source) && !isRegex && source.Type != bsontype.String:
		err = status.Errorf(51105, "%s needs 'regex' to be of type string or regex", op)
	case !value.IsNullish(args[2]) && args[2].Type != bsontype.String:
		err = status.Errorf(51106, "%s needs 'options' to be of type string", op)
	case !value.IsNullish(args[2]) && own != "":
		err = status.Errorf(51107, "%s: found regex option(s) specified in both 'regex' and 'option' fields", op)
	case strings.Contains(pattern, "\x00"):
		err = status.Errorf(51109, "%s: regular expression cannot contain an embedded null byte", op)
	case strings.Contains(flags, "\x00"):
		err = status.Errorf(51110, "%s: regular expression options cannot contain an embedded null byte", op)
	}
	if err != nil || value.IsNullish(input) || value.IsNullish(source) {
		return "", nil, err
	}
	re, err = compilePattern(op, pattern, own+flags)
	return value.Text(input), re, err
}

// compilePattern compiles a pattern. Its errors have the codes that they have in an expression.
func compilePattern(op, source, flags string) (*regex.Regexp, error) {
	re, err := regex.Compile(source, flags)
	switch {
	case status.Is(err, 51108):
		return nil, status.Errorf(errcode.Location51108, "%s %s", op, status.From(err).Message)
	case err != nil:
		return nil, status.Errorf(51111, "Invalid Regex in %s: %s", op, status.From(err).Message)
	}
	return re, nil
}

func regexMatch(_ *Env, args []bson.RawValue, _ presentArguments) (bson.RawValue, error) {
	s, re, err := compileSearch("$regexMatch", args)
	if re == nil || err != nil {
		return value.Bool(false), err
	}
	ok, err := re.MatchString(s)
	return value.Bool(ok), err
}

func regexFind(_ *Env, args []bson.RawValue, _ presentArguments) (bson.RawValue, error) {
	s, re, err := compileSearch("$regexFind", args)
	if re == nil || err != nil {
		return value.Null, err
	}
	m, err := re.Find(s)
	if m == nil {
		return value.Null, err
	}
	return matchDocument(s, m), nil
}

func regexFindAll(_ *Env, args []bson.RawValue, _ presentArguments) (bson.RawValue, error) {
	s, re, err := compileSearch("$regexFindAll", args)
	if re == nil || err != nil {
		return value.ArrayOf(), err
	}
	all, err := re.FindAll(s)
	if err != nil {
		return value.Null, err
	}
	var out []bson.RawValue
	for _, m := range all {
		// The server does not look for an empty match after the last character.
		if m[0] < len(s) || s == "" {
			out = append(out, matchDocument(s, m))
		}
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

func trim(name string, f func(s, cutset string) string) func(*Env, []bson.RawValue, presentArguments) (bson.RawValue, error) {
	return func(_ *Env, args []bson.RawValue, g presentArguments) (bson.RawValue, error) {
		in, chars := args[0], args[1]
		switch {
		case value.IsNullish(in):
			return value.Null, nil
		case in.Type != bsontype.String:
			return missing, status.Errorf(50699,
				"%s requires its input to be a string, got %s (of type %s) instead.", name, status.TextOf(in), in.Type)
		case !g.has(1):
			return value.String(f(value.Text(in), white)), nil
		case value.IsNullish(chars):
			return value.Null, nil
		case chars.Type != bsontype.String:
			return missing, status.Errorf(50700,
				"%s requires 'chars' to be a string, got %s (of type %s) instead.", name, status.TextOf(chars), chars.Type)
		}
		return value.String(f(value.Text(in), value.Text(chars))), nil
	}
}

func replace(name string, n int) func(*Env, []bson.RawValue, presentArguments) (bson.RawValue, error) {
	return func(_ *Env, args []bson.RawValue, _ presentArguments) (bson.RawValue, error) {
		for i, what := range replaceSignature.names {
			if !value.IsNullish(args[i]) && args[i].Type != bsontype.String {
				return missing, status.Errorf(location(51746-i), "%s requires that '%s' be a string, found: %s", name,
					what, status.TextOf(args[i]))
			}
		}
		if anyNull(args) {
			return value.Null, nil
		}
		return value.String(strings.Replace(value.Text(args[0]), value.Text(args[1]), value.Text(args[2]), n)), nil
	}
}
