// The command create: a collection, plain, capped, clustered or time-series, or a view.
//
// Left out: clustered and time-series collections are stored as plain ones. A time-series collection has no unique _id
// and no buckets, and does not restrict updates as a server does. storageEngine, indexOptionDefaults and autoIndexId
// are kept and change nothing.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// createFields are in the order in which listCollections shows them.
var createFields = []field{
	{"capped", 0, boolean}, {"size", 0, integer}, {"max", 0, integer}, {"autoIndexId", 0, boolean},
	{"changeStreamPreAndPostImages", wire.Server60, document}, {"recordPreImages", wire.Server44, boolean}, {"storageEngine", 0, document},
	{"indexOptionDefaults", 0, document}, {"validator", 0, document}, {"validationLevel", 0, text},
	{"validationAction", 0, text}, {"collation", 0, document}, {"clusteredIndex", wire.Server53, anything},
	{"expireAfterSeconds", wire.Server50, integer}, {"viewOn", 0, text}, {"pipeline", 0, pipeline}, {"timeseries", wire.Server50, document},
	{"encryptedFields", wire.Server60, document}, {"idIndex", 0, document}, {"flags", 0, integer}, {"temp", 0, boolean},
}

func (e *Engine) create(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(createFields)
	if err != nil || name == "system.views" {
		return dst, err // the first view makes it
	}
	d := &definition{r: r, a: a, name: name, standalone: e.standalone}
	if err := d.read(); err != nil {
		return nil, err
	}
	return dst, e.write(ctx, r, func(tx *store.Txn) error {
		snap := tx.Snapshot()
		if c := snap.Collection(r.DB, name); c != nil {
			return r.checkSameOptions(c, d.options)
		}
		if err := checkNew(snap, r.WireVersion, r.DB, name); err != nil {
			return err
		}
		if d.options.ViewOn != "" {
			if err := checkView(snap, r.DB, name, d.options); err != nil {
				return err
			}
		}
		tx.NewUUID = r.newUUID
		tx.Create(r.DB, name, d.options, d.index)
		return d.indexSeries(tx)
	})
}

// checkSameOptions is the result of a create whose name is taken. Since 7.0 that is no error when the options are the same, but in a
// transaction it is.
func (r *Request) checkSameOptions(c *store.Collection, wanted store.Options) error {
	alike := compare.Documents(documentOrEmpty(c.Options.Document), documentOrEmpty(wanted.Document), nil) == 0
	if alike && r.Txn == nil && r.WireVersion >= wire.Server70 {
		return nil
	}
	switch {
	case c.IsView():
		return status.Errorf(errcode.NamespaceExists, "A view already exists. NS: %s", c.Namespace())
	case isTimeSeries(c):
		return status.Errorf(errcode.NamespaceExists, "A timeseries collection already exists. NS: %s", c.Namespace())
	case r.WireVersion >= wire.Server70:
		return status.Errorf(errcode.NamespaceExists, "Collection %s already exists.", c.Namespace())
	}
	return status.Errorf(errcode.NamespaceExists, "Collection already exists. NS: %s", c.Namespace())
}

func (d *definition) read() error {
	a := d.a
	d.shown = map[string]bson.RawValue{}
	d.options = store.Options{Capped: a.bool("capped"), ViewOn: a.text("viewOn")}
	for _, step := range [...]func() error{d.readCapped, d.readCollation, d.readIDIndex, d.readValidator, d.readImages,
		d.readEncrypted, d.readClustered, d.readTimeSeries, d.readView} {
		if err := step(); err != nil {
			return err
		}
	}
	if a.has("expireAfterSeconds") {
		if !a.has("timeseries") && !a.has("clusteredIndex") {
			return status.Errorf(errcode.InvalidOptions,
				"'expireAfterSeconds' is only supported on time-series collections or when the 'clusteredIndex' option is specified")
		}
		if err := checkExpiry(a.int("expireAfterSeconds")); err != nil {
			return err
		}
	}
	d.options.Document = d.show()
	return nil
}

