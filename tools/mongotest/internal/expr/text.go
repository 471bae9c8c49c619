package expr

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var text = map[string]function{
	"$concat":       {0, -1, concat},
	"$toUpper":      {1, 1, changeCase(upperASCII)},
	"$toLower":      {1, 1, changeCase(lowerASCII)},
	"$strLenBytes":  {1, 1, newLength("$strLenBytes", 34473, func(s string) int { return len(s) })},
	"$strLenCP":     {1, 1, newLength("$strLenCP", 34471, utf8.RuneCountInString)},
	"$substr":       {3, 3, substrBytes},
	"$substrBytes":  {3, 3, substrBytes},
	"$substrCP":     {3, 3, substrCP},
	"$split":        {2, 2, split},
	"$indexOfBytes": {2, 4, indexOfText("$indexOfBytes", 40091, indexOfBytes)},
	"$indexOfCP":    {2, 4, indexOfText("$indexOfCP", 40093, indexOfCP)},
	"$strcasecmp":   {2, 2, strcasecmp},
}

func concat(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	var b strings.Builder
	for _, v := range args {
		s, ok := v.StringOK()
		switch {
		case value.IsNullish(v):
			return value.Null, nil
		case !ok:
			return missing, status.Errorf(errcode.Location16702, "$concat only supports strings, not %s", value.TypeName(v))
		}
		b.WriteString(s)
	}
	return value.String(b.String()), nil
}

// coerce converts any value that a string operator accepts to a string. Null is empty.
func coerce(v bson.RawValue) (string, error) {
	switch v.Type {
	case 0, bsontype.Null, bsontype.Undefined:
		return "", nil
	case bsontype.String, bsontype.Int32, bsontype.Int64, bsontype.Double, bsontype.Decimal128, bsontype.DateTime:
		s, _ := toText(v)
		return s, checkWritable(v)
	case bsontype.Symbol:
		s, _ := v.SymbolOK()
		return string(s), nil
	case bsontype.JavaScript:
		s, _ := v.JavaScriptOK()
		return string(s), nil
	case bsontype.Timestamp:
		t, i, _ := v.TimestampOK()
		return time.Unix(int64(t), 0).UTC().Format("Jan _2 15:04:05") + ":" + strconv.FormatUint(uint64(i), 16), nil
	}
	return "", status.Errorf(16007, "can't convert from BSON type %s to String", v.Type)
}

// changeCase changes the case of ASCII letters only, as the server does.
func changeCase(f func(rune) rune) func(*Env, []bson.RawValue) (bson.RawValue, error) {
	return func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		s, err := coerce(args[0])
		return value.String(strings.Map(f, s)), err
	}
}

func upperASCII(r rune) rune {
	if r >= 'a' && r <= 'z' {
		r -= 'a' - 'A'
	}
	return r
}

func lowerASCII(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		r += 'a' - 'A'
	}
	return r
}

func newLength(name string, code int, f func(string) int) func(*Env, []bson.RawValue) (bson.RawValue, error) {
	return func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		s, ok := args[0].StringOK()
		if !ok {
			return missing, status.Errorf(location(code), "%s requires a string argument, found: %s", name, value.TypeName(args[0]))
		}
		return value.Int32(int32(f(s))), nil
	}
}

func substrBytes(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	s, err := coerce(args[0])
	if err != nil {
		return missing, err
	}
	from, _ := number.TruncateInt64(args[1])
	n, _ := number.TruncateInt64(args[2])
	size := int64(len(s))
	switch {
	case !number.Is(args[1].Type):
		return missing, status.Errorf(errcode.Location16034,
			"$substrBytes:  starting index must be a numeric type (is BSON type %s)", value.TypeName(args[1]))
	case !number.Is(args[2].Type):
		return missing, status.Errorf(16035, "$substrBytes:  length must be a numeric type (is BSON type %s)", value.TypeName(args[2]))
	case from < 0:
		return missing, status.Errorf(50752, "$substrBytes:  starting index must be non-negative (got: %d)", from)
	case from >= size:
		return value.String(""), nil
	}
	if n < 0 || n > size-from {
		n = size - from
	}
	switch {
	case !utf8.RuneStart(s[from]):
		return missing, status.Errorf(28656, "$substrBytes:  Invalid range, starting index is a UTF-8 continuation byte.")
	case from+n < size && !utf8.RuneStart(s[from+n]):
		return missing, status.Errorf(28657, "$substrBytes:  Invalid range, ending index is in the middle of a UTF-8 character.")
	}
	return value.String(s[from : from+n]), nil
}

