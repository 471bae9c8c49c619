// The command collMod: changes the options of a collection, the definition of a view, or an index's expireAfterSeconds,
// hidden, prepareUnique and unique.
//
// Left out: forceNonUnique is refused.

package engine

import (
	"context"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var collModFields = []field{
	{"index", 0, document}, {"validator", 0, document}, {"validationLevel", 0, text}, {"validationAction", 0, text},
	{"viewOn", 0, text}, {"pipeline", 0, pipeline}, {"recordPreImages", wire.Server44, boolean},
	{"changeStreamPreAndPostImages", wire.Server60, document}, {"expireAfterSeconds", wire.Server50, anything},
	{"timeseries", wire.Server50, document}, {"clusteredIndex", wire.Server53, anything}, {"dryRun", wire.Server60, boolean},
	{"timeseriesBucketsMayHaveMixedSchemaData", wire.Server50, boolean},
	{"cappedSize", wire.Server60, integer | positive}, {"cappedMax", wire.Server60, integer},
}

func (e *Engine) collMod(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(collModFields)
	if err != nil {
		return nil, err
	}
	if err := checkChoices(r, a); err != nil {
		return nil, err
	}
	begin := len(dst)
	err = e.write(ctx, r, func(tx *store.Txn) error {
		dst = dst[:begin]
		c := tx.Collection(r.DB, name)
		if c == nil {
			return status.Errorf(errcode.NamespaceNotFound, "ns does not exist")
		}
		o, err := modifiedOptions(tx, r, c, a)
		if err != nil {
			return err
		}
		if d := a.document("index"); d != nil {
			if dst, err = modifyIndex(tx, r, c, d, a.bool("dryRun"), dst); err != nil {
				return err
			}
			if string(documentOrEmpty(o.Document)) == string(documentOrEmpty(c.Options.Document)) {
				return nil
			}
		}
		return tx.Modify(r.DB, name, o)
	})
	return dst, err
}

// onView are the only options that a view has.
var onView = map[string]bool{"viewOn": true, "pipeline": true, "dryRun": true}

// modifiedOptions checks the options of the command and merges them into the collection's options.
func modifiedOptions(tx *store.Txn, r *Request, c *store.Collection, a *args) (store.Options, error) {
	o := c.Options
	for i, f := range a.fields {
		switch {
		case a.values[i].IsZero():
		case c.IsView() && !onView[f.name]:
			return o, status.Errorf(errcode.InvalidOptions, "option not supported on a view: %s", f.name)
		case !c.IsView() && (f.name == "viewOn" || f.name == "pipeline"):
			return o, status.Errorf(errcode.InvalidOptions, "'%s' option only supported on a view", f.name)
		case strings.HasPrefix(f.name, "timeseries") && !isTimeSeries(c):
			return o, status.Errorf(errcode.InvalidOptions, "option only supported on a time-series collection: %s", f.name)
		case f.name == "clusteredIndex":
			return o, status.Errorf(errcode.CommandNotSupported, "collMod does not support '%s' in mongotest", f.name)
		case isTimeSeries(c) && !strings.HasPrefix(f.name, "timeseries") && f.name != "expireAfterSeconds" && f.name != "index":
			return o, status.Errorf(errcode.InvalidOptions, "option not supported on a time-series collection: %s", f.name)
		case (f.name == "cappedSize" || f.name == "cappedMax") && !o.Capped:
			return o, status.Errorf(errcode.InvalidOptions, "Collection must be capped.")
		}
	}
	if a.has("validator") {
		if err := checkValidator(a.document("validator"), documentOrEmpty(o.Document).Lookup("collation")); err != nil {
			return o, err
		}
	}
	if a.has("changeStreamPreAndPostImages") || a.has("recordPreImages") {
		var err error
		if o.PreImages, err = r.readImages(a); err != nil {
			return o, err
		}
	}
	if a.has("timeseries") {
		series, err := modifySeries(r, c, a.document("timeseries"))
		if err != nil {
			return o, err
		}
		o.Document = setField(o.Document, "timeseries", value.Document(series))
	}
	if err := checkCollectionExpiry(c, a.get("expireAfterSeconds")); err != nil {
		return o, err
	}
	return mergeOptions(tx, c, o, a)
}

// checkCollectionExpiry reads the expireAfterSeconds of a clustered or time-series collection.
func checkCollectionExpiry(c *store.Collection, v bson.RawValue) error {
	clustered := !documentOrEmpty(c.Options.Document).Lookup("clusteredIndex").IsZero()
	switch s, isText := v.StringOK(); {
	case v.IsZero():
		return nil
	case !clustered && !isTimeSeries(c):
		return status.Errorf(errcode.InvalidOptions, "'expireAfterSeconds' option is only supported on collections clustered by _id")
	case isText && s == "off":
		return nil
	case isText:
		return status.Errorf(errcode.InvalidOptions,
			"Invalid string value for the 'clusteredIndex::expireAfterSeconds' option. Got: '%s'. Accepted value is 'off'", s)
	case !number.Is(v.Type):
		return status.Errorf(errcode.TypeMismatch,
			"BSON field 'collMod.expireAfterSeconds' is the wrong type '%s', expected types '[string, int, decimal, double, long']", v.Type)
	}
	n, _ := number.TruncateInt64(v)
	return checkExpiry(n)
}

// mergeOptions merges the command's options over the collection's.
func mergeOptions(tx *store.Txn, c *store.Collection, o store.Options, a *args) (store.Options, error) {
	doc := documentOrEmpty(o.Document)
	for _, name := range [...]string{"validator", "validationLevel", "validationAction", "viewOn", "pipeline",
		"changeStreamPreAndPostImages", "recordPreImages", "expireAfterSeconds"} {
		switch v := a.get(name); {
		case v.IsZero():
		case name == "validator" && len(v.Value) <= 5, name == "changeStreamPreAndPostImages" && !o.PreImages,
			value.Text(v) == "off" && name == "expireAfterSeconds":
			doc = dropField(doc, name)
		default:
			doc = setField(doc, name, v)
		}
	}
	if a.has("cappedSize") {
		o.MaxSize = (a.int("cappedSize") + 255) / 256 * 256
		doc = setField(doc, "size", value.Integer(o.MaxSize))
	}
	if a.has("cappedMax") {
		o.MaxCount = max(a.int("cappedMax"), 0)
		doc = setField(doc, "max", value.Integer(o.MaxCount))
	}
	o.Document = doc
	if !c.IsView() || !a.has("viewOn") && !a.has("pipeline") {
		return o, nil
	}
	if a.has("viewOn") {
		if o.ViewOn = a.text("viewOn"); o.ViewOn == "" {
			return o, status.Errorf(errcode.BadValue, "'viewOn' cannot be empty")
		}
	}
	if a.has("pipeline") {
		o.Pipeline, _ = a.get("pipeline").ArrayOK()
	}
	return o, checkView(tx.Snapshot(), c.DB, c.Name, o)
}
