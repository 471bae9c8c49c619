package expr

import (
	"strings"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

var text = map[string]function{
	"$concat":       {0, -1, concat},
	"$toUpper":      {1, 1, cased("$toUpper", strings.ToUpper)},
	"$toLower":      {1, 1, cased("$toLower", strings.ToLower)},
	"$strLenBytes":  {1, 1, length("$strLenBytes", 34473, func(s string) int { return len(s) })},
	"$strLenCP":     {1, 1, length("$strLenCP", 34471, utf8.RuneCountInString)},
	"$substr":       {3, 3, substrBytes},
	"$substrBytes":  {3, 3, substrBytes},
	"$substrCP":     {3, 3, substrCP},
	"$split":        {2, 2, split},
	"$indexOfBytes": {2, 4, indexOfText("$indexOfBytes", false)},
	"$indexOfCP":    {2, 4, indexOfText("$indexOfCP", true)},
	"$strcasecmp":   {2, 2, strcasecmp},
}

func concat(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	var b strings.Builder
	for _, v := range args {
		s, ok := v.StringOK()
		switch {
		case value.Nullish(v):
			return value.Null, nil
		case !ok:
			return missing, status.Errorf(16702, "$concat only supports strings, not %s", v.Type)
		}
		b.WriteString(s)
	}
	return value.String(b.String()), nil
}

// coerce turns what a string operator accepts into a string; null is empty.
func coerce(name string, v bson.RawValue) (string, error) {
	switch v.Type {
	case 0, bsontype.Null, bsontype.Undefined:
		return "", nil
	case bsontype.String, bsontype.Symbol, bsontype.Int32, bsontype.Int64, bsontype.Double, bsontype.Decimal128, bsontype.DateTime, bsontype.Timestamp, bsontype.JavaScript:
		s, _ := toText(v)
		return s, nil
	}
	return "", status.Errorf(16007, "can't convert from BSON type %s to String (in %s)", v.Type, name)
}

func cased(name string, f func(string) string) func(*Env, []bson.RawValue) (bson.RawValue, error) {
	return func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		s, err := coerce(name, args[0])
		return value.String(f(s)), err
	}
}

func length(name string, code int, f func(string) int) func(*Env, []bson.RawValue) (bson.RawValue, error) {
	return func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		s, ok := args[0].StringOK()
		if !ok {
			return missing, status.Errorf(location(code), "%s requires a string argument, found: %s", name, value.TypeName(args[0]))
		}
		return value.Int32(int32(f(s))), nil
	}
}

// span reads the start and length of a substring; a negative length is the rest.
func span(name string, args []bson.RawValue) (from, n int64, err error) {
	if !number.Is(args[1].Type) {
		return 0, 0, status.Errorf(16034, "%s: starting index must be a numeric type (is BSON type %s)", name, value.TypeName(args[1]))
	}
	if !number.Is(args[2].Type) {
		return 0, 0, status.Errorf(16035, "%s: length must be a numeric type (is BSON type %s)", name, value.TypeName(args[2]))
	}
	from, _ = number.Truncated(args[1])
	n, _ = number.Truncated(args[2])
	return from, n, nil
}

func substrBytes(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	s, err := coerce("$substrBytes", args[0])
	if err != nil {
		return missing, err
	}
	from, n, err := span("$substrBytes", args)
	switch {
	case err != nil:
		return missing, err
	case from < 0:
		return missing, status.Errorf(50752, "$substrBytes: starting index must be non-negative (got: %d)", from)
	case from >= int64(len(s)):
		return value.String(""), nil
	}
	if n < 0 || n > int64(len(s))-from {
		n = int64(len(s)) - from
	}
	cut := s[from : from+n]
	if from < int64(len(s)) && !utf8.RuneStart(s[from]) {
		return missing, status.Errorf(28656, "$substrBytes:  Invalid range, starting index is a UTF-8 continuation byte.")
	}
	if end := from + n; end < int64(len(s)) && !utf8.RuneStart(s[end]) {
		return missing, status.Errorf(28657, "$substrBytes:  Invalid range, ending index is in the middle of a UTF-8 character.")
	}
	return value.String(cut), nil
}

func substrCP(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	s, err := coerce("$substrCP", args[0])
	if err != nil {
		return missing, err
	}
	from, n, err := span("$substrCP", args)
	switch {
	case err != nil:
		return missing, err
	case from < 0:
		return missing, status.Errorf(34455, "$substrCP: the starting index must be nonnegative integer.")
	case n < 0:
		return missing, status.Errorf(34454, "$substrCP: length must be a nonnegative integer.")
	}
	runes := []rune(s)
	from = min(from, int64(len(runes)))
	n = min(n, int64(len(runes))-from)
	return value.String(string(runes[from : from+n])), nil
}

func split(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	s, ok := args[0].StringOK()
	by, okBy := args[1].StringOK()
	switch {
	case anyNull(args):
		return value.Null, nil
	case !ok:
		return missing, status.Errorf(40085, "$split requires an expression that evaluates to a string as a first argument, found: %s", args[0].Type)
	case !okBy:
		return missing, status.Errorf(40086, "$split requires an expression that evaluates to a string as a second argument, found: %s", args[1].Type)
	case by == "":
		return missing, status.Errorf(40087, "$split requires a non-empty separator")
	}
	var out []bson.RawValue
	for _, part := range strings.Split(s, by) {
		out = append(out, value.String(part))
	}
	return value.ArrayOf(out...), nil
}

func indexOfText(name string, points bool) func(*Env, []bson.RawValue) (bson.RawValue, error) {
	return func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		s, ok := args[0].StringOK()
		token, okToken := args[1].StringOK()
		switch {
		case value.Nullish(args[0]):
			return value.Null, nil
		case !ok:
			return missing, status.Errorf(40091, "%s requires a string as the first argument, found: %s", name, args[0].Type)
		case !okToken:
			return missing, status.Errorf(40092, "%s requires a string as the second argument, found: %s", name, value.TypeName(args[1]))
		}
		from, to, err := window(name, args, int64(len(s)))
		if err != nil || from > to {
			return value.Int32(-1), err
		}
		if points {
			return value.Int32(int32(indexPoints([]rune(s), []rune(token), from, to))), nil
		}
		i := strings.Index(s[from:to], token)
		if i >= 0 {
			i += int(from)
		}
		return value.Int32(int32(i)), nil
	}
}

func indexPoints(s, token []rune, from, to int64) int {
	for i := from; i+int64(len(token)) <= min(to, int64(len(s))); i++ {
		if string(s[i:i+int64(len(token))]) == string(token) {
			return int(i)
		}
	}
	return -1
}

// window reads the optional start and end of a search.
func window(name string, args []bson.RawValue, size int64) (from, to int64, err error) {
	to = size
	for i, p := range [...]*int64{&from, &to} {
		if len(args) <= 2+i || value.Nullish(args[2+i]) {
			continue
		}
		n, ok := number.Whole(args[2+i])
		switch {
		case !ok:
			return 0, 0, status.Errorf(40096, "%s requires an integral starting index, found a value of type: %s", name, args[2+i].Type)
		case n < 0:
			return 0, 0, status.Errorf(40097, "%s requires a nonnegative starting index, found: %d", name, n)
		}
		*p = min(n, size)
	}
	return from, to, nil
}

func strcasecmp(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	a, err := coerce("$strcasecmp", args[0])
	if err != nil {
		return missing, err
	}
	b, err := coerce("$strcasecmp", args[1])
	return value.Int32(int32(strings.Compare(strings.ToUpper(a), strings.ToUpper(b)))), err
}
