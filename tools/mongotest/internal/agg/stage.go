package agg

import (
	"math/rand/v2"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/project"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func compileMatch(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.Location15959, "the match filter must be an expression in an object")
	}
	f, err := query.Compile(d, c.p.query)
	if err != nil {
		return nil, err
	}
	return mapStage(func(d bson.Raw) (bson.Raw, error) {
		if ok, err := f.Match(d); !ok || err != nil {
			return nil, err
		}
		return d, nil
	}), nil
}

func compileProject(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(15969, "$project specification must be an object")
	}
	if d.Len() == 0 {
		return nil, status.Errorf(51272, "Invalid $project :: caused by :: projection specification must have at least one field")
	}
	for name := range d.All() {
		if strings.HasSuffix(name, ".$") {
			return nil, status.Errorf(31324, "Invalid $project :: caused by :: Cannot use positional projection in aggregation projection")
		}
	}
	p, err := project.Compile(d, project.Options{Scope: c.Scope})
	if err != nil {
		return nil, prefixStage("$project", err)
	}
	return mapStage(func(d bson.Raw) (bson.Raw, error) { return p.Apply(d, -1) }), nil
}

func compileAddFields(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.Location40272, "%s specification stage must be an object, got %s", c.stage, spec.Type)
	}
	if d.Len() == 0 {
		return nil, status.Errorf(40177, "Invalid %s :: caused by :: specification must have at least one field", c.stage)
	}
	p, err := project.CompileAdd(d, project.Options{Scope: c.Scope})
	if err != nil {
		return nil, prefixStage(c.stage, err)
	}
	return mapStage(func(d bson.Raw) (bson.Raw, error) { return p.Apply(d, -1) }), nil
}

func compileUnset(c *compiler, spec bson.RawValue) (stage, error) {
	names := []bson.RawValue{spec}
	if spec.Type == bsontype.Array {
		if names = value.Elements(spec); len(names) == 0 {
			return nil, status.Errorf(31119, "$unset specification must be a string or an array with at least one field")
		}
	} else if spec.Type != bsontype.String {
		return nil, status.Errorf(errcode.Location31002, "$unset specification must be a string or an array")
	}
	d, start := bson.AppendDocumentStart(nil)
	for _, v := range names {
		name, ok := v.StringOK()
		if !ok {
			return nil, status.Errorf(31120, "$unset specification must be a string or an array containing only string values")
		}
		d = bson.AppendInt32Element(d, name, 0)
	}
	p, err := project.Compile(bson.AppendDocumentEnd(d, start), project.Options{Scope: c.Scope})
	if err != nil {
		return nil, prefixStage("$unset", err)
	}
	return mapStage(func(d bson.Raw) (bson.Raw, error) { return p.Apply(d, -1) }), nil
}

func compileSort(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.Location15973, "the $sort key specification must be an object")
	}
	if err := order.CheckDuplicates(d, c.Scope.Wire()); err != nil {
		return nil, err
	}
	o, err := order.ParseMeta(d, c.Scope.Collation, c.Scope.Metadata().Sorting())
	if err != nil {
		return nil, err
	}
	if o == nil {
		return nil, status.Errorf(errcode.Location15976, "$sort stage must have at least one sort key")
	}
	for _, f := range o.Fields {
		if f.Meta != "" {
			c.Scope.Meta.Want(f.Meta)
		}
	}
	return wholeStage(func(docs []bson.Raw) ([]bson.Raw, error) {
		if m := c.Scope.Metadata(); m.Wants(expr.SortKey) {
			for _, d := range docs {
				m.Set(d, expr.SortKey, value.ArrayOf(o.Values(d)...))
			}
		}
		return docs, o.Sort(docs, c.Scope.Check())
	}), nil
}

// readAmount reads the argument of $limit or $skip. Servers before 5.0 have their own codes for an argument that is not a
// number, and for a negative one.
func (c *compiler) readAmount(v bson.RawValue, code, noNumber, negative errcode.Code) (int64, error) {
	fail := func(what string) error {
		return status.Errorf(code, "invalid argument to %s stage: %s: %s: %s", c.stage, what, c.stage, status.TextOf(v))
	}
	old := c.Scope.Wire() < wire.Server50
	n, whole := number.ExactInt64(v)
	_, fits := number.TruncateInt64(v)
	switch {
	case !number.Is(v.Type) && old:
		return 0, status.Errorf(noNumber, "the %s must be specified as a number", c.stage[1:])
	case !number.Is(v.Type):
		return 0, fail("Expected a number in")
	case old:
		if n, _ = number.TruncateInt64(v); n < 0 {
			return 0, status.Errorf(negative, "Argument to %s cannot be negative", c.stage)
		}
		return n, nil
	case !fits:
		return 0, fail("Cannot represent as a 64-bit integer")
	case !whole:
		return 0, fail("Expected an integer")
	case n < 0:
		return 0, fail("Expected a non-negative number in")
	}
	return n, nil
}

