package order

import (
	"errors"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Field is one part of an order.
type Field struct {
	Name       string
	Descending bool
	Meta       string // the kind of metadata to order by instead of a field; Name is then not the name of a field
}

// Order is a parsed sort document. It may be used by several goroutines.
type Order struct {
	Fields    []Field
	paths     []path.Path
	collation *collate.Collator
	metadata  Metadata
}

// Metadata finds the metadata of a document.
type Metadata func(doc bson.Raw, kind string) bson.RawValue

// Parse reads a sort document; an empty one gives nil.
func Parse(spec bson.Raw, c *collate.Collator) (*Order, error) { return ParseMeta(spec, c, nil) }

// ParseMeta is Parse for documents with metadata to order by.
func ParseMeta(spec bson.Raw, c *collate.Collator, of Metadata) (*Order, error) {
	o := &Order{collation: c, metadata: of}
	for name, v := range spec.All() {
		if d, ok := v.DocumentOK(); ok {
			kind, err := meta(d)
			if err == nil && of == nil {
				kind = strings.Replace(kind, "textScore", "text score", 1)
				err = status.Errorf(40218, "query requires %s metadata, but it is not available", kind)
			}
			if err != nil {
				return nil, err
			}
			o.Fields = append(o.Fields, Field{Name: "{$meta: " + kind + "}", Descending: true, Meta: kind})
			o.paths = append(o.paths, path.Path{""})
			continue
		}
		if !number.Is(v.Type) {
			return nil, status.Errorf(errcode.Location15974, "Illegal key in $sort specification: %s: %s", name, status.TextOf(v))
		}
		n, ok := number.TruncateInt64(v)
		if !ok || n != 1 && n != -1 {
			return nil, status.Errorf(errcode.Location15975, "$sort key ordering must be 1 (for ascending) or -1 (for descending)")
		}
		p, err := path.ParseField(name, true)
		if err != nil {
			return nil, err
		}
		o.Fields = append(o.Fields, Field{Name: name, Descending: n < 0})
		o.paths = append(o.paths, p)
	}
	if len(o.Fields) == 0 {
		return nil, nil
	}
	return o, nil
}

// CheckDuplicates refuses a sort document that names a field twice, as servers do since 7.0.
func CheckDuplicates(spec bson.Raw, version int32) error {
	seen := map[string]bool{}
	for name := range spec.All() {
		if seen[name] && version >= wire.Server70 {
			return status.Errorf(7472500, "$sort key must not contain duplicate keys (duplicate: '%s')", name)
		}
		seen[name] = true
	}
	return nil
}

// meta reads {$meta: kind}. There are no vector searches that leave scores.
func meta(d bson.Raw) (kind string, err error) {
	first, _ := d.Index(0)
	name, _ := first.Value.StringOK()
	switch {
	case first.Key != "$meta":
		return "", status.Errorf(17312, "$meta is the only expression supported by $sort right now")
	case d.Len() > 1:
		return "", status.Errorf(errcode.FailedToParse, "Cannot have additional keys in a $meta sort specification")
	case name == "textScore", name == "randVal", strings.HasPrefix(name, "geoNear"):
		return name, nil
	case name == "searchScore", name == "vectorSearchScore", name == "score":
		return "", status.Errorf(40218, "query requires %s metadata, but it is not available (mongotest has no Atlas Search)", name)
	}
	return "", status.Errorf(31138, "Illegal $meta sort: $meta: %s", status.TextOf(first.Value))
}

// Key makes bytes that order as the documents do. An array counts by its least element, or its greatest when descending.
func (o *Order) Key(doc bson.Raw) (string, error) {
	var best string
	found := false
	_, err := path.Keys(doc, o.paths, func(values []bson.RawValue) {
		var key []byte
		for i, v := range values {
			if o.Fields[i].Meta != "" {
				v = o.metadata(doc, o.Fields[i].Meta)
			}
			if v.IsZero() {
				v = value.Null
			}
			key = o.append(key, i, v)
		}
		if s := string(key); !found || s < best {
			best, found = s, true
		}
	})
	if errors.Is(err, path.ErrParallelArrays) {
		err = status.Errorf(errcode.BadValue, "cannot sort with keys that are parallel arrays")
	}
	if err != nil {
		return "", err
	}
	return best, nil
}

// Values returns the values of a document that decide its place in the order.
func (o *Order) Values(doc bson.Raw) (best []bson.RawValue) {
	least := ""
	_, _ = path.Keys(doc, o.paths, func(values []bson.RawValue) {
		var key []byte
		list := make([]bson.RawValue, len(values))
		for i, v := range values {
			if o.Fields[i].Meta != "" {
				v = o.metadata(doc, o.Fields[i].Meta)
			}
			if v.IsZero() {
				v = value.Null
			}
			list[i] = v
			key = o.append(key, i, v)
		}
		if best == nil || string(key) < least {
			best, least = list, string(key)
		}
	})
	return best
}

// append adds what a key has of the i-th field.
func (o *Order) append(key []byte, i int, v bson.RawValue) []byte {
	from := len(key)
	if key = compare.AppendKey(key, v, o.collation); o.Fields[i].Descending {
		compare.Invert(key[from:])
	}
	return key
}

// Sort sorts documents stably, until the check stops it.
func (o *Order) Sort(docs []bson.Raw, check *interrupt.Check) error {
	type keyed struct {
		key string
		doc bson.Raw
	}
	list := make([]keyed, len(docs))
	for i, d := range docs {
		if err := check.Err(); err != nil {
			return err
		}
		key, err := o.Key(d)
		if err != nil {
			return err
		}
		list[i] = keyed{key, d}
	}
	if err := interrupt.SortStable(list, func(a, b keyed) int { return strings.Compare(a.key, b.key) }, check); err != nil {
		return err
	}
	for i := range list {
		docs[i] = list[i].doc
	}
	return nil
}
