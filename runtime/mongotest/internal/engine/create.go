package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/agg"
	"github.com/specdrivers/onion/runtime/mongotest/internal/collate"
	"github.com/specdrivers/onion/runtime/mongotest/internal/compare"
	"github.com/specdrivers/onion/runtime/mongotest/internal/expr"
	"github.com/specdrivers/onion/runtime/mongotest/internal/query"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

var createFields = []field{
	{"capped", 0, boolean}, {"size", 0, integer}, {"max", 0, integer}, {"autoIndexId", 0, boolean}, {"storageEngine", 0, document},
	{"validator", 0, document}, {"validationLevel", 0, text}, {"validationAction", 0, text}, {"indexOptionDefaults", 0, document},
	{"viewOn", 0, text}, {"pipeline", 0, array}, {"collation", 0, document}, {"timeseries", wire50, document},
	{"expireAfterSeconds", wire50, anything}, {"clusteredIndex", wire50, anything},
	{"changeStreamPreAndPostImages", wire60, document}, {"encryptedFields", wire60, document}, {"idIndex", 0, document},
	{"flags", 0, integer}, {"temp", 0, boolean}, {"comment", 0, anything},
}

// create makes a collection, plain, capped, clustered or time-series, or a view. Clustered and time-series collections
// are stored as plain ones; storageEngine and indexOptionDefaults change nothing.
func (e *Engine) create(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(createFields)
	if err != nil {
		return nil, err
	}
	options, index, err := createOptions(r, a)
	if err != nil {
		return nil, err
	}
	return dst, e.write(ctx, r, func(tx *store.Txn) error {
		if c := tx.Collection(r.DB, name); c != nil {
			if sameOptions(c.Options.Document, options.Document) {
				return nil
			}
			return status.Errorf(errcode.NamespaceExists, "Collection %s already exists. NS: %s", c.Namespace(), c.Namespace())
		}
		tx.Create(r.DB, name, options, index)
		return nil
	})
}

func sameOptions(a, b bson.Raw) bool {
	return compare.Documents(orEmpty(a), orEmpty(b), nil) == 0
}

func orEmpty(d bson.Raw) bson.Raw {
	if d == nil {
		return value.EmptyDocument
	}
	return d
}

func createOptions(r *Request, a *args) (o store.Options, index *store.Index, err error) {
	o = store.Options{Capped: a.bool("capped"), MaxSize: a.int("size"), MaxCount: a.int("max"), ViewOn: a.text("viewOn")}
	switch {
	case o.Capped && o.MaxSize <= 0:
		return o, nil, status.Errorf(errcode.InvalidOptions, "the 'size' field is required when 'capped' is true")
	case !o.Capped && (a.has("size") || a.has("max")):
		return o, nil, status.Errorf(errcode.InvalidOptions, "the 'capped' field needs to be true when either the 'size' or 'max' fields are present")
	case o.ViewOn == "" && a.has("pipeline"):
		return o, nil, status.Errorf(errcode.InvalidOptions, "'pipeline' requires 'viewOn' to also be specified")
	}
	if o.Capped {
		o.MaxSize = (o.MaxSize + 255) / 256 * 256
	}
	col, err := collate.New(a.document("collation"))
	if err != nil {
		return o, nil, err
	}
	if d := a.document("validator"); len(d) > 5 {
		if _, err := query.Compile(d, query.Options{Collation: col}); err != nil {
			return o, nil, err
		}
	}
	if err := checkChoices(a); err != nil {
		return o, nil, err
	}
	if o.ViewOn != "" {
		if o.Pipeline, _ = a.get("pipeline").ArrayOK(); o.Pipeline == nil {
			o.Pipeline = bson.RawArray(value.EmptyDocument)
		}
		if _, err := agg.Compile(value.Array(o.Pipeline), agg.Options{DB: r.DB, Scope: &expr.Scope{Collation: col}, Access: noAccess{}, Nested: "view definition"}); err != nil {
			return o, nil, err
		}
	}
	o.PreImages = value.Truthy(a.document("changeStreamPreAndPostImages").Lookup("enabled"))
	o.Document = shownOptions(a, o)
	index, err = idIndex(col.Spec())
	return o, index, err
}

// noAccess is what a view's definition is checked with: it reads nothing.
type noAccess struct{}

func (noAccess) Open(string, string) (agg.Source, error) { return agg.List(nil), nil }
func (noAccess) Find(string, string, *query.Filter) (agg.Source, error) {
	return agg.List(nil), nil
}
func (noAccess) Initial(name string, _ bson.RawValue) ([]bson.Raw, bool, error) {
	return nil, name == "$collStats" || name == "$indexStats", nil
}

func checkChoices(a *args) error {
	switch a.text("validationLevel") {
	case "", "off", "strict", "moderate":
	default:
		return status.Errorf(errcode.BadValue, "Enumeration value '%s' for field 'create.validationLevel' is not a valid value.", a.text("validationLevel"))
	}
	switch a.text("validationAction") {
	case "", "error", "warn", "errorAndLog":
	default:
		return status.Errorf(errcode.BadValue, "Enumeration value '%s' for field 'create.validationAction' is not a valid value.", a.text("validationAction"))
	}
	return nil
}

// shownOptions are the options as listCollections answers them.
func shownOptions(a *args, o store.Options) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	for i, f := range a.fields {
		v := a.values[i]
		switch {
		case v.IsZero(), f.name == "comment", f.name == "temp", f.name == "idIndex":
			continue
		case f.name == "size":
			v = value.Integer(o.MaxSize)
		case f.name == "capped" && !o.Capped:
			continue
		case f.name == "clusteredIndex" && v.Type != bsontype.EmbeddedDocument:
			continue
		}
		dst = bson.AppendRawValueElement(dst, f.name, v)
	}
	return bson.AppendDocumentEnd(dst, start)
}
