package query

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	regex "github.com/specdrivers/onion/runtime/mongotest/internal/pattern"
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
	re, err := regex.Compile(pattern, flags)
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
