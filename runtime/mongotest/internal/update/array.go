package update

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/compare"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/order"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/query"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// pushing is $push with its modifiers.
type pushing struct {
	values     []bson.RawValue
	position   *int64
	slice      *int64
	sort       bool
	descending bool // of whole values
	order      *order.Order
	options    Options
}

func push(_ string, operand bson.RawValue, o Options) (operator, error) {
	p := &pushing{values: []bson.RawValue{operand}, options: o}
	if d, ok := operand.DocumentOK(); ok && !path.Field(d, "$each").IsZero() {
		if err := p.modifiers(d); err != nil {
			return operator{}, err
		}
	}
	return operator{creates: true, apply: p.apply}, nil
}

func (p *pushing) modifiers(d bson.Raw) error {
	for key, v := range d.All() {
		n, whole := number.Whole(v)
		switch key {
		case "$each":
			if v.Type != bsontype.Array {
				return status.Errorf(errcode.BadValue, "The argument to $each in $push must be an array but it was of type: %s", v.Type)
			}
			p.values = value.Elements(v)
		case "$position":
			if !whole {
				return status.Errorf(errcode.BadValue, "The value for $position must be an integer value, not of type: %s", v.Type)
			}
			p.position = &n
		case "$slice":
			if !whole {
				return status.Errorf(errcode.BadValue, "The value for $slice must be an integer value but was given type: %s", v.Type)
			}
			p.slice = &n
		case "$sort":
			if err := p.sorting(v); err != nil {
				return err
			}
		default:
			return status.Errorf(errcode.BadValue, "Unrecognized clause in $push: %s", key)
		}
	}
	return nil
}

func (p *pushing) sorting(v bson.RawValue) (err error) {
	p.sort = true
	if d, ok := v.DocumentOK(); ok {
		p.order, err = order.Parse(d, p.options.Query.Collation)
		return err
	}
	n, ok := number.Whole(v)
	if !ok || n != 1 && n != -1 {
		return status.Errorf(errcode.BadValue, "The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields")
	}
	p.descending = n < 0
	return nil
}

func (p *pushing) apply(a *application, old bson.RawValue) (bson.RawValue, error) {
	if !old.IsZero() && old.Type != bsontype.Array {
		return missing, status.Errorf(errcode.BadValue, "The field '%s' must be an array but is of type %s in document %s", a.field, old.Type, a.id())
	}
	list := value.Elements(old)
	at := int64(len(list))
	if p.position != nil {
		if at = min(*p.position, at); at < 0 {
			at = max(0, int64(len(list))+at)
		}
	}
	list = slices.Insert(list, int(at), p.values...)
	if p.sort {
		if err := p.arrange(list); err != nil {
			return missing, err
		}
	}
	if p.slice != nil {
		n := min(int64(len(list)), max(*p.slice, -*p.slice))
		if *p.slice < 0 {
			list = list[int64(len(list))-n:]
		} else {
			list = list[:n]
		}
	}
	return value.ArrayOf(list...), nil
}

func (p *pushing) arrange(list []bson.RawValue) error {
	c := p.options.Query.Collation
	if p.order == nil {
		slices.SortStableFunc(list, func(x, y bson.RawValue) int {
			if p.descending {
				x, y = y, x
			}
			return compare.Values(x, y, c)
		})
		return nil
	}
	keys := map[string]string{}
	for _, v := range list {
		d := value.EmptyDocument
		if v.Type == bsontype.EmbeddedDocument {
			d = bson.Raw(v.Value)
		}
		key, err := p.order.Key(d)
		if err != nil {
			return err
		}
		keys[identity(v)] = key
	}
	slices.SortStableFunc(list, func(x, y bson.RawValue) int { return strings.Compare(keys[identity(x)], keys[identity(y)]) })
	return nil
}

func identity(v bson.RawValue) string { return string(v.Type) + string(v.Value) }

