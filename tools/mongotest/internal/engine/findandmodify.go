// The command findAndModify: changes or removes one document and returns it as it was before or after.
//
// Left out: shard keys; sampleId is ignored.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/project"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var findAndModifyFields = []field{
	{"query", 0, document}, {"sort", 0, document}, {"remove", 0, boolean}, {"update", 0, updating}, {"new", 0, boolean},
	{"fields", 0, document}, {"upsert", 0, boolean}, {"bypassDocumentValidation", 0, boolean}, {"arrayFilters", 0, array},
	{"hint", wire.Server44, hint}, {"collation", 0, document}, {"let", wire.Server50, document}, {"stmtId", 0, integer},
	{"collectionUUID", wire.Server60, uuid}, {"encryptionInformation", wire.Server60, document}, {"sampleId", wire.Server60, uuid},
	{"runtimeConstants", 0, document}, {"stmtIds", wire.Server50, array},
	{"bypassEmptyTsReplacement", wire.Server50, boolean},
}

func (e *Engine) findAndModify(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(findAndModifyFields)
	if err != nil {
		return nil, err
	}
	if err := checkFindAndModify(a); err != nil {
		return nil, err
	}
	statement := statementID(a, 0)
	if o, done := r.findExecuted(statement); done {
		return r.appendRetriedOne(append(dst, o.reply...), statement), nil
	}
	var reply []byte
	err = e.write(ctx, r, func(tx *store.Txn) error {
		if err := r.checkUUIDIn(tx, a, r.DB, name); err != nil {
			return err
		}
		if err := r.begin(tx, statement); err != nil {
			return settle(err)
		}
		reply, err = e.modifyOne(tx, r, name, a)
		if err == nil && tx.HasWritten() {
			r.remember(statement, outcome{at: tx.Time(), reply: reply})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return append(dst, reply...), nil
}

func checkFindAndModify(a *args) error {
	remove := a.bool("remove")
	switch {
	case !remove && !a.has("update"):
		return status.Errorf(errcode.FailedToParse, "Either an update or remove=true must be specified")
	case remove && a.has("update"):
		return status.Errorf(errcode.FailedToParse, "Cannot specify both an update and remove=true")
	case remove && a.bool("upsert"):
		return status.Errorf(errcode.FailedToParse, "Cannot specify both upsert=true and remove=true")
	case remove && a.bool("new"):
		return status.Errorf(errcode.FailedToParse,
			"Cannot specify both new=true and remove=true; 'remove' always returns the deleted document")
	case remove && a.has("arrayFilters"):
		return status.Errorf(errcode.FailedToParse, "Cannot specify arrayFilters and remove=true")
	}
	return nil
}

// modification is what a findAndModify did.
type modification struct {
	value    bson.Raw
	position int
	n        int32
	existing bool
	upserted bson.RawValue
	remove   bool
}

func (e *Engine) modifyOne(tx *store.Txn, r *Request, name string, a *args) ([]byte, error) {
	t, err := e.newTarget(tx, r.DB, name, a, a, "query")
	if err != nil {
		return nil, err
	}
	var p *project.Projection
	if d := a.document("fields"); len(d) > 5 {
		if p, err = project.Compile(d, project.Options{Filter: t.filter, Scope: t.query.Scope}); err != nil {
			return nil, err
		}
	}
	m, err := e.modify(tx, r, name, a, t)
	if err != nil {
		return nil, err
	}
	if m.value != nil && p != nil {
		if m.value, err = p.Apply(m.value, m.position); err != nil {
			return nil, addActivity(r, "", err)
		}
	}
	return m.append(nil), nil
}

func (e *Engine) modify(tx *store.Txn, r *Request, name string, a *args, t *target) (m modification, err error) {
	if err := checkNotSeries(t.c); err != nil {
		return m, err
	}
	m.remove = a.bool("remove")
	var ch *changer
	if !m.remove {
		if ch, err = e.newChanger(r, t, name, a, a.get("update"), nil); err != nil {
			return m, err
		}
		if ch.valid, err = validatorOf(t.c, r, a); err != nil {
			return m, err
		}
	}
	err = m.execute(tx, r, name, a, t, ch)
	return m, addActivity(r, "", err)
}

// execute finds the document and changes it. A nil ch removes it.
func (m *modification) execute(tx *store.Txn, r *Request, name string, a *args, t *target, ch *changer) error {
	f, ok, err := t.records().nextRaw()
	switch {
	case err != nil:
		return err
	case ok && m.remove:
		if err := r.checkRemovable(t.c); err != nil {
			return err
		}
		m.value, m.position, m.n = f.rec.Doc, f.position, 1
		return tx.Delete(r.DB, name, f.rec)
	case ok:
		m.value, m.position, m.n, m.existing = f.rec.Doc, f.position, 1, true
		after, err := ch.replace(tx, f)
		if a.bool("new") && after != nil {
			m.value = after
		}
		return err
	case m.remove || !a.bool("upsert"):
		return nil
	}
	doc, err := ch.upsert(tx)
	if err != nil {
		return err
	}
	m.n, m.position, m.upserted = 1, -1, id(doc)
	if a.bool("new") {
		m.value = doc
	}
	return nil
}

func (m *modification) append(dst []byte) []byte {
	dst, start := bson.AppendDocumentElementStart(dst, "lastErrorObject")
	dst = bson.AppendInt32Element(dst, "n", m.n)
	if !m.remove {
		dst = bson.AppendBooleanElement(dst, "updatedExisting", m.existing)
	}
	if !m.upserted.IsZero() {
		dst = bson.AppendRawValueElement(dst, "upserted", m.upserted)
	}
	dst = bson.AppendDocumentEnd(dst, start)
	v := value.Null
	if m.value != nil {
		v = value.Document(m.value)
	}
	return bson.AppendRawValueElement(dst, "value", v)
}
