package order

import (
	"errors"
	"strings"

	"github.com/specdrivers/onion/bson"
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
}

// Order is a parsed sort document. It may be used by several goroutines.
type Order struct {
	Fields    []Field
	paths     []path.Path
	collation *collate.Collator
}

// Parse reads a sort document; an empty one gives nil.
func Parse(spec bson.Raw, c *collate.Collator) (*Order, error) {
	o := &Order{collation: c}
	for name, v := range spec.All() {
		if d, ok := v.DocumentOK(); ok {
			return nil, meta(d)
		}
		if !number.Is(v.Type) {
			return nil, status.Errorf(errcode.Location15974, "Illegal key in $sort specification: %s: %s", name, status.TextOf(v))
		}
		n, ok := number.Truncated(v)
		if !ok || n != 1 && n != -1 {
			return nil, status.Errorf(errcode.Location15975, "$sort key ordering must be 1 (for ascending) or -1 (for descending)")
		}
		p, err := path.ParseField(name, true)
		if err != nil {
			return nil, err
		}
		o.Fields = append(o.Fields, Field{name, n < 0})
		o.paths = append(o.paths, p)
	}
	if len(o.Fields) == 0 {
		return nil, nil
	}
	return o, nil
}

// meta refuses {$meta: ...}: there are no text or vector searches that leave scores.
func meta(d bson.Raw) error {
	first, _ := d.Index(0)
	name, _ := first.Value.StringOK()
	switch {
	case first.Key != "$meta":
		return status.Errorf(17312, "$meta is the only expression supported by $sort right now")
	case d.Len() > 1:
		return status.Errorf(errcode.FailedToParse, "Cannot have additional keys in a $meta sort specification")
	case name == "textScore":
		return status.Errorf(40218, "query requires text score metadata, but it is not available")
	case name == "randVal", name == "searchScore", name == "vectorSearchScore", name == "score", strings.HasPrefix(name, "geoNear"):
		return status.Errorf(errcode.CommandNotSupported, "a sort by $meta: %q is not supported: mongotest keeps no such metadata", name)
	}
	return status.Errorf(31138, "Illegal $meta sort: $meta: %s", status.TextOf(first.Value))
}

// Key makes bytes that order as the documents do. An array counts by its least element, or its greatest when descending.
func (o *Order) Key(doc bson.Raw) (string, error) {
	var best string
	found := false
	_, err := path.Keys(doc, o.paths, func(values []bson.RawValue) {
		var key []byte
		for i, v := range values {
			if v.IsZero() {
				v = value.Null
			}
			from := len(key)
			if key = compare.AppendKey(key, v, o.collation); o.Fields[i].Descending {
				compare.Invert(key[from:])
			}
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
