package oplog

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/diff"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Document returns what was written at one time, as a server of the given wire version logs it. A transaction of
// several commands and a group of inserts have more than one entry.
func Document(entries []*store.Entry, version int32) bson.Raw {
	e := entries[0]
	dst, start := bson.AppendDocumentStart(nil)
	if version < wire.Server50 {
		dst = appendTimes(dst, e)
	}
	if e.Origin.LSID != nil {
		dst = bson.AppendDocumentElement(dst, "lsid", e.Origin.LSID)
		dst = bson.AppendInt64Element(dst, "txnNumber", e.Origin.TxnNumber)
	}
	together := e.Origin.InTxn || len(entries) > 1
	if together {
		dst = appendTransaction(dst, entries, version)
	} else {
		dst = appendOperation(dst, e, version)
	}
	if version >= wire.Server50 {
		dst = appendTimes(dst, e)
	}
	if e.Origin.LSID != nil {
		if !together {
			dst = bson.AppendInt32Element(dst, "stmtId", e.Origin.Statement)
		}
		var in int
		dst, in = bson.AppendDocumentElementStart(dst, "prevOpTime")
		dst = bson.AppendTimestampElement(dst, "ts", 0, 0)
		dst = bson.AppendDocumentEnd(bson.AppendInt64Element(dst, "t", -1), in)
	}
	if together && !e.Origin.InTxn {
		dst = bson.AppendInt32Element(dst, "multiOpType", appliedSeparately)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// appliedSeparately marks the entry of several inserts that are no transaction.
const appliedSeparately = 1

func appendTimes(dst []byte, e *store.Entry) []byte {
	dst = bson.AppendTimestampElement(dst, "ts", e.Time.T(), e.Time.I())
	dst = bson.AppendInt64Element(dst, "t", e.Term)
	dst = bson.AppendInt64Element(dst, "v", 2)
	return bson.AppendDateTimeElement(dst, "wall", e.Wall.UnixMilli())
}

func appendTransaction(dst []byte, entries []*store.Entry, version int32) []byte {
	list := make([]bson.RawValue, len(entries))
	for i, e := range entries {
		op, start := bson.AppendDocumentStart(nil)
		op = appendOperation(op, e, version)
		if e.Origin.LSID != nil && !e.Origin.InTxn {
			op = bson.AppendInt32Element(op, "stmtId", e.Origin.Statement)
		}
		list[i] = value.Document(bson.AppendDocumentEnd(op, start))
	}
	dst = bson.AppendStringElement(dst, "op", "c")
	dst = bson.AppendStringElement(dst, "ns", "admin.$cmd")
	dst, start := bson.AppendDocumentElementStart(dst, "o")
	return bson.AppendDocumentEnd(bson.AppendRawValueElement(dst, "applyOps", value.ArrayOf(list...)), start)
}

// operation describes an entry: the collection, the change, and the key of the changed document.
type operation struct {
	op, ns string
	o, o2  bson.Raw
	hidden bool // leave out the collection's UUID
}

func appendOperation(dst []byte, e *store.Entry, version int32) []byte {
	x := operationOf(e, version)
	dst = bson.AppendStringElement(dst, "op", x.op)
	dst = bson.AppendStringElement(dst, "ns", x.ns)
	if e.UUID != (bson.UUID{}) && !x.hidden {
		dst = bson.AppendBinaryElement(dst, "ui", bsontype.BinaryUUID, e.UUID[:])
	}
	dst = bson.AppendDocumentElement(dst, "o", x.o)
	if x.o2 != nil {
		dst = bson.AppendDocumentElement(dst, "o2", x.o2)
	}
	return dst
}

func operationOf(e *store.Entry, version int32) operation {
	x := operation{op: string(rune(e.Op)), ns: e.DB + "." + e.Name}
	switch e.Op {
	case store.Insert:
		if x.o = e.After; version >= wire.Server50 {
			x.o2 = e.Key
		}
	case store.Delete:
		x.o = e.Key
	case store.Update:
		x.o, x.o2 = change(e, version), e.Key
	case store.Noop:
		if x.o, x.o2 = e.Command, e.Old; e.DB == "" {
			x.ns = ""
		}
	case store.DDL:
		if e.View {
			return viewOperation(e, version)
		}
		x.ns, x.o, x.o2 = e.DB+".$cmd", e.Command, e.Old
	}
	return x
}

// change returns the o of an update: the difference, or the whole document.
func change(e *store.Entry, version int32) bson.Raw {
	if e.Diff == nil {
		return e.After
	}
	if version < wire.Server50 {
		if d, ok := diff.Modifiers(e.Diff); ok {
			return d
		}
		return e.After
	}
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendInt32Element(dst, "$v", 2)
	return bson.AppendDocumentEnd(bson.AppendDocumentElement(dst, "diff", e.Diff), start)
}

// viewOperation returns the change of a view. A server stores it as a document of system.views.
func viewOperation(e *store.Entry, version int32) operation {
	key, start := bson.AppendDocumentStart(nil)
	key = bson.AppendStringElement(key, "_id", e.DB+"."+e.Name)
	key = bson.AppendDocumentEnd(key, start)
	x := operation{ns: e.DB + ".system.views", o2: key, hidden: true}
	first, _ := e.Command.Index(0)
	if first.Key == "drop" {
		x.op, x.o, x.o2 = "d", key, nil
		return x
	}
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendStringElement(d, "_id", e.DB+"."+e.Name)
	for _, name := range [...]string{"viewOn", "pipeline", "collation"} {
		v := path.Field(e.Command, name)
		if v.IsZero() && first.Key == "collMod" {
			v = bson.Raw(e.Old).Lookup("collectionOptions_old", name)
		}
		if !v.IsZero() {
			d = bson.AppendRawValueElement(d, name, v)
		}
	}
	x.o = bson.AppendDocumentEnd(d, start)
	if x.op = "u"; first.Key == "create" {
		if x.op = "i"; version < wire.Server50 {
			x.o2 = nil
		}
	}
	return x
}
