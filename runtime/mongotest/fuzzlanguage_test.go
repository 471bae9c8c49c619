package mongotest

import (
	"github.com/specdrivers/onion/bson"
)

// paths are the fields of the documents that are there, and others.
var paths = []string{"a", "b", "b.c", "_id", "s", "d.e", "t", "a.0", "b.$", "b.$[]", "b.$[x].c", "b.0.c", "x", "", ".", "a..b", "$a", "d", "b.$[].c"}

func (m *maker) path() string { return pick(m, paths) }

// filter makes a query.
func (m *maker) filter() bson.RawValue {
	return m.document(func(dst []byte) []byte {
		for range m.n(3) {
			if m.n(3) < 2 {
				dst = bson.AppendRawValueElement(dst, m.path(), m.predicate())
				continue
			}
			op := pick(m, m.queries)
			dst = bson.AppendRawValueElement(dst, op, m.operand())
		}
		return dst
	})
}

// predicate is what a query says of a field.
func (m *maker) predicate() bson.RawValue {
	if m.n(3) == 0 {
		return m.value()
	}
	return m.document(func(dst []byte) []byte {
		for range 1 + m.n(2) {
			dst = bson.AppendRawValueElement(dst, pick(m, m.queries), m.operand())
		}
		return dst
	})
}

// operand is what a query operator takes.
func (m *maker) operand() bson.RawValue {
	if m.depth > 6 {
		return m.value()
	}
	switch m.n(7) {
	case 1:
		return m.filter()
	case 2:
		return m.array(3, m.filter)
	case 3:
		return m.array(3, m.value)
	case 4:
		return m.predicate()
	case 5:
		return m.expression()
	}
	return m.value()
}

// update makes operators, a replacement or a pipeline.
func (m *maker) update() bson.RawValue {
	switch m.n(8) {
	case 7:
		return m.pipeline()
	case 6:
		return m.anyDocument()
	}
	return m.document(func(dst []byte) []byte {
		for range 1 + m.n(2) {
			dst = bson.AppendRawValueElement(dst, pick(m, m.updates), m.document(func(dst []byte) []byte {
				for range 1 + m.n(2) {
					dst = bson.AppendRawValueElement(dst, m.path(), m.change())
				}
				return dst
			}))
		}
		return dst
	})
}

// change is what an update operator does to a field.
func (m *maker) change() bson.RawValue {
	if m.n(2) == 0 {
		return m.value()
	}
	return m.document(func(dst []byte) []byte {
		for range 1 + m.n(3) {
			name, v := pick(m, m.updates), m.value()
			switch name {
			case "$each":
				v = m.array(3, m.value)
			case "$sort":
				v = m.pathDocument()
			}
			dst = bson.AppendRawValueElement(dst, name, v)
		}
		return dst
	})
}

// pipeline makes stages.
func (m *maker) pipeline() bson.RawValue { return m.array(4, m.stage) }

func (m *maker) stage() bson.RawValue {
	return m.document(func(dst []byte) []byte {
		name := pick(m, m.stages)
		return bson.AppendRawValueElement(dst, name, m.specification(name))
	})
}

