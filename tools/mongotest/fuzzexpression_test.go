package mongotest

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// sort is a kind of value. Most operators need arguments of a single sort.
type sort int

const (
	anything sort = iota
	numbers
	strs
	dates
	arrays
	objects
	booleans
	sorts
)

func (m *maker) sort() sort { return sort(m.n(int(sorts))) }

// fieldsOf lists the fields of the fixture, and the variables, by the sort of their values.
var fieldsOf = [sorts][]string{
	anything: {"$x", "$$ROOT", "$$NOW", "$$this", "$$value", "$$REMOVE", "$$CLUSTER_TIME", "$", "$$", "$a", "$_id"}, numbers: {"$n", "$_id", "$d.e"},
	strs: {"$s"}, dates: {"$t", "$$NOW"}, arrays: {"$r", "$b", "$b.c"}, objects: {"$d", "$$ROOT"}, booleans: {"$l"},
}

// expression makes an aggregation expression.
func (m *maker) expression() bson.RawValue { return m.expressionOf(m.sort()) }

// expressionOf makes an expression that may have a value of the sort.
func (m *maker) expressionOf(k sort) bson.RawValue {
	choice := m.n(6)
	if m.depth > 10 {
		choice %= 4
	}
	switch choice {
	case 0, 1:
		return text(pick(m, fieldsOf[k]))
	case 2, 3:
		return m.constant(k)
	}
	return m.call(pick(m, m.expressions))
}

// constant makes a value of a sort.
func (m *maker) constant(k sort) bson.RawValue {
	switch k {
	case numbers:
		if m.n(3) == 0 {
			return number(int32(m.n(5)) - 1)
		}
		return m.valueOf(m.n(5))
	case strs:
		return text(pick(m, texts))
	case dates:
		return m.valueOf(10)
	case arrays:
		element := m.sort()
		return m.array(3, func() bson.RawValue { return m.expressionOf(element) })
	case objects:
		return m.anyDocument()
	case booleans:
		return m.valueOf(7)
	}
	return m.value()
}

// shaped lists the arguments of the operators that the server does not keep in a table.
var shaped = map[string][]string{
	"$map": {"input", "in", "as"}, "$filter": {"input", "cond", "as", "limit"}, "$reduce": {"input", "initialValue", "in"},
	"$cond": {"if", "then", "else"}, "$switch": {"branches", "default"}, "$let": {"vars", "in"},
	"$zip": {"inputs", "useLongestLength", "defaults"}, "$getField": {"field", "input"}, "$setField": {"field", "input", "value"},
	"$unsetField": {"field", "input"}, "$sortArray": {"input", "sortBy"}, "$firstN": {"n", "input"}, "$lastN": {"n", "input"},
	"$maxN": {"n", "input"}, "$minN": {"n", "input"}, "$top": {"output", "sortBy"}, "$bottom": {"output", "sortBy"},
	"$topN": {"n", "output", "sortBy"}, "$bottomN": {"n", "output", "sortBy"},
}

// call makes an operator with its arguments.
func (m *maker) call(name string) bson.RawValue {
	return m.document(func(dst []byte) []byte { return bson.AppendRawValueElement(dst, name, m.argumentsOf(name)) })
}

// argumentsOf makes what an operator takes: named arguments, a list of the required length, or one argument.
func (m *maker) argumentsOf(name string) bson.RawValue {
	s, known := m.shapes[name]
	names, k := s.names, m.sort()
	if names == nil {
		names = shaped[name]
	}
	switch choice := m.n(10); {
	case choice == 9:
		return m.named()
	case len(names) > 0 && choice > 0:
		return m.document(func(dst []byte) []byte {
			for _, name := range names {
				if m.n(4) != 3 {
					dst = bson.AppendRawValueElement(dst, name, m.parameter(name, k))
				}
			}
			return dst
		})
	case known && s.max != 1:
		count := s.min
		if s.max > s.min {
			count += m.n(s.max - s.min + 1)
		} else if s.max < 0 {
			count += m.n(3)
		}
		return m.list(count, func() bson.RawValue {
			if m.n(5) == 4 {
				return m.expression()
			}
			return m.expressionOf(k)
		})
	}
	return m.expressionOf(k)
}

// list makes an array of n values.
func (m *maker) list(n int, value func() bson.RawValue) bson.RawValue {
	values := make([]bson.RawValue, n)
	for i := range values {
		values[i] = value()
	}
	v := bson.RawValue{Type: bsontype.Array}
	v.Value, _ = appendArray(nil, values)
	return v
}

// parameters lists the argument names of operators and stages.
var parameters = []string{
	"input", "in", "as", "cond", "initialValue", "vars", "if", "then", "else", "branches", "default", "case", "date", "format",
	"timezone", "unit", "amount", "startDate", "endDate", "onError", "onNull", "to", "chars", "find", "replacement", "regex",
	"options", "field", "value", "n", "sortBy", "output", "groupBy", "boundaries", "buckets", "inputs", "useLongestLength",
	"defaults", "limit", "startOfWeek", "binSize", "newRoot", "path", "into", "whenMatched", "on", "year", "month", "day", "hour",
	"isoWeek", "isoWeekYear", "millisecond", "dateString", "includeArrayIndex", "preserveNullAndEmptyArrays", "size",
}

// parameter makes the value of a named argument: of the sort that its name suggests, or else of sort k.
func (m *maker) parameter(name string, k sort) bson.RawValue {
	if m.n(12) == 11 {
		return m.value()
	}
	switch name {
	case "vars":
		return m.document(func(dst []byte) []byte { return bson.AppendRawValueElement(dst, "x", m.expression()) })
	case "branches":
		return m.array(3, func() bson.RawValue {
			return m.document(func(dst []byte) []byte {
				dst = bson.AppendRawValueElement(dst, "case", m.expressionOf(booleans))
				return bson.AppendRawValueElement(dst, "then", m.expression())
			})
		})
	case "sortBy":
		return m.pathDocument()
	case "as", "field", "path", "into":
		return text(pick(m, []string{"x", "a", "this", "d.e", "A", ""}))
	case "unit", "startOfWeek":
		return text(pick(m, []string{"day", "year", "week", "quarter", "month", "hour", "minute", "second", "millisecond", "mon", "x"}))
	case "timezone":
		return text(pick(m, []string{"UTC", "+0530", "Europe/Paris", "-25:00", "", "x", "+00"}))
	case "format":
		return text(pick(m, []string{"%Y-%m-%dT%H:%M:%S.%LZ", "%G-W%V-%u", "%j%z%Z%%", "%", "%q", "", "%d%b%B"}))
	case "date", "startDate", "endDate":
		return m.expressionOf(dates)
	case "dateString", "regex", "find", "chars", "options", "replacement":
		return m.expressionOf(strs)
	case "n", "limit", "amount", "binSize", "year", "month", "day", "hour", "isoWeek", "isoWeekYear", "millisecond", "size":
		return m.expressionOf(numbers)
	case "inputs", "boundaries":
		return m.array(3, func() bson.RawValue { return m.expressionOf(k) })
	case "cond", "if", "case", "useLongestLength":
		return m.expressionOf(booleans)
	}
	return m.expressionOf(k)
}
