package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var modifyIndexFields = []field{
	{"name", 0, text}, {"keyPattern", 0, document}, {"expireAfterSeconds", 0, integer}, {"hidden", wire.Server44, boolean},
	{"unique", wire.Server52, boolean}, {"prepareUnique", wire.Server52, boolean}, {"forceNonUnique", wire.Server70, boolean},
}

// modifyIndex runs the index part of a collMod. A request that matches the current value changes nothing, and the reply
// leaves it out.
func modifyIndex(tx *store.Txn, r *Request, c *store.Collection, d bson.Raw, dry bool, dst []byte) ([]byte, error) {
	if r.WireVersion < wire.Server50 {
		for key := range d.All() {
			if key != "name" && key != "keyPattern" && key != "expireAfterSeconds" && (key != "hidden" || r.WireVersion < wire.Server44) {
				return nil, status.Errorf(errcode.InvalidOptions, "Unrecognized field '%s' in 'index' option", key)
			}
		}
	}
	a, err := r.parseStatement("collMod.index", d, modifyIndexFields)
	if err != nil {
		return nil, err
	}
	switch {
	case a.has("name") && a.has("keyPattern"):
		return nil, status.Errorf(errcode.InvalidOptions, "Cannot specify both key pattern and name.")
	case !a.has("name") && !a.has("keyPattern"):
		return nil, status.Errorf(errcode.InvalidOptions, "Must specify either index name or key pattern.")
	case !a.has("expireAfterSeconds") && !a.has("hidden") && !a.has("unique") && !a.has("prepareUnique") && !a.has("forceNonUnique"):
		return nil, status.Errorf(errcode.InvalidOptions, "no expireAfterSeconds, hidden, unique, or prepareUnique field")
	case a.has("forceNonUnique"):
		return nil, status.Errorf(errcode.CommandNotSupported, "collMod does not support 'forceNonUnique' in mongotest")
	}
	x, err := modifiedIndex(c, a)
	if err != nil {
		return nil, err
	}
	m := &indexChange{tx: tx, c: c, x: x, a: a, wire: r.WireVersion, dry: dry, dst: dst}
	for _, step := range [...]func() error{m.setExpiry, m.setHidden, m.prepare, m.makeUnique, m.apply} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return m.dst, nil
}

// modifiedIndex finds the index by its name or key.
func modifiedIndex(c *store.Collection, a *args) (*store.Index, error) {
	which := a.get("name")
	if which.IsZero() {
		which = a.get("keyPattern")
	}
	found := indexesBy(c, which)
	shown := value.Text(which)
	if which.Type == bsontype.EmbeddedDocument {
		shown = status.TextOf(which)
	}
	switch {
	case len(found) == 0:
		return nil, status.Errorf(errcode.IndexNotFound, "cannot find index %s for ns %s", shown, c.Namespace())
	case len(found) > 1:
		return nil, status.Errorf(errcode.AmbiguousIndexKeyPattern,
			"index keyPattern %s matches %d indexes, must use index name. Conflicting indexes:%s, %s",
			shown, len(found), status.Text(found[0].Spec), status.Text(found[1].Spec))
	}
	return found[0], nil
}

// indexChange is one collMod that changes an index.
type indexChange struct {
	tx   *store.Txn
	c    *store.Collection
	x    *store.Index
	a    *args
	wire int32
	dry  bool
	dst  []byte

	changes []func(*store.Index)
}

func (m *indexChange) set(change func(*store.Index)) error {
	m.changes = append(m.changes, change)
	return nil
}

// apply makes all changes together, so the oplog has one entry.
func (m *indexChange) apply() error {
	if m.dry || len(m.changes) == 0 {
		return nil
	}
	return m.tx.ModifyIndex(m.c.DB, m.c.Name, m.x.Name, func(x *store.Index) {
		for _, change := range m.changes {
			change(x)
		}
	})
}