func (d *definition) readCapped() error {
	a, o := d.a, &d.options
	switch {
	case o.Capped && !a.has("size"):
		return status.Errorf(errcode.InvalidOptions, "the 'size' field is required when 'capped' is true")
	case !o.Capped && (a.has("size") || a.has("max")):
		return status.Errorf(errcode.InvalidOptions,
			"the 'capped' field needs to be true when either the 'size' or 'max' fields are present")
	case a.has("size") && a.int("size") < 1:
		return status.Errorf(51024, "BSON field 'size' value must be >= 1, actual value '%d'", a.int("size"))
	case a.int("size") > 1<<50:
		return status.Errorf(errcode.BadValue, "size cannot exceed 1 PB")
	case a.int("max") >= 1<<31:
		return status.Errorf(errcode.BadValue, "max in a capped collection has to be < 2^31 or not set")
	}
	if o.Capped {
		o.MaxSize, o.MaxCount = (a.int("size")+255)/256*256, max(a.int("max"), 0)
		d.shown["size"] = value.Integer(o.MaxSize)
		if a.has("max") {
			d.shown["max"] = value.Integer(a.int("max"))
		}
	}
	return nil
}

func (d *definition) readCollation() error {
	if d.a.has("collation") && d.a.document("collation").Len() == 0 {
		return status.Errorf(errcode.Location40414, "BSON field 'create.collation.locale' is missing but a required field")
	}
	col, err := collate.New(d.a.document("collation"))
	if err != nil {
		return err
	}
	d.shown["collation"] = bson.RawValue{}
	if col != nil {
		d.shown["collation"] = value.Document(col.Spec())
	}
	d.index, err = idIndex(col.Spec())
	return err
}

// readIDIndex checks a specification of the index on _id. It can only describe the default one.
func (d *definition) readIDIndex() error {
	if d.a.bool("temp") && d.r.WireVersion >= wire.Server70 {
		return status.Errorf(errcode.InvalidOptions, "the 'temp' field is an invalid option")
	}
	spec := d.a.document("idIndex")
	if spec == nil || d.options.ViewOn != "" {
		return nil
	}
	x, err := newIndexOf(spec, d.r.WireVersion)
	switch {
	case err != nil:
		return err
	case !sameKey(x.KeyPattern(), d.index.KeyPattern()):
		return status.Errorf(errcode.BadValue, "The field 'key' for an _id index must be {_id: 1}, but got %s", status.Text(x.KeyPattern()))
	case x.Collation != nil && !collate.Same(x.Collation, d.index.Collation):
		return status.Errorf(errcode.BadValue, "'idIndex' must have the same collation as the collection.")
	}
	return nil
}

func (d *definition) readValidator() error {
	if err := checkChoices(d.r, d.a); err != nil {
		return err
	}
	return checkValidator(d.a.document("validator"), d.shown["collation"])
}

// checkValidator compiles a validator. An empty one counts as none.
func checkValidator(spec bson.Raw, collation bson.RawValue) error {
	c, _ := collation.DocumentOK()
	col, err := collate.New(c)
	if err == nil && spec.Len() > 0 {
		_, err = query.Compile(spec, query.Options{Collation: col, NoNear: true})
	}
	return err
}

// checkChoices refuses an unknown validation level or action.
func checkChoices(r *Request, a *args) error {
	if err := checkChoice(r.Name, a, "validationLevel", "off", "strict", "moderate"); err != nil {
		return err
	}
	actions := []string{"error", "warn", "errorAndLog"}
	if r.WireVersion < wire.Server81 {
		actions = actions[:2]
	}
	return checkChoice(r.Name, a, "validationAction", actions...)
}

var imagesFields = []field{{"enabled", 0, flag | required}}