func compileLimit(c *compiler, spec bson.RawValue) (stage, error) {
	n, err := c.readAmount(spec, 5107201, 15957, 15958)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, status.Errorf(errcode.Location15958, "the limit must be positive")
	}
	return func(in Source) Source {
		left := n
		return func() (bson.Raw, error) {
			if left == 0 {
				return nil, nil
			}
			left--
			return in()
		}
	}, nil
}

func compileSkip(c *compiler, spec bson.RawValue) (stage, error) {
	n, err := c.readAmount(spec, 5107200, 15972, 15956)
	if err != nil {
		return nil, err
	}
	return func(in Source) Source {
		left := n
		return func() (bson.Raw, error) {
			for ; left > 0; left-- {
				if d, err := in(); d == nil || err != nil {
					return nil, err
				}
			}
			return in()
		}
	}, nil
}

func compileCount(c *compiler, spec bson.RawValue) (stage, error) {
	name, ok := spec.StringOK()
	switch {
	case !ok:
		return nil, status.Errorf(errcode.Location40156, "the count field must be a non-empty string")
	case name == "_id" && c.Scope.Wire() >= wire.Server81:
		return nil, status.Errorf(9039800, "the count field cannot be '_id'")
	case name == "":
		return nil, status.Errorf(errcode.Location40157, "the count field must be a non-empty string")
	case strings.HasPrefix(name, "$"):
		return nil, status.Errorf(40158, "the count field cannot be a $-prefixed path")
	case strings.Contains(name, "\x00"):
		return nil, status.Errorf(40159, "the count field cannot contain a null byte")
	case strings.ContainsRune(name, '.'):
		return nil, status.Errorf(40160, "the count field cannot contain '.'")
	}
	return wholeStage(func(docs []bson.Raw) ([]bson.Raw, error) {
		if len(docs) == 0 {
			return nil, nil
		}
		d, start := bson.AppendDocumentStart(nil)
		d = bson.AppendRawValueElement(d, name, value.Integer(int64(len(docs))))
		return []bson.Raw{bson.AppendDocumentEnd(d, start)}, nil
	}), nil
}

func compileSplit(_ *compiler, spec bson.RawValue) (stage, error) {
	if d, ok := spec.DocumentOK(); !ok || d.Len() > 0 {
		return nil, status.Errorf(7182800, "%s expects an empty document as argument, got %s", splits, status.TextOf(spec))
	}
	return nil, nil
}

func compileSample(_ *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.Location28745, "the $sample stage specification must be an object")
	}
	for key := range d.All() {
		if key != "size" {
			return nil, status.Errorf(28748, "unrecognized option to $sample: %s", key)
		}
	}
	size := d.Lookup("size")
	n, whole64 := number.TruncateInt64(size)
	switch {
	case size.IsZero():
		return nil, status.Errorf(28749, "$sample stage must specify a size")
	case !number.Is(size.Type), !whole64:
		return nil, status.Errorf(28746, "size argument to $sample must be a number")
	case n <= 0:
		return nil, status.Errorf(errcode.Location28747, "size argument to $sample must be a positive integer")
	}
	return wholeStage(func(docs []bson.Raw) ([]bson.Raw, error) {
		rand.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		return docs[:min(int64(len(docs)), n)], nil
	}), nil
}

func compileDocuments(c *compiler, spec bson.RawValue) (stage, error) {
	node, err := expr.Compile(spec, c.Scope)
	if err != nil {
		return nil, err
	}
	list, err := node.Eval(value.EmptyDocument)
	if err != nil {
		return nil, err
	}
	if list.Type != bsontype.Array {
		return nil, status.Errorf(5858203, "an array is expected")
	}
	var docs []bson.Raw
	for _, v := range value.Elements(list) {
		d, err := newRoot(v, value.EmptyDocument, "'newRoot' expression ")
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return func(Source) Source { return List(docs) }, nil
}

func compileReplaceRoot(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(40229, "expected an object as specification for $replaceRoot stage, got %s", spec.Type)
	}
	for key := range d.All() {
		if key != "newRoot" {
			return nil, status.Errorf(errcode.Location40415, "BSON field '$replaceRoot.%s' is an unknown field.", key)
		}
	}
	if d.Lookup("newRoot").IsZero() {
		return nil, status.Errorf(errcode.Location40414, "BSON field '$replaceRoot.newRoot' is missing but a required field")
	}
	return compileReplaceWith(c, d.Lookup("newRoot"))
}

func compileReplaceWith(c *compiler, spec bson.RawValue) (stage, error) {
	node, err := expr.Compile(spec, c.Scope)
	if err != nil {
		return nil, err
	}
	what := "'newRoot' expression "
	if c.stage == "$replaceWith" {
		what = "'replacement document' "
	}
	return mapStage(func(d bson.Raw) (bson.Raw, error) {
		v, err := node.Eval(d)
		if err != nil {
			return nil, err
		}
		return newRoot(v, d, what)
	}), nil
}
