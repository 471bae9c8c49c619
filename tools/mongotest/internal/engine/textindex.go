package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/fulltext"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// textKeys makes the keys of a text index: the values of the fields before the text fields, then one term.
type textKeys struct {
	*fulltext.Index
	unique bool // the term's score is part of the key, as on a server, so two documents may share a term
}

// Keys returns one key for every term of a document.
func (k textKeys) Keys(doc bson.Raw, yield func(key string)) error {
	var prefix []byte
	for _, name := range k.Prefix {
		v := path.Parse(name).Lookup(doc)
		if v.IsZero() {
			v = value.Null
		}
		if v.Type == bsontype.Array {
			return status.Errorf(17675, "Field '%s' of text index contains an array in document: %s", name, status.Text(doc))
		}
		prefix = compare.AppendKey(prefix, v, nil)
	}
	scores, err := k.Scores(doc)
	for term, score := range scores {
		key := compare.AppendKey(prefix[:len(prefix):len(prefix)], value.String(term), nil)
		if k.unique {
			key = compare.AppendKey(key, value.Double(score), nil)
		}
		yield(string(key))
	}
	return err
}

// readText completes a text index from its specification.
func readText(x *store.Index, plugin string, spec bson.Raw, _ int32) error {
	if plugin != "text" {
		return nil
	}
	t := &fulltext.Index{Weights: map[string]float64{}, Override: "language", Version: 3}
	for name, v := range weights(spec).All() {
		if !number.Is(v.Type) || !(number.Float64(v) > 0 && number.Float64(v) < 1e9) {
			return status.Errorf(errcode.CannotCreateIndex,
				"text index weight must be in the exclusive interval (0,1000000000) but found: %s", status.TextOf(v))
		}
		t.Weights[name] = number.Float64(v)
	}
	for name, v := range bson.Raw(spec.Lookup("key").Value).All() {
		if value.Text(v) == "text" || name == "_ftsx" {
			break
		}
		t.Prefix = append(t.Prefix, name)
	}
	if v := spec.Lookup("language_override"); !v.IsZero() {
		if t.Override = value.Text(v); t.Override == "" || t.Override[0] == '$' {
			return status.Errorf(errcode.CannotCreateIndex, "language_override is not valid")
		}
	}
	if v := spec.Lookup("textIndexVersion"); !v.IsZero() {
		if t.Version = int32(number.Float64(v)); t.Version < 1 || t.Version > 3 {
			return status.Errorf(errcode.CannotCreateIndex, "bad textIndexVersion: %d", t.Version)
		}
	}
	name := "english"
	if v := spec.Lookup("default_language"); !v.IsZero() {
		name = value.Text(v)
	}
	if t.Default = fulltext.Named(name); t.Default == nil {
		return status.Errorf(errcode.CannotCreateIndex, "default_language is not valid")
	}
	x.Maker = textKeys{t, x.Unique}
	return nil
}

// textIndex finds the text index of a collection.
func textIndex(c *store.Collection, namespace string) func() (*fulltext.Index, error) {
	return func() (*fulltext.Index, error) {
		if c == nil {
			return nil, status.Errorf(errcode.IndexNotFound, "text index required for $text query (no such collection '%s')", namespace)
		}
		if x := findText(c); x != nil {
			return x.Maker.(textKeys).Index, nil
		}
		return nil, status.Errorf(errcode.IndexNotFound, "text index required for $text query")
	}
}

func findText(c *store.Collection) *store.Index {
	for _, x := range c.Indexes() {
		if _, ok := x.Maker.(textKeys); ok && !x.Hidden {
			return x
		}
	}
	return nil
}

// fixedValue returns the only value that a query allows at a path.
func fixedValue(name string, constraints []query.Constraint) (v bson.RawValue, ok bool) {
	for _, c := range constraints {
		if c.Path == name && c.Op == "$eq" && !c.Negated && c.Element == nil {
			return c.Values[0], true
		}
	}
	return v, false
}