// specification is what a stage takes.
func (m *maker) specification(name string) bson.RawValue {
	switch name {
	case "$match":
		return m.filter()
	case "$lookup":
		return m.document(func(dst []byte) []byte {
			dst = bson.AppendStringElement(dst, "from", "c")
			dst = bson.AppendStringElement(dst, "as", m.path())
			if m.n(2) == 1 {
				dst = bson.AppendStringElement(dst, "localField", m.path())
				dst = bson.AppendStringElement(dst, "foreignField", m.path())
			}
			return bson.AppendRawValueElement(dst, "pipeline", m.nested())
		})
	case "$unionWith":
		return m.document(func(dst []byte) []byte {
			dst = bson.AppendStringElement(dst, "coll", "c")
			return bson.AppendRawValueElement(dst, "pipeline", m.nested())
		})
	case "$facet":
		return m.document(func(dst []byte) []byte { return bson.AppendRawValueElement(dst, "f", m.nested()) })
	case "$group":
		return m.document(func(dst []byte) []byte {
			dst = bson.AppendRawValueElement(dst, "_id", m.expression())
			for range m.n(3) {
				dst = bson.AppendRawValueElement(dst, pick(m, []string{"x", "y", "z"}), m.call(pick(m, m.stages)))
			}
			return dst
		})
	case "$project", "$addFields", "$set", "$replaceWith", "$replaceRoot":
		return m.document(func(dst []byte) []byte {
			for range 1 + m.n(2) {
				dst = bson.AppendRawValueElement(dst, m.path(), m.expression())
			}
			return dst
		})
	case "$sort", "$unset":
		return m.pathDocument()
	case "$unwind", "$sortByCount", "$count", "$out", "$merge":
		return text(pick(m, []string{"$b", "$a", "x", "d", "$d.e", ""}))
	case "$limit", "$skip", "$sample":
		return number(int32(m.n(5)))
	}
	return m.named(m.stages)
}

// nested is a pipeline inside another.
func (m *maker) nested() bson.RawValue {
	if m.depth > 9 {
		return m.array(0, m.value)
	}
	return m.array(2, m.stage)
}

// expression makes an aggregation expression.
func (m *maker) expression() bson.RawValue {
	kind := m.n(8)
	if m.depth > 12 {
		kind %= 4
	}
	switch kind {
	case 0, 1:
		return text(pick(m, []string{"$a", "$b", "$b.c", "$s", "$d", "$t", "$$ROOT", "$$NOW", "$$this", "$$value", "$$x", "$$REMOVE", "$", "$$", "$x"}))
	case 2, 3:
		return m.value()
	case 4:
		return m.call(pick(m, m.expressions))
	}
	return m.call(pick(m, m.expressions))
}

// call is an operator with its arguments: one, a list, or some with names.
func (m *maker) call(name string) bson.RawValue {
	return m.document(func(dst []byte) []byte {
		switch m.n(3) {
		case 1:
			return bson.AppendRawValueElement(dst, name, m.array(3, m.expression))
		case 2:
			return bson.AppendRawValueElement(dst, name, m.named(m.expressions))
		}
		return bson.AppendRawValueElement(dst, name, m.expression())
	})
}

// parameters are the names of arguments of operators and stages.
var parameters = []string{
	"input", "in", "as", "cond", "initialValue", "vars", "if", "then", "else", "branches", "default", "case", "date", "format",
	"timezone", "unit", "amount", "startDate", "endDate", "onError", "onNull", "to", "chars", "find", "replacement", "regex",
	"options", "field", "value", "n", "sortBy", "output", "groupBy", "boundaries", "buckets", "inputs", "useLongestLength",
	"defaults", "limit", "startOfWeek", "binSize", "newRoot", "path", "into", "whenMatched", "on", "year", "month", "day", "hour",
	"isoWeek", "isoWeekYear", "millisecond", "dateString", "includeArrayIndex", "preserveNullAndEmptyArrays", "size",
}

// named makes arguments with names.
func (m *maker) named(operators []string) bson.RawValue {
	return m.document(func(dst []byte) []byte {
		for range 1 + m.n(4) {
			v := m.expression()
			switch m.n(6) {
			case 5:
				v = m.pathDocument()
			case 4:
				v = m.array(3, m.expression)
			case 3:
				if m.depth < 8 {
					v = m.named(operators)
				}
			}
			dst = bson.AppendRawValueElement(dst, pick(m, parameters), v)
		}
		return dst
	})
}

// pathDocument maps fields to directions.
func (m *maker) pathDocument() bson.RawValue {
	return m.document(func(dst []byte) []byte {
		for range 1 + m.n(2) {
			v := number(int32(m.n(3)) - 1)
			if m.n(6) == 5 {
				v = m.value()
			}
			dst = bson.AppendRawValueElement(dst, m.path(), v)
		}
		return dst
	})
}
