package update

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func newAddToSet(_ string, operand bson.RawValue, o Options) (operator, error) {
	values := []bson.RawValue{operand}
	if d, ok := operand.DocumentOK(); ok {
		if each, _ := d.Index(0); each.Key == "$each" {
			if each.Value.Type != bsontype.Array {
				return operator{}, status.Errorf(errcode.TypeMismatch,
					"The argument to $each in $addToSet must be an array but it was of type %s", each.Value.Type)
			}
			if d.Len() > 1 {
				return operator{}, status.Errorf(errcode.BadValue, "Found unexpected fields after $each in $addToSet: %s", status.Text(d))
			}
			values = value.Elements(each.Value)
		}
	}
	return operator{creates: true, apply: func(a *application, old bson.RawValue) (bson.RawValue, error) {
		if !old.IsZero() && old.Type != bsontype.Array {
			return missing, status.Errorf(errcode.BadValue,
				"Cannot apply $addToSet to non-array field. Field named '%s' has non-array type %s", lastName(a.field), old.Type)
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

func newPop(name string, operand bson.RawValue, _ Options) (operator, error) {
	n, err := query.Integer(name, operand)
	if err != nil {
		return operator{}, err
	}
	if n != 1 && n != -1 {
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

// removeIf removes the elements for which drop is true. Its messages name $pull even for $pullAll, like the server's.
func removeIf(old bson.RawValue, drop func(bson.RawValue) (bool, error)) (bson.RawValue, error) {
	if old.Type != bsontype.Array {
		return missing, status.Errorf(errcode.BadValue, "Cannot apply $pull to a non-array value")
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

// newPull removes elements by a value, by operators on the element, or by a query on element documents.
func newPull(_ string, operand bson.RawValue, o Options) (operator, error) {
	drop, err := compilePull(operand, o)
	return operator{apply: func(_ *application, old bson.RawValue) (bson.RawValue, error) { return removeIf(old, drop) }}, err
}

func compilePull(operand bson.RawValue, o Options) (func(bson.RawValue) (bool, error), error) {
	plain := o.Query
	plain.Plain = true
	d, isDocument := operand.DocumentOK()
	first, _ := d.Index(0)
	switch {
	case operand.Type == bsontype.Regex, isDocument && query.IsFieldOperator(first.Key):
		f, err := query.Compile(wrap(operand), plain)
		return func(e bson.RawValue) (bool, error) { return f.Match(wrap(e)) }, err
	case isDocument:
		f, err := query.Compile(d, plain)
		return func(e bson.RawValue) (bool, error) {
			if e.Type != bsontype.EmbeddedDocument {
				return false, nil
			}
			return f.Match(bson.Raw(e.Value))
		}, err
	}
	return func(e bson.RawValue) (bool, error) { return compare.Equal(e, operand, o.Query.Collation), nil }, nil
}

// wrap puts a value into a document, so a query can test it.
func wrap(v bson.RawValue) bson.Raw {
	d, start := bson.AppendDocumentStart(nil)
	return bson.AppendDocumentEnd(bson.AppendRawValueElement(d, "", v), start)
}

func newPullAll(_ string, operand bson.RawValue, o Options) (operator, error) {
	if operand.Type != bsontype.Array {
		return operator{}, status.Errorf(errcode.BadValue, "$pullAll requires an array argument but was given a %s", operand.Type)
	}
	values := value.Elements(operand)
	drop := func(e bson.RawValue) (bool, error) {
		return slices.ContainsFunc(values, func(v bson.RawValue) bool { return compare.Equal(e, v, o.Query.Collation) }), nil
	}
	return operator{apply: func(_ *application, old bson.RawValue) (bson.RawValue, error) { return removeIf(old, drop) }}, nil
}
