// The command bulkWrite, since 8.0: inserts, updates and deletes on any number of namespaces. A cursor returns the
// results.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var bulkWriteFields = []field{
	{"ops", 0, array | required}, {"nsInfo", 0, array | required}, {"ordered", 0, flag}, {"errorsOnly", 0, flag},
	{"bypassDocumentValidation", 0, boolean}, {"let", 0, document}, {"cursor", 0, document},
	{"stmtId", 0, integer}, {"stmtIds", 0, array}, {"bypassEmptyTsReplacement", 0, boolean},
}

var bulkNamespace = []field{{"ns", 0, text | required}, {"collectionUUID", 0, uuid}, {"encryptionInformation", 0, document}}

var bulkInsert = []field{{"insert", 0, integer | natural}, {"document", 0, document | required}}

var bulkUpdate = []field{
	{"update", 0, integer | natural}, {"filter", 0, document | required}, {"updateMods", 0, updating | required},
	{"multi", 0, flag}, {"upsert", 0, flag}, {"collation", 0, document}, {"arrayFilters", 0, array}, {"hint", 0, hint},
	{"constants", 0, document}, {"sort", 0, document}, {"upsertSupplied", 0, flag}, {"sampleId", 0, uuid},
}

var bulkDelete = []field{
	{"delete", 0, integer | natural}, {"filter", 0, document | required}, {"multi", 0, flag}, {"collation", 0, document},
	{"hint", 0, hint}, {"sampleId", 0, uuid},
}

// bulk is one bulkWrite that runs.
type bulk struct {
	e          *Engine
	r          *Request
	a          *args
	namespaces [][2]string
	replies    []bson.Raw
	counts     map[string]int32
	retried    []int32
	group      *vector // of the inserts before this operation
	inserted   int64   // the namespace of that group
}

func (e *Engine) bulkWrite(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	a, err := r.parse(bulkWriteFields)
	if err != nil {
		return nil, err
	}
	if r.DB != "admin" {
		return nil, status.Errorf(errcode.Unauthorized, "bulkWrite may only be run against the admin database.")
	}
	batch, err := r.batchSize(a)
	if err != nil {
		return nil, err
	}
	b := &bulk{e: e, r: r, a: a}
	ops, err := r.documents(a, "ops")
	if err != nil {
		return nil, err
	}
	if err := a.checkBatch(len(ops)); err != nil {
		return nil, err
	}
	if err := b.readNamespaces(); err != nil {
		return nil, err
	}
	parsed := make([]*args, len(ops))
	for i, op := range ops {
		if parsed[i], err = b.parse(op); err != nil {
			return nil, err
		}
	}
	err = e.write(ctx, r, func(tx *store.Txn) error {
		b.replies, b.counts, b.retried, b.group = nil, map[string]int32{}, nil, nil
		return settle(b.runAll(ctx, tx, parsed))
	})
	if err != nil {
		return nil, err
	}
	cur := &cursor{
		db:        "admin",
		name:      "$cmd.bulkWrite",
		lsid:      r.LSID,
		src:       &documents{b.replies},
		inTxn:     r.Txn != nil,
		txnNumber: r.TxnNumber,
	}
	if batch < 0 {
		batch = int64(len(b.replies)) + 1
	}
	if dst, err = e.openCursor(ctx, dst, cur, batch, false); err != nil {
		return nil, err
	}
	for _, name := range [...]string{"nErrors", "nInserted", "nMatched", "nModified", "nUpserted", "nDeleted"} {
		dst = bson.AppendInt32Element(dst, name, b.counts[name])
	}
	return r.appendRetried(dst, b.retried), nil
}

func (b *bulk) readNamespaces() error {
	infos, err := b.r.documents(b.a, "nsInfo")
	if err != nil {
		return err
	}
	for _, d := range infos {
		a, err := b.r.parseStatement("bulkWrite.nsInfo", d, bulkNamespace)
		if err != nil {
			return err
		}
		db, name := namespace(a.text("ns"))
		if checkName(db, name) != nil {
			return status.Errorf(errcode.InvalidNamespace, "Invalid namespace specified for bulkWrite: '%s'", a.text("ns"))
		}
		if err := b.r.checkUUID(b.e.snapshot(b.r), a, db, name); err != nil {
			return err
		}
		b.namespaces = append(b.namespaces, [2]string{db, name})
	}
	return nil
}

func (b *bulk) parse(op bson.Raw) (*args, error) {
	first, _ := op.Index(0)
	fields := bulkInsert
	switch first.Key {
	case "insert":
	case "update":
		fields = bulkUpdate
	case "delete":
		fields = bulkDelete
	default:
		return nil, status.Errorf(errcode.Location40415, "BSON field 'bulkWrite.ops.%s' is an unknown field.", first.Key)
	}
	a, err := b.r.parseStatement("bulkWrite.ops", op, fields)
	if err != nil {
		return nil, err
	}
	if n, ok := number.TruncateInt64(first.Value); !ok || n < 0 || n >= int64(len(b.namespaces)) {
		return nil, status.Errorf(errcode.BadValue, "BulkWrite ops entry %s has an invalid nsInfo index.", status.Text(op))
	}
	return a, nil
}

