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