func substrCP(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	s, err := coerce(args[0])
	if err != nil {
		return missing, err
	}
	var span [2]int64
	for i, v := range args[1:] {
		what := [...]string{"starting index", "length"}[i]
		switch {
		case !number.Is(v.Type):
			return missing, status.Errorf(location(34450+2*i),
				"$substrCP: %s must be a numeric type (is BSON type %s)", what, value.TypeName(v))
		case !number.Is32(v):
			return missing, status.Errorf(location(34451+2*i),
				"$substrCP: %s cannot be represented as a 32-bit integral value: %s", what, status.TextOf(v))
		}
		span[i], _ = number.ExactInt64(v)
	}
	from, n := span[0], span[1]
	switch {
	case n < 0:
		return missing, status.Errorf(34454, "$substrCP: length must be a nonnegative integer.")
	case from < 0:
		return missing, status.Errorf(34455, "$substrCP: the starting index must be nonnegative integer.")
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
		return missing, status.Errorf(40085,
			"$split requires an expression that evaluates to a string as a first argument, found: %s", args[0].Type)
	case !okBy:
		return missing, status.Errorf(40086,
			"$split requires an expression that evaluates to a string as a second argument, found: %s", args[1].Type)
	case by == "":
		return missing, status.Errorf(40087, "$split requires a non-empty separator")
	}
	var out []bson.RawValue
	for _, part := range strings.Split(s, by) {
		out = append(out, value.String(part))
	}
	return value.ArrayOf(out...), nil
}

// indexOfText checks the arguments of a search. code is the error code for the first argument, and code+1 for the
// second.
func indexOfText(
	name string, code int, find func(s, token string, from, to int64) int64,
) func(*Env, []bson.RawValue) (bson.RawValue, error) {
	return func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		s, ok := args[0].StringOK()
		token, okToken := args[1].StringOK()
		switch {
		case value.IsNullish(args[0]):
			return value.Null, nil
		case !ok:
			return missing, status.Errorf(location(code), "%s requires a string as the first argument, found: %s", name, args[0].Type)
		case !okToken:
			return missing, status.Errorf(location(code+1), "%s requires a string as the second argument, found: %s",
				name, value.TypeName(args[1]))
		}
		from, to, err := readWindow(name, args)
		if err != nil {
			return missing, err
		}
		return value.Int32(int32(find(s, token, from, to))), nil
	}
}

func indexOfBytes(s, token string, from, to int64) int64 {
	to = min(to, int64(len(s)))
	if from > to {
		return -1
	}
	i := int64(strings.Index(s[from:to], token))
	if i >= 0 {
		i += from
	}
	return i
}

// indexOfCP counts in code points. It finds nothing after the last character, except "" in "".
func indexOfCP(s, token string, from, to int64) int64 {
	if s == "" && token == "" {
		return 0
	}
	i := int64(0)
	for at := range s {
		if i >= to {
			break
		}
		if i >= from && strings.HasPrefix(s[at:], token) {
			return i
		}
		i++
	}
	return -1
}

// readWindow reads the optional start and end of a search.
func readWindow(name string, args []bson.RawValue) (from, to int64, err error) {
	bounds := [2]int64{0, math.MaxInt32}
	for i, v := range args[2:] {
		what := [...]string{"starting index", "ending index"}[i]
		n, _ := number.ExactInt64(v)
		switch {
		case !number.Is32(v):
			return 0, 0, status.Errorf(40096,
				"%srequires an integral %s, found a value of type: %s, with value: %s", name, what, value.TypeName(v), status.TextOf(v))
		case n < 0:
			return 0, 0, status.Errorf(40097, "%s requires a nonnegative %s, found: %d", name, what, n)
		}
		bounds[i] = n
	}
	return bounds[0], bounds[1], nil
}

func strcasecmp(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	a, err := coerce(args[0])
	if err != nil {
		return missing, err
	}
	b, err := coerce(args[1])
	return value.Int32(int32(strings.Compare(strings.Map(upperASCII, a), strings.Map(upperASCII, b)))), err
}