func (b *bulk) runAll(ctx context.Context, tx *store.Txn, ops []*args) error {
	defer func() { b.group.end() }()
	for i, op := range ops {
		if err := b.run(ctx, tx, i, op); err != nil {
			return err
		}
	}
	return nil
}

// run executes one operation and records its result.
func (b *bulk) run(ctx context.Context, tx *store.Txn, i int, op *args) error {
	if err := endedError(ctx); err != nil {
		return err
	}
	statement := statementID(b.a, i)
	kind := op.fields[0].name
	o, done := b.r.findExecuted(statement)
	var err error
	if done {
		b.retried = append(b.retried, statement)
	} else {
		if err := b.r.begin(tx, statement); err != nil {
			return err
		}
		o, err = b.execute(ctx, tx, kind, op)
	}
	if err != nil {
		return b.fail(i, err)
	}
	if !done {
		o.at = tx.Time()
		b.r.remember(statement, o)
	}
	b.count(kind, o)
	if b.a.bool("errorsOnly") {
		return nil
	}
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendDoubleElement(d, "ok", 1)
	d = bson.AppendInt32Element(d, "idx", int32(i))
	d = bson.AppendInt32Element(d, "n", int32(o.matched))
	if kind == "update" {
		d = bson.AppendInt32Element(d, "nModified", int32(o.modified))
		if !o.upserted.IsZero() {
			var in int
			d, in = bson.AppendDocumentElementStart(d, "upserted")
			d = bson.AppendRawValueElement(d, "_id", o.upserted)
			d = bson.AppendDocumentEnd(d, in)
		}
	}
	b.replies = append(b.replies, bson.AppendDocumentEnd(d, start))
	return nil
}

func (b *bulk) count(kind string, o outcome) {
	switch {
	case kind == "insert":
		b.counts["nInserted"] += int32(o.matched)
	case kind == "delete":
		b.counts["nDeleted"] += int32(o.matched)
	case !o.upserted.IsZero():
		b.counts["nUpserted"]++
	default:
		b.counts["nMatched"] += int32(o.matched)
		b.counts["nModified"] += int32(o.modified)
	}
}

func (b *bulk) fail(i int, err error) error {
	e := status.From(err)
	if e.Code == errcode.WriteConflict || interrupt.Is(e.Code) {
		return e
	}
	b.counts["nErrors"]++
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendDoubleElement(d, "ok", 0)
	d = bson.AppendInt32Element(d, "idx", int32(i))
	d = bson.AppendInt32Element(d, "code", int32(e.Code))
	d = e.AppendInfo(d)
	d = bson.AppendStringElement(d, "errmsg", e.Message)
	d = bson.AppendInt32Element(d, "n", 0)
	b.replies = append(b.replies, bson.AppendDocumentEnd(d, start))
	if b.a.boolOr("ordered", true) {
		return errEndOfBatch
	}
	return nil
}

func (b *bulk) execute(ctx context.Context, tx *store.Txn, kind string, op *args) (outcome, error) {
	ns := b.namespaces[op.int(kind)]
	r := *b.r
	r.DB = ns[0]
	if kind == "insert" {
		c, err := b.e.ensureCollection(tx, &r, ns[0], ns[1])
		if err != nil {
			return outcome{}, err
		}
		v, err := validatorOf(c, &r, b.a)
		if err != nil {
			return outcome{}, err
		}
		if b.group == nil || b.inserted != op.int(kind) {
			b.group.end()
			b.group, b.inserted = newVector(tx, &r, c), op.int(kind)
		}
		doc := op.document("document")
		b.group.add(len(doc))
		err = b.e.insertOne(tx, &r, c, v, doc)
		b.group.mixed = b.group.mixed || err != nil
		return outcome{matched: 1}, err
	}
	b.group.end()
	b.group = nil
	st := renameArgs(op, map[string]string{"filter": "q", "updateMods": "u", "constants": "c"})
	if kind == "update" {
		return b.e.updateStatement(ctx, tx, &r, ns[1], b.a, st)
	}
	limit := value.Int32(1)
	if op.bool("multi") {
		limit = value.Int32(0)
	}
	st.fields, st.values = append(st.fields, field{name: "limit"}), append(st.values, limit)
	n, err := b.e.deleteStatement(ctx, tx, &r, ns[1], b.a, st)
	return outcome{matched: n}, err
}

// renameArgs renames the arguments of an operation to the names that update and delete statements use.
func renameArgs(op *args, names map[string]string) *args {
	st := &args{fields: append([]field(nil), op.fields...), values: append([]bson.RawValue(nil), op.values...), wire: op.wire}
	for i := range st.fields {
		if to, ok := names[st.fields[i].name]; ok {
			st.fields[i].name = to
		}
	}
	return st
}