func addToSet(_ string, operand bson.RawValue, o Options) (operator, error) {
	values := []bson.RawValue{operand}
	if d, ok := operand.DocumentOK(); ok {
		if each, _ := d.Index(0); each.Key == "$each" {
			if each.Value.Type != bsontype.Array {
				return operator{}, status.Errorf(errcode.TypeMismatch, "The argument to $each in $addToSet must be an array but it was of type %s", each.Value.Type)
			}
			if second, more := d.Index(1); more {
				return operator{}, status.Errorf(errcode.BadValue, "Found unexpected fields after $each in $addToSet: %s: %s", second.Key, status.TextOf(second.Value))
			}
			values = value.Elements(each.Value)
		}
	}
	return operator{creates: true, apply: func(a *application, old bson.RawValue) (bson.RawValue, error) {
		if !old.IsZero() && old.Type != bsontype.Array {
			return missing, status.Errorf(errcode.BadValue, "Cannot apply $addToSet to non-array field. Field named '%s' has non-array type %s", last(a.field), old.Type)
		}
		list := value.Elements(old)
		size := len(list)
		for _, v := range values {
			if !slices.ContainsFunc(list, func(e bson.RawValue) bool { return compare.Equal(e, v, o.Query.Collation) }) {
				list = append(list, v)
			}
		}
		if len(list) == size && !old.IsZero() {
			return old, nil
		}
		return value.ArrayOf(list...), nil
	}}, nil
}

func pop(_ string, operand bson.RawValue, _ Options) (operator, error) {
	n, ok := number.Whole(operand)
	if !ok || n != 1 && n != -1 {
		return operator{}, status.Errorf(errcode.FailedToParse, "$pop expects 1 or -1, found: %s", status.TextOf(operand))
	}
	return operator{apply: func(a *application, old bson.RawValue) (bson.RawValue, error) {
		if old.Type != bsontype.Array {
			return missing, status.Errorf(errcode.TypeMismatch, "Path '%s' contains an element of non-array type '%s'", a.field, old.Type)
		}
		list := value.Elements(old)
		switch {
		case len(list) == 0:
			return old, nil
		case n < 0:
			return value.ArrayOf(list[1:]...), nil
		}
		return value.ArrayOf(list[:len(list)-1]...), nil
	}}, nil
}

// without removes the elements of an array that drop tells.
func without(op string, old bson.RawValue, drop func(bson.RawValue) (bool, error)) (bson.RawValue, error) {
	if old.Type != bsontype.Array {
		return missing, status.Errorf(errcode.BadValue, "Cannot apply %s to a non-array value", op)
	}
	list := value.Elements(old)
	kept := list[:0:0]
	for _, e := range list {
		gone, err := drop(e)
		if err != nil {
			return missing, err
		}
		if !gone {
			kept = append(kept, e)
		}
	}
	if len(kept) == len(list) {
		return old, nil
	}
	return value.ArrayOf(kept...), nil
}

// pull removes elements by a value, by operators on the element, or by a query on element documents.
func pull(_ string, operand bson.RawValue, o Options) (operator, error) {
	d, isDocument := operand.DocumentOK()
	first, _ := d.Index(0)
	whole := operand.Type == bsontype.Regex || isDocument && strings.HasPrefix(first.Key, "$") &&
		first.Key != "$and" && first.Key != "$or" && first.Key != "$nor" && first.Key != "$expr"
	var f *query.Filter
	var err error
	switch {
	case whole:
		wrapped, start := bson.AppendDocumentStart(nil)
		wrapped = bson.AppendRawValueElement(wrapped, "e", operand)
		f, err = query.Compile(bson.AppendDocumentEnd(wrapped, start), o.Query)
	case isDocument:
		f, err = query.Compile(d, o.Query)
	}
	if err != nil {
		return operator{}, err
	}
	drop := func(e bson.RawValue) (bool, error) {
		switch {
		case f == nil:
			return compare.Equal(e, operand, o.Query.Collation), nil
		case whole:
			wrapped, start := bson.AppendDocumentStart(nil)
			wrapped = bson.AppendRawValueElement(wrapped, "e", e)
			return f.Match(bson.AppendDocumentEnd(wrapped, start))
		case e.Type != bsontype.EmbeddedDocument:
			return false, nil
		}
		return f.Match(bson.Raw(e.Value))
	}
	return operator{apply: func(_ *application, old bson.RawValue) (bson.RawValue, error) { return without("$pull", old, drop) }}, nil
}

func pullAll(_ string, operand bson.RawValue, o Options) (operator, error) {
	if operand.Type != bsontype.Array {
		return operator{}, status.Errorf(errcode.BadValue, "$pullAll requires an array argument but was given a %s", operand.Type)
	}
	values := value.Elements(operand)
	drop := func(e bson.RawValue) (bool, error) {
		return slices.ContainsFunc(values, func(v bson.RawValue) bool { return compare.Equal(e, v, o.Query.Collation) }), nil
	}
	return operator{apply: func(_ *application, old bson.RawValue) (bson.RawValue, error) { return without("$pullAll", old, drop) }}, nil
}
