package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/query"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// drop removes a collection or view. A missing one is an error until 7.0, and success from then on.
func (e *Engine) drop(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	if _, err := r.parse([]field{{"comment", 0, anything}, {"collectionUUID", 0, anything}}); err != nil {
		return nil, err
	}
	indexes := -1
	err = e.write(ctx, r, func(tx *store.Txn) error {
		c := tx.Collection(r.DB, name)
		if c == nil {
			if r.WireVersion >= wire70 {
				return nil
			}
			return status.Errorf(errcode.NamespaceNotFound, "ns not found")
		}
		indexes = len(c.Indexes())
		return tx.Drop(r.DB, name)
	})
	if err != nil || indexes < 0 {
		return dst, err
	}
	dst = bson.AppendInt32Element(dst, "nIndexesWas", int32(indexes))
	return bson.AppendStringElement(dst, "ns", r.DB+"."+name), nil
}

// dropDatabase removes every collection of the database.
func (e *Engine) dropDatabase(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	if _, err := r.parse([]field{{"comment", 0, anything}}); err != nil {
		return nil, err
	}
	found := false
	err := e.write(ctx, r, func(tx *store.Txn) error {
		for _, c := range tx.Snapshot().Collections(r.DB) {
			found = true
			if err := tx.Drop(c.DB, c.Name); err != nil {
				return err
			}
		}
		if found {
			tx.NoteDropDatabase(r.DB)
		}
		return nil
	})
	if err != nil || !found {
		return dst, err
	}
	return bson.AppendStringElement(dst, "dropped", r.DB), nil
}

// renameCollection moves a collection to another name, in another database too.
func (e *Engine) renameCollection(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	a, err := r.parse([]field{{"to", 0, text}, {"dropTarget", 0, boolean}, {"stayTemp", 0, boolean}, {"comment", 0, anything}, {"collectionUUID", 0, anything}})
	if err != nil {
		return nil, err
	}
	if r.DB != "admin" {
		return nil, status.Errorf(errcode.Unauthorized, "renameCollection may only be run against the admin database.")
	}
	first, _ := r.Body.Index(0)
	fromDB, from := namespace(value.Text(first.Value))
	toDB, to := namespace(a.text("to"))
	for _, ns := range [...][2]string{{fromDB, from}, {toDB, to}} {
		if err := checkName(ns[0], ns[1]); err != nil {
			return nil, err
		}
	}
	if fromDB == toDB && from == to {
		return nil, status.Errorf(errcode.IllegalOperation, "Can't rename a collection to itself")
	}
	return dst, e.write(ctx, r, func(tx *store.Txn) error {
		c := tx.Collection(fromDB, from)
		switch {
		case c == nil:
			return status.Errorf(errcode.NamespaceNotFound, "Source collection %s.%s does not exist", fromDB, from)
		case c.IsView():
			return status.Errorf(errcode.CommandNotSupportedOnView, "cannot rename view: %s.%s", fromDB, from)
		}
		if old := tx.Collection(toDB, to); old != nil {
			if !a.bool("dropTarget") {
				return status.Errorf(errcode.NamespaceExists, "target namespace exists")
			}
			if err := tx.Drop(toDB, to); err != nil {
				return err
			}
		}
		return tx.Rename(fromDB, from, toDB, to)
	})
}

var collModFields = []field{
	{"index", 0, document}, {"validator", 0, document}, {"validationLevel", 0, text}, {"validationAction", 0, text},
	{"viewOn", 0, text}, {"pipeline", 0, array}, {"expireAfterSeconds", wire50, anything}, {"cappedSize", wire60, integer},
	{"cappedMax", wire60, integer}, {"changeStreamPreAndPostImages", wire60, document}, {"timeseries", wire50, document},
	{"dryRun", wire60, boolean}, {"comment", 0, anything},
}

// collMod changes the options of a collection, the definition of a view, or expireAfterSeconds and hidden of an index. It
// leaves out prepareUnique and unique, timeseries granularity and dryRun.
func (e *Engine) collMod(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(collModFields)
	if err != nil {
		return nil, err
	}
	if err := checkChoices(a); err != nil {
		return nil, err
	}
	err = e.write(ctx, r, func(tx *store.Txn) error {
		c := tx.Collection(r.DB, name)
		if c == nil {
			return status.Errorf(errcode.NamespaceNotFound, "ns does not exist")
		}
		if d := a.document("validator"); len(d) > 5 {
			if _, err := query.Compile(d, query.Options{}); err != nil {
				return err
			}
		}
		if d := a.document("index"); d != nil {
			if dst, err = modifyIndex(tx, c, d, dst); err != nil {
				return err
			}
		}
		return tx.Modify(r.DB, name, modifiedOptions(c.Options, a))
	})
	return dst, err
}

// modifiedOptions are the collection's options with those of the command over them.
func modifiedOptions(o store.Options, a *args) store.Options {
	doc := bson.Raw(orEmpty(o.Document))
	for _, name := range [...]string{"validator", "validationLevel", "validationAction", "viewOn", "pipeline", "expireAfterSeconds", "changeStreamPreAndPostImages"} {
		if v := a.get(name); !v.IsZero() {
			doc = withField(doc, name, v)
		}
	}
	if a.has("cappedSize") {
		o.MaxSize = a.int("cappedSize")
		doc = withField(doc, "size", value.Integer(o.MaxSize))
	}
	if a.has("cappedMax") {
		o.MaxCount = a.int("cappedMax")
		doc = withField(doc, "max", value.Integer(o.MaxCount))
	}
	if o.ViewOn != "" && a.has("viewOn") {
		o.ViewOn = a.text("viewOn")
	}
	if o.ViewOn != "" && a.has("pipeline") {
		o.Pipeline, _ = a.get("pipeline").ArrayOK()
	}
	if a.has("changeStreamPreAndPostImages") {
		o.PreImages = value.Truthy(a.document("changeStreamPreAndPostImages").Lookup("enabled"))
	}
	o.Document = doc
	return o
}

func withField(d bson.Raw, name string, v bson.RawValue) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	done := false
	for key, old := range d.All() {
		if key == name {
			old, done = v, true
		}
		dst = bson.AppendRawValueElement(dst, key, old)
	}
	if !done {
		dst = bson.AppendRawValueElement(dst, name, v)
	}
	return bson.AppendDocumentEnd(dst, start)
}

func modifyIndex(tx *store.Txn, c *store.Collection, d bson.Raw, dst []byte) ([]byte, error) {
	hint := d.Lookup("name")
	if hint.IsZero() {
		hint = d.Lookup("keyPattern")
	}
	x, err := findHint(c, hint)
	if err != nil || x == nil {
		return nil, status.Errorf(errcode.IndexNotFound, "cannot find index %s for ns %s", status.TextOf(hint), c.Namespace())
	}
	for _, name := range [...]string{"expireAfterSeconds", "hidden"} {
		v := d.Lookup(name)
		if v.IsZero() {
			continue
		}
		old := x.Spec.Lookup(name)
		if old.IsZero() {
			old = value.Bool(false)
		}
		dst = bson.AppendRawValueElement(dst, name+"_old", old)
		dst = bson.AppendRawValueElement(dst, name+"_new", v)
		err := tx.ModifyIndex(c.DB, c.Name, x.Name, func(x *store.Index) {
			x.Spec = withField(x.Spec, name, v)
			if n, ok := number.Truncated(v); ok && name == "expireAfterSeconds" {
				x.ExpireAt = &n
			} else {
				x.Hidden = value.Truthy(v)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return dst, nil
}
