package mongotest

import (
	"github.com/specdrivers/onion/bson"
)

// paths lists fields of the documents, and fields that do not exist.
var paths = []string{"a", "b", "b.c", "_id", "s", "d.e", "t", "n", "r", "l", "a.0", "b.$", "b.$[]", "b.$[x].c", "b.0.c", "x", "", ".", "a..b", "$a", "d", "b.$[].c"}

func (m *maker) path() string { return pick(m, paths) }

// filter makes a query.
func (m *maker) filter() bson.RawValue {
	return m.document(func(dst []byte) []byte {
		for range m.n(3) {
			switch m.n(6) {
			case 0, 1, 2:
				dst = bson.AppendRawValueElement(dst, m.path(), m.predicate())
				continue
			case 3, 4:
				dst = bson.AppendRawValueElement(dst, "$expr", m.call(pick(m, m.expressions)))
				continue
			}
			op := pick(m, m.queries)
			dst = bson.AppendRawValueElement(dst, op, m.operand())
		}
		return dst
	})
}

// predicate makes the condition of a query on a field.
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

// operand makes what a query operator takes.
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

// update makes update operators, a replacement or a pipeline.
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

// change makes what an update operator does to a field.
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

// pipeline makes stages, or one stage that computes something.
func (m *maker) pipeline() bson.RawValue {
	if m.n(2) == 0 {
		return m.array(4, m.stage)
	}
	return m.list(1, func() bson.RawValue {
		return m.document(func(dst []byte) []byte {
			name := pick(m, []string{"$set", "$project"})
			return bson.AppendRawValueElement(dst, name, m.document(func(dst []byte) []byte {
				return bson.AppendRawValueElement(dst, "x", m.call(pick(m, m.expressions)))
			}))
		})
	})
}

func (m *maker) stage() bson.RawValue {
	return m.document(func(dst []byte) []byte {
		name := pick(m, m.stages)
		return bson.AppendRawValueElement(dst, name, m.specification(name))
	})
}

// specification makes what a stage takes.
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
	return m.named()
}

// nested makes a pipeline inside another.
func (m *maker) nested() bson.RawValue {
	if m.depth > 9 {
		return m.array(0, m.value)
	}
	return m.array(2, m.stage)
}

// named makes named arguments.
func (m *maker) named() bson.RawValue {
	return m.document(func(dst []byte) []byte {
		for range 1 + m.n(4) {
			name := pick(m, parameters)
			dst = bson.AppendRawValueElement(dst, name, m.parameter(name, m.sort()))
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
