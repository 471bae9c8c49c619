package project

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/query"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// sliceArguments reads n or [skip, n]: constants, or else $slice is the expression.
func sliceArguments(v bson.RawValue) (args []int64, err error) {
	list := []bson.RawValue{v}
	if v.Type == bsontype.Array {
		if list = value.Elements(v); len(list) != 2 {
			return nil, status.Errorf(28724, "$slice takes a number or an array of two numbers")
		}
	}
	for _, e := range list {
		if !number.Is(e.Type) {
			return nil, status.Errorf(28724, "First argument to $slice must be an array, but is of type: %s", e.Type)
		}
		n, _ := number.Truncated(e)
		args = append(args, n)
	}
	return args, nil
}

// slice is $slice, which by itself keeps all other fields.
func (c *compiler) slice(prefix path.Path, name string, v bson.RawValue) error {
	args, err := sliceArguments(v)
	if err != nil {
		return err
	}
	if len(args) == 2 && args[1] <= 0 {
		return status.Errorf(28729, "Third argument to $slice must be positive: %d", args[1])
	}
	n, err := c.place(prefix, name)
	if err != nil {
		return err
	}
	c.slices = true
	n.array = func(v bson.RawValue, _ int) (bson.RawValue, error) {
		if v.Type != bsontype.Array {
			return v, nil
		}
		list := value.Elements(v)
		return value.ArrayOf(cut(list, args)...), nil
	}
	return nil
}

// cut takes the first n, the last -n, or n after a position that may count from the end.
func cut(list []bson.RawValue, args []int64) []bson.RawValue {
	size := int64(len(list))
	from, n := int64(0), args[0]
	if len(args) == 2 {
		if from, n = args[0], args[1]; from < 0 {
			from = max(0, size+from)
		}
	} else if n < 0 {
		from = max(0, size+n)
		n = size - from
	}
	from = min(from, size)
	return list[from : from+min(n, size-from)]
}

// elemMatch keeps the first element that matches.
func (c *compiler) elemMatch(prefix path.Path, name string, v bson.RawValue) error {
	if v.Type != bsontype.EmbeddedDocument {
		return status.Errorf(errcode.BadValue, "elemMatch: Invalid argument, object required, but got %s", v.Type)
	}
	if len(prefix) > 0 || len(path.Parse(name)) > 1 {
		return status.Errorf(31275, "Cannot use $elemMatch projection on a nested field.")
	}
	test, start := bson.AppendDocumentStart(nil)
	test, in := bson.AppendDocumentElementStart(test, "a")
	test = bson.AppendRawValueElement(test, "$elemMatch", v)
	test = bson.AppendDocumentEnd(bson.AppendDocumentEnd(test, in), start)
	f, err := query.Compile(test, query.Options{Collation: c.options.Filter.Collation(), Scope: c.options.Scope})
	if err != nil {
		return err
	}
	n, err := c.place(prefix, name)
	if err != nil {
		return err
	}
	n.array = func(v bson.RawValue, _ int) (bson.RawValue, error) {
		wrapped, start := bson.AppendDocumentStart(nil)
		wrapped = bson.AppendRawValueElement(wrapped, "a", v)
		var m query.Match
		ok, err := f.Test(&m, bson.AppendDocumentEnd(wrapped, start))
		if !ok || err != nil || v.Type != bsontype.Array {
			return bson.RawValue{}, err
		}
		return value.ArrayOf(value.Elements(v)[m.Position]), nil
	}
	return c.decide(inclusion, name)
}

// positional keeps the element that the query matched.
func (c *compiler) positional(name string) error {
	n, err := c.place(nil, name)
	if err != nil {
		return err
	}
	n.array = func(v bson.RawValue, position int) (bson.RawValue, error) {
		if v.Type != bsontype.Array {
			return v, nil
		}
		list := value.Elements(v)
		if position < 0 || position >= len(list) {
			return v, status.Errorf(51246, "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array")
		}
		return value.ArrayOf(list[position]), nil
	}
	return c.decide(inclusion, name+".$")
}
