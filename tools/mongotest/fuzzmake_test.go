package mongotest

import (
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/server"
)

// maker makes commands. Every choice comes from the data. Once the data is used up, maker always takes the first
// alternative, which never nests any deeper.
type maker struct {
	*words
	data        []byte
	depth       int
	failPoints  bool           // a fail point may have been set
	transaction bool           // one may be open
	cursor      *bson.RawValue // the last one that was opened
}

// n chooses a number below limit.
func (m *maker) n(limit int) int {
	if len(m.data) == 0 {
		return 0
	}
	v := int(m.data[0])
	m.data = m.data[1:]
	if limit > 256 && len(m.data) > 0 {
		v = v<<8 | int(m.data[0])
		m.data = m.data[1:]
	}
	return v % limit
}

func pick[T any](m *maker, from []T) T { return from[m.n(len(from))] }

// document makes a document out of what add appends.
func (m *maker) document(add func(dst []byte) []byte) bson.RawValue {
	dst, start := bson.AppendDocumentStart(nil)
	m.depth++
	dst = add(dst)
	m.depth--
	return bson.RawValue{Type: bsontype.EmbeddedDocument, Value: bson.AppendDocumentEnd(dst, start)}
}

// array makes an array of up to limit values.
func (m *maker) array(limit int, value func() bson.RawValue) bson.RawValue {
	v := m.document(func(dst []byte) []byte {
		for i := range m.n(limit + 1) {
			dst = bson.AppendRawValueElement(dst, strconv.Itoa(i), value())
		}
		return dst
	})
	v.Type = bsontype.Array
	return v
}

// needed lists the options without which the server refuses a command at once.
var needed = map[string][]string{
	"insert": {"documents"}, "update": {"updates"}, "delete": {"deletes"}, "find": {"filter"}, "aggregate": {"pipeline", "cursor"},
	"findAndModify": {"query", "update"}, "findandmodify": {"query", "update"}, "distinct": {"key", "query"}, "count": {"query"},
	"createIndexes": {"indexes"}, "bulkWrite": {"ops", "nsInfo"}, "getMore": {"collection"}, "killCursors": {"cursors"},
	"dropIndexes": {"index"}, "renameCollection": {"to"}, "configureFailPoint": {"mode", "data"}, "collMod": {"index"},
	"saslStart": {"mechanism", "payload"}, "createUser": {"pwd", "roles"},
}

// frequent lists the commands that take queries, updates or pipelines.
var frequent = []string{
	"find", "aggregate", "aggregate", "aggregate", "update", "findAndModify", "insert", "delete", "bulkWrite", "count", "distinct", "getMore", "explain",
	"createIndexes", "create", "commitTransaction", "abortTransaction",
}

// command makes a command with its options.
func (m *maker) command() bson.Raw {
	name := pick(m, frequent)
	switch m.n(8) {
	case 6:
		name = pick(m, m.engine)
	case 7:
		name = pick(m, m.commands)
	}
	m.failPoints = m.failPoints || name == "configureFailPoint"
	v := m.document(func(dst []byte) []byte {
		dst = bson.AppendRawValueElement(dst, name, m.target(name))
		if m.n(16) != 15 {
			for _, option := range needed[name] {
				dst = bson.AppendRawValueElement(dst, option, m.option(option))
			}
		}
		for range m.n(4) {
			if m.n(16) != 15 {
				if known := m.arguments[strings.ToLower(name)]; len(known) > 0 {
					one := pick(m, known)
					dst = bson.AppendRawValueElement(dst, one.name, m.argument(one))
				}
				continue
			}
			option := pick(m, m.options)
			dst = bson.AppendRawValueElement(dst, option, m.option(option))
		}
		db := "db"
		if server.CommandNames()[name] || name == "bulkWrite" || name == "renameCollection" || m.n(8) == 7 {
			db = "admin"
		}
		if m.n(3) == 2 {
			dst = m.session(dst)
		}
		if m.transaction { // a write may wait for the transaction to end
			dst = bson.AppendInt32Element(dst, "maxTimeMS", 200)
		}
		return bson.AppendStringElement(dst, "$db", db)
	})
	return bson.Raw(v.Value)
}

// session appends the fields of a session, a retryable write or a transaction, and the command's concerns.
func (m *maker) session(dst []byte) []byte {
	dst = bson.AppendRawValueElement(dst, "lsid", m.document(func(dst []byte) []byte {
		return bson.AppendBinaryElement(dst, "id", 4, []byte("0123456789abcde"+string(rune('a'+m.n(2)))))
	}))
	if m.n(4) > 0 {
		dst = bson.AppendInt64Element(dst, "txnNumber", int64(m.n(4)))
	}
	if m.n(2) == 1 {
		dst = bson.AppendBooleanElement(dst, "autocommit", false)
		if m.n(2) == 1 {
			dst = bson.AppendBooleanElement(dst, "startTransaction", true)
			m.transaction = true
		}
	}
	if m.n(4) == 3 {
		dst = bson.AppendRawValueElement(dst, "stmtId", number(int32(m.n(4))))
	}
	if m.n(3) == 2 {
		dst = bson.AppendRawValueElement(dst, "readConcern", m.document(func(dst []byte) []byte {
			return bson.AppendStringElement(dst, "level", pick(m, []string{"local", "majority", "snapshot", "linearizable", "available", "x"}))
		}))
	}
	if m.n(4) == 3 {
		dst = bson.AppendRawValueElement(dst, "writeConcern", m.document(func(dst []byte) []byte {
			return bson.AppendRawValueElement(dst, "w", pick(m, []bson.RawValue{number(0), number(1), number(3), number(4), text("majority"), text("x")}))
		}))
	}
	return dst
}