func (m *indexChange) setExpiry() error {
	v := m.a.get("expireAfterSeconds")
	if v.IsZero() {
		return nil
	}
	n := m.a.int("expireAfterSeconds")
	old := m.x.Spec.Lookup("expireAfterSeconds")
	switch {
	case m.c.Options.Capped && m.wire < wire.Server80:
		return status.Errorf(errcode.InvalidOptions, "TTL indexes are not supported for capped collections.")
	case checkExpiry(n) != nil:
		return checkExpiry(n)
	case old.IsZero() && m.x.Name == idName:
		return status.Errorf(errcode.InvalidOptions, "the _id field does not support TTL indexes")
	case old.IsZero() && m.wire < wire.Server51:
		return status.Errorf(errcode.InvalidOptions, "no expireAfterSeconds field to update")
	case old.IsZero() && len(m.x.Fields) != 1:
		return status.Errorf(errcode.InvalidOptions, "TTL indexes are single-field indexes, compound indexes do not support TTL")
	}
	if !old.IsZero() {
		m.dst = bson.AppendRawValueElement(m.dst, "expireAfterSeconds_old", value.Int64(wholeNumber(old)))
	}
	m.dst = bson.AppendRawValueElement(m.dst, "expireAfterSeconds_new", value.Int64(n))
	return m.set(func(x *store.Index) { x.Spec, x.ExpireAt = setField(x.Spec, "expireAfterSeconds", value.Int64(n)), &n })
}

func wholeNumber(v bson.RawValue) int64 {
	n, _ := number.TruncateInt64(v)
	return n
}

func (m *indexChange) setHidden() error {
	on := m.a.bool("hidden")
	switch {
	case !m.a.has("hidden"):
		return nil
	case m.x.Name == idName:
		return status.Errorf(errcode.BadValue, "can't hide _id index")
	case m.x.Hidden == on:
		return nil
	}
	m.dst = bson.AppendBooleanElement(m.dst, "hidden_old", !on)
	m.dst = bson.AppendBooleanElement(m.dst, "hidden_new", on)
	return m.set(func(x *store.Index) {
		x.Hidden = on
		x.Spec = setFlag(x.Spec, "hidden", on)
	})
}

// setFlag returns the specification with a field that is true when on, and absent otherwise.
func setFlag(spec bson.Raw, name string, on bool) bson.Raw {
	spec = dropField(spec, name)
	if !on {
		return spec
	}
	return setField(spec, name, value.Bool(true))
}

// prepare makes an index refuse new duplicates, so it can become unique later.
func (m *indexChange) prepare() error {
	on, was := m.a.bool("prepareUnique"), value.IsTruthy(m.x.Spec.Lookup("prepareUnique"))
	if !m.a.has("prepareUnique") || on == was || value.IsTruthy(m.x.Spec.Lookup("unique")) {
		return nil
	}
	m.dst = bson.AppendBooleanElement(m.dst, "prepareUnique_old", was)
	m.dst = bson.AppendBooleanElement(m.dst, "prepareUnique_new", on)
	return m.set(func(x *store.Index) {
		x.Unique = on
		x.Spec = setFlag(x.Spec, "prepareUnique", on)
	})
}

// makeUnique makes a prepared index unique once it has no duplicates.
func (m *indexChange) makeUnique() error {
	switch {
	case !m.a.has("unique"):
		return nil
	case !m.a.bool("unique"):
		return status.Errorf(errcode.BadValue, "Cannot make index non-unique")
	case value.IsTruthy(m.x.Spec.Lookup("unique")):
		return nil
	case !m.dry && !value.IsTruthy(m.x.Spec.Lookup("prepareUnique")):
		return status.Errorf(errcode.InvalidOptions, "Cannot make index unique with 'prepareUnique=false'. Run collMod to set it first.")
	}
	if groups := m.c.Duplicates(m.x); len(groups) > 0 {
		return errViolations(groups)
	}
	m.dst = bson.AppendBooleanElement(m.dst, "unique_new", true)
	return m.set(func(x *store.Index) {
		x.Unique, x.Spec = true, setField(dropField(x.Spec, "prepareUnique"), "unique", value.Bool(true))
	})
}

// errViolations is the error of an index that cannot become unique, with the documents that prevent it.
func errViolations(groups [][]*store.Record) error {
	e := status.Errorf(errcode.CannotConvertIndexToUnique,
		"Cannot convert the index to unique. Please resolve conflicting documents before running collMod again.")
	info, start := bson.AppendDocumentStart(nil)
	info, list := bson.AppendArrayElementStart(info, "violations")
	for i, group := range groups {
		ids := make([]bson.RawValue, len(group))
		for j, rec := range group {
			ids[j] = id(rec.Doc)
		}
		doc, in := bson.AppendDocumentStart(nil)
		doc = bson.AppendRawValueElement(doc, "ids", value.ArrayOf(ids...))
		info = value.AppendIndexed(info, i, value.Document(bson.AppendDocumentEnd(doc, in)))
	}
	e.Info = bson.AppendDocumentEnd(bson.AppendDocumentEnd(info, list), start)
	return e
}
