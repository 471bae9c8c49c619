package project

import (
	"math"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// fullPath returns the path of a name below a node.
func (c *compiler) fullPath(n *node, name string) path.Path {
	return append(trace(c.root, n), path.Parse(name)...)
}

// trace returns the path from one node down to another.
func trace(from, to *node) path.Path {
	if from == to {
		return path.Path{}
	}
	for name, child := range from.children {
		if p := trace(child, to); p != nil {
			return append(path.Path{name}, p...)
		}
	}
	return nil
}

// findSlice compiles $slice: n or [skip, n]. Any other argument makes it the expression $slice.
func (c *compiler) findSlice(parent *node, name string, v bson.RawValue) error {
	args, refused := sliceArguments(v)
	if refused != nil {
		err := c.compileGeneric(parent, name, "$slice", v)
		if e := status.From(err); e != nil {
			return status.Errorf(e.Code,
				"Invalid $slice syntax. The given syntax { $slice: %s } did not match the find() syntax because :: %s: %s :: The "+
					"given syntax did not match the expression $slice syntax. :: "+
					"caused by :: %s", status.TextOf(v), refused.Code.String(), refused.Message, e.Message)
		}
		return nil
	}
	n, _, err := c.place(parent, name)
	if err != nil {
		return err
	}
	n.include = true // in an exclusion an included field simply stays
	c.slice = true
	at := c.fullPath(parent, name)
	c.after = append(c.after, func(doc bson.Raw, _ int) (bson.Raw, error) { return sliceArrays(doc, at, args), nil })
	return nil
}

func sliceArguments(v bson.RawValue) ([]int64, *status.Error) {
	if number.Is(v.Type) {
		return []int64{clamp(v)}, nil
	}
	list := value.Elements(v)
	switch {
	case v.Type != bsontype.Array:
		return nil, status.Errorf(31273, "$slice only supports numbers and [skip, limit] arrays")
	case len(list) != 2:
		return nil, status.Errorf(31272, "$slice array argument should be of form [skip, limit]")
	case !number.Is(list[0].Type):
		return nil, status.Errorf(31257, "$slice expects the skip argument to be a number, got %s", list[0].Type)
	case !number.Is(list[1].Type):
		return nil, status.Errorf(31258, "$slice expects the limit argument to be a number, got %s", list[1].Type)
	}
	skip, limit := clamp(list[0]), clamp(list[1])
	if limit <= 0 {
		return nil, status.Errorf(31259, "$slice limit must be positive, got %d", limit)
	}
	return []int64{skip, limit}, nil
}

// sliceArrays slices the arrays at a path. The path leads through arrays of documents, but not through arrays of arrays.
func sliceArrays(doc bson.Raw, p path.Path, args []int64) bson.Raw {
	return replaceField(doc, p[0], func(v bson.RawValue) bson.RawValue {
		switch {
		case v.Type == bsontype.Array && len(p) == 1:
			return value.ArrayOf(cut(value.Elements(v), args)...)
		case v.Type == bsontype.Array:
			list := value.Elements(v)
			for i, e := range list {
				if e.Type == bsontype.EmbeddedDocument {
					list[i] = value.Document(sliceArrays(bson.Raw(e.Value), p[1:], args))
				}
			}
			return value.ArrayOf(list...)
		case v.Type == bsontype.EmbeddedDocument && len(p) > 1:
			return value.Document(sliceArrays(bson.Raw(v.Value), p[1:], args))
		}
		return v
	})
}

// replaceField returns the document with one field's value replaced.
func replaceField(doc bson.Raw, name string, change func(bson.RawValue) bson.RawValue) bson.Raw {
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(doc)))
	for key, v := range doc.All() {
		if key == name {
			v = change(v)
		}
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// cut takes the first n elements, the last -n, or n elements from a position, which may count from the end.
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

// compileElemMatch compiles $elemMatch: the first matching element. It counts as computed, so it follows the included
// fields.
func (c *compiler) compileElemMatch(parent *node, name string, v bson.RawValue) error {
	switch {
	case v.Type != bsontype.EmbeddedDocument:
		return status.Errorf(31274, "elemMatch: Invalid argument, object required, but got %s", v.Type)
	case c.positional:
		return status.Errorf(31255, "Cannot specify positional operator and $elemMatch.")
	case parent != c.root || strings.Contains(name, "."):
		return status.Errorf(31275, "Cannot use $elemMatch projection on a nested field.")
	}
	test, start := bson.AppendDocumentStart(nil)
	test, in := bson.AppendDocumentElementStart(test, name)
	test = bson.AppendRawValueElement(test, "$elemMatch", v)
	test = bson.AppendDocumentEnd(bson.AppendDocumentEnd(test, in), start)
	f, err := query.Compile(test, query.Options{Collation: c.options.Filter.Collation(), Scope: c.options.Scope, Plain: true})
	if err != nil {
		return err
	}
	n, _, err := c.place(parent, name)
	if err != nil {
		return err
	}
	c.elemMatch = true
	n.compute = func(root bson.Raw) (bson.RawValue, error) {
		var m query.Match
		if ok, err := f.Test(&m, root); !ok || err != nil {
			return bson.RawValue{}, err
		}
		return value.ArrayOf(value.Elements(path.Field(root, name))[m.Position]), nil
	}
	return nil
}

// compilePositional compiles the positional operator. It keeps one element of the first array on the path: the one at the
// position that the query matched.
func (c *compiler) compilePositional(parent *node, name string) error {
	switch {
	case c.positional:
		return status.Errorf(31276, "Cannot specify more than one positional projection per query.")
	case c.elemMatch:
		return status.Errorf(31256, "Cannot specify positional operator and $elemMatch.")
	case name == ".$":
		return status.Errorf(5392900, "Projection on field .$ is invalid")
	}
	if _, err := query.Compile(c.options.Filter.Raw(), query.Options{Collation: c.options.Filter.Collation(),
		Scope: c.options.Scope, Plain: true}); err != nil {
		return err
	}
	bare := strings.TrimSuffix(name, ".$")
	n, _, err := c.place(parent, bare)
	if err != nil {
		return err
	}
	n.include = true
	c.positional = true
	at := c.fullPath(parent, bare)
	c.after = append(c.after, func(doc bson.Raw, position int) (bson.Raw, error) { return c.projectMatched(doc, at, name, position) })
	return c.decide(inclusion, name)
}

func (c *compiler) projectMatched(doc bson.Raw, p path.Path, name string, position int) (out bson.Raw, err error) {
	out = replaceField(doc, p[0], func(v bson.RawValue) bson.RawValue {
		switch {
		case v.Type == bsontype.EmbeddedDocument && len(p) > 1:
			var d bson.Raw
			d, err = c.projectMatched(bson.Raw(v.Value), p[1:], name, position)
			return value.Document(d)
		case v.Type != bsontype.Array:
			return v
		}
		list := value.Elements(v)
		switch {
		case position < 0 && c.options.Scope.Wire() < wire.Server44:
			err = status.Errorf(errcode.BadValue, "positional operator (%s) requires corresponding field in query specifier", name)
		case position < 0:
			err = status.Errorf(errcode.Location51246, "positional operator '.$' couldn't find a matching element in the array")
		case position >= len(list):
			err = status.Errorf(51247, "positional operator '.$' element mismatch")
		default:
			return value.ArrayOf(list[position])
		}
		return v
	})
	return out, err
}

// clamp converts a number to a 32-bit integer, the type of $slice's arguments.
func clamp(v bson.RawValue) int64 {
	f := number.Float64(v)
	if math.IsNaN(f) {
		return 0
	}
	return int64(max(math.MinInt32, min(math.MaxInt32, f)))
}
