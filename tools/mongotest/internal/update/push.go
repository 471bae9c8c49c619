package update

import (
	"math"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// pushOperator is $push with its modifiers.
type pushOperator struct {
	values   []bson.RawValue
	position *int64
	slice    *int64
	sort     func(a, b bson.RawValue) int
}

func newPush(_ string, operand bson.RawValue, o Options) (operator, error) {
	p := &pushOperator{values: []bson.RawValue{operand}}
	if d, ok := operand.DocumentOK(); ok && !path.Field(d, "$each").IsZero() {
		if err := p.readModifiers(d, o.Query.Collation); err != nil {
			return operator{}, err
		}
	}
	return operator{creates: true, appends: true, apply: p.apply}, nil
}

func (p *pushOperator) readModifiers(d bson.Raw, c *collate.Collator) error {
	seen := map[string]bool{}
	for key := range d.All() {
		switch {
		case key != "$each" && key != "$slice" && key != "$sort" && key != "$position":
			return status.Errorf(errcode.BadValue, "Unrecognized clause in $push: %s", key)
		case seen[key]:
			return status.Errorf(errcode.BadValue, "Only one %s is supported.", key)
		}
		seen[key] = true
	}
	each := path.Field(d, "$each")
	if each.Type != bsontype.Array {
		return status.Errorf(errcode.BadValue, "The argument to $each in $push must be an array but it was of type: %s", each.Type)
	}
	p.values = value.Elements(each)
	if v := path.Field(d, "$slice"); !v.IsZero() {
		n, whole := number.ExactInt64(v)
		if !whole {
			return status.Errorf(errcode.BadValue, "The value for $slice must be an integer value but was given type: %s", v.Type)
		}
		p.slice = &n
	}
	if v := path.Field(d, "$sort"); !v.IsZero() {
		if err := p.readSort(v, c); err != nil {
			return err
		}
	}
	if v := path.Field(d, "$position"); !v.IsZero() {
		n, whole := number.ExactInt64(v)
		if !whole {
			return status.Errorf(errcode.BadValue, "The value for $position must be an integer value, not of type: %s", v.Type)
		}
		p.position = &n
	}
	return nil
}

func (p *pushOperator) readSort(v bson.RawValue, c *collate.Collator) error {
	switch d, isDocument := v.DocumentOK(); {
	case isDocument && d.Len() == 0:
		return status.Errorf(errcode.BadValue, "The $sort pattern is empty when it should be a set of fields.")
	case isDocument:
		return p.readSortBy(d, c)
	case !number.Is(v.Type):
		return status.Errorf(errcode.BadValue,
			"The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields")
	}
	direction, err := readDirection(v)
	p.sort = func(x, y bson.RawValue) int { return direction * compare.Values(x, y, c) }
	return err
}

func readDirection(v bson.RawValue) (int, error) {
	n, ok := number.ExactInt64(v)
	if !ok || n != 1 && n != -1 {
		return 0, status.Errorf(errcode.BadValue, "The $sort element value must be either 1 or -1")
	}
	return int(n), nil
}

// readSortBy sorts documents by the values at paths. Unlike the sort of a query, it treats an array as one value.
func (p *pushOperator) readSortBy(d bson.Raw, c *collate.Collator) error {
	type part struct {
		path      path.Path
		direction int
	}
	var parts []part
	for name, v := range d.All() {
		direction, err := readDirection(v)
		if err != nil {
			return err
		}
		fields := path.Parse(name)
		switch {
		case name == "":
			return status.Errorf(errcode.BadValue, "The $sort field cannot be empty")
		case slices.Contains(fields, ""):
			return status.Errorf(errcode.BadValue, "The $sort field is a dotted field but has an empty part: %s", name)
		}
		parts = append(parts, part{fields, direction})
	}
	p.sort = func(x, y bson.RawValue) int {
		for _, part := range parts {
			if d := compare.Values(sortValue(x, part.path), sortValue(y, part.path), c); d != 0 {
				return d * part.direction
			}
		}
		return 0
	}
	return nil
}

func sortValue(v bson.RawValue, p path.Path) bson.RawValue {
	if v.Type == bsontype.EmbeddedDocument {
		if got := p.Lookup(bson.Raw(v.Value)); !got.IsZero() {
			return got
		}
	}
	return value.Null
}

func (p *pushOperator) apply(a *application, old bson.RawValue) (bson.RawValue, error) {
	if !old.IsZero() && old.Type != bsontype.Array {
		return missing, status.Errorf(errcode.BadValue,
			"The field '%s' must be an array but is of type %s in document %s", a.field, old.Type, a.id())
	}
	list := value.Elements(old)
	at := int64(len(list))
	if p.position != nil {
		if at = min(*p.position, at); at < 0 {
			at = max(0, int64(len(list))+at)
		}
	}
	list = slices.Insert(list, int(at), p.values...)
	if p.sort != nil {
		slices.SortStableFunc(list, p.sort)
	}
	if p.slice != nil {
		n := min(int64(len(list)), max(*p.slice, -max(*p.slice, -math.MaxInt64)))
		if *p.slice < 0 {
			list = list[int64(len(list))-n:]
		} else {
			list = list[:n]
		}
	}
	return value.ArrayOf(list...), nil
}