// target makes the value of the field that names the command.
func (m *maker) target(name string) bson.RawValue {
	switch {
	case name == "explain":
		return bson.RawValue{Type: bsontype.EmbeddedDocument, Value: m.command()}
	case name == "renameCollection":
		return text("db.c")
	case name == "configureFailPoint":
		return text("failCommand")
	}
	if name == "getMore" && m.cursor != nil {
		return *m.cursor
	}
	switch m.n(20) {
	case 19:
		return m.value()
	case 18:
		return text(pick(m, []string{"d", "system.views", "$cmd.aggregate", "", "new"}))
	case 17:
		return number(1)
	case 16:
		return text("k")
	case 15:
		return text("v")
	}
	switch name {
	case "listCollections", "listDatabases", "dropDatabase", "dbStats", "bulkWrite":
		return number(1)
	}
	return text("c")
}

// argument makes the value of an argument whose kind is known.
func (m *maker) argument(a argument) bson.RawValue {
	switch a.kind {
	case "boolean", "flag":
		return bson.RawValue{Type: bsontype.Boolean, Value: []byte{byte(m.n(2))}}
	case "integer", "long":
		if v, ok := m.short(a.name); ok {
			return v
		}
		return number(int32(m.n(6)))
	}
	return m.option(a.name)
}

// option makes the value of an option, mostly of the kind that the server expects.
func (m *maker) option(name string) bson.RawValue {
	if v, ok := m.short(name); ok {
		return v
	}
	if m.n(12) == 11 {
		return m.value()
	}
	switch name {
	case "filter", "query", "q", "validator", "partialFilterExpression":
		return m.filter()
	case "pipeline":
		return m.pipeline()
	case "update", "u", "updateMods":
		return m.update()
	case "documents":
		return m.array(4, m.anyDocument)
	case "updates":
		return m.array(3, m.statement("q", "u", "upsert", "multi", "arrayFilters", "hint", "c", "collation"))
	case "deletes":
		return m.array(3, m.statement("q", "limit", "hint", "collation"))
	case "indexes":
		return m.array(2, m.statement("key", "name", "unique", "sparse", "partialFilterExpression", "expireAfterSeconds"))
	case "ops":
		return m.array(3, m.operation)
	case "nsInfo":
		return m.array(2, m.statement("ns"))
	case "key":
		if m.depth == 1 {
			return text(m.path()) // the key of distinct
		}
		return m.pathDocument()
	case "cursors":
		return m.array(2, func() bson.RawValue { return bson.RawValue{Type: bsontype.Int64, Value: m.bytes(8)} })
	case "sort", "projection", "fields", "hint", "index":
		return m.pathDocument()
	case "collation":
		return m.document(func(dst []byte) []byte {
			dst = bson.AppendStringElement(dst, "locale", pick(m, []string{"en", "simple", "de", "x"}))
			return bson.AppendInt32Element(dst, "strength", int32(m.n(6)))
		})
	case "arrayFilters":
		return m.array(2, m.filter)
	case "cursor", "let":
		return m.document(func(dst []byte) []byte {
			for range m.n(3) {
				dst = bson.AppendRawValueElement(dst, pick(m, []string{"batchSize", "x", "y"}), m.value())
			}
			return dst
		})
	case "mode":
		return text(pick(m, []string{"alwaysOn", "off"}))
	case "ns", "to":
		return text(pick(m, []string{"db.c", "db.d", "db", ".", "db.new"}))
	case "name", "collection", "mechanism", "pwd":
		return text(pick(m, []string{"c", "a_1", "_id_", "SCRAM-SHA-256"}))
	case "limit", "skip", "batchSize", "expireAfterSeconds":
		return number(int32(m.n(8)) - 1)
	}
	return m.value()
}

// short makes the value of an option that limits how long the server waits.
func (m *maker) short(name string) (bson.RawValue, bool) {
	switch name {
	case "maxTimeMS", "maxAwaitTimeMS", "blockTimeMS", "wtimeout", "wtimeoutMS", "secondaryCatchUpPeriodSecs":
		return number(int32(m.n(20))), true
	}
	return bson.RawValue{}, false
}

// statement makes a document of some options. It always includes the first one.
func (m *maker) statement(names ...string) func() bson.RawValue {
	return func() bson.RawValue {
		return m.document(func(dst []byte) []byte {
			for i, name := range names {
				if i < 2 || m.n(3) == 2 {
					dst = bson.AppendRawValueElement(dst, name, m.option(name))
				}
			}
			return dst
		})
	}
}

// operation makes one of the operations of bulkWrite.
func (m *maker) operation() bson.RawValue {
	return m.document(func(dst []byte) []byte {
		kind := pick(m, []string{"insert", "update", "delete"})
		dst = bson.AppendInt32Element(dst, kind, int32(m.n(2)))
		if kind == "insert" {
			return bson.AppendRawValueElement(dst, "document", m.anyDocument())
		}
		dst = bson.AppendRawValueElement(dst, "filter", m.filter())
		if kind == "update" {
			dst = bson.AppendRawValueElement(dst, "updateMods", m.update())
		}
		if m.n(2) == 1 {
			dst = bson.AppendBooleanElement(dst, "multi", true)
		}
		return dst
	})
}