func (d *definition) readImages() error {
	on, err := d.r.readImages(d.a)
	if on && d.options.ViewOn != "" {
		return status.Errorf(errcode.InvalidOptions, "option not supported on a view: changeStreamPreAndPostImages")
	}
	d.options.PreImages = on
	if err == nil && !on && d.a.has("changeStreamPreAndPostImages") {
		d.shown["changeStreamPreAndPostImages"] = bson.RawValue{}
	}
	return err
}

// readImages reads the changeStreamPreAndPostImages of create and collMod.
func (r *Request) readImages(a *args) (on bool, err error) {
	spec := a.document("changeStreamPreAndPostImages")
	if spec == nil {
		return a.bool("recordPreImages"), nil
	}
	in, err := r.parseStatement(r.Name+".changeStreamPreAndPostImages", spec, imagesFields)
	return err == nil && in.bool("enabled"), err
}

func (d *definition) readEncrypted() error {
	switch a := d.a; {
	case !a.has("encryptedFields"):
	case a.bool("capped"):
		return status.Errorf(6367301, "Encrypted fields cannot be used with capped collections")
	case a.has("viewOn"), a.has("timeseries"):
		return status.Errorf(6346401, "Encrypted fields cannot be used with views or timeseries collections")
	case d.standalone:
		return status.Errorf(6346402, "Encrypted collections are not supported on standalone")
	default:
		return d.r.checkEncryptedFields(d.name, a.document("encryptedFields"))
	}
	return nil
}

var clusteredFields = []field{
	{"v", 0, integer}, {"key", 0, document | required}, {"name", 0, text}, {"unique", 0, boolean | required},
}

func (d *definition) readClustered() error {
	v := d.a.get("clusteredIndex")
	spec, ok := v.DocumentOK()
	switch {
	case v.IsZero():
		return nil
	case !ok:
		return status.Errorf(errcode.BadValue, "'clusteredIndex' has to be a document.")
	}
	in, err := d.r.parseStatement("create.clusteredIndex", spec, clusteredFields)
	switch {
	case err != nil:
		return err
	case !in.bool("unique"):
		return status.Errorf(5979700, "The clusteredIndex option requires unique: true to be specified")
	case status.Text(in.document("key")) != "{ _id: 1 }":
		return status.Errorf(5979701, "The clusteredIndex option is only supported for key: {_id: 1}")
	case in.has("v") && in.int("v") != 2:
		return status.Errorf(5979704,
			"Invalid clusteredIndex specification %s; cannot create a clusteredIndex with v=%d", status.Text(spec), in.int("v"))
	}
	shown, start := bson.AppendDocumentStart(nil)
	shown = bson.AppendInt32Element(shown, "v", 2)
	shown = bson.AppendDocumentElement(shown, "key", in.document("key"))
	name := in.text("name")
	if name == "" {
		name = idName
	}
	shown = bson.AppendStringElement(shown, "name", name)
	shown = bson.AppendBooleanElement(shown, "unique", true)
	d.shown["clusteredIndex"] = value.Document(bson.AppendDocumentEnd(shown, start))
	return nil
}

// show returns the options as listCollections shows them.
func (d *definition) show() bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	for i, f := range d.a.fields {
		v := d.a.values[i]
		if other, ok := d.shown[f.name]; ok {
			v = other
		}
		switch {
		case v.IsZero(), f.name == "temp", f.name == "idIndex", f.name == "flags", f.name == "capped" && !d.options.Capped,
			f.name == "validator" && len(v.Value) <= 5:
			continue
		case f.name == "capped", f.name == "autoIndexId", f.name == "recordPreImages":
			v = value.Bool(value.IsTruthy(v))
		case v.Type == bsontype.Double && f.kind&kinds == integer:
			v = value.Integer(d.a.int(f.name))
		}
		dst = bson.AppendRawValueElement(dst, f.name, v)
	}
	return bson.AppendDocumentEnd(dst, start)
}
