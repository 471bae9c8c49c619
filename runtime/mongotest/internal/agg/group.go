package agg

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/mongotest/internal/collate"
	"github.com/specdrivers/onion/runtime/mongotest/internal/compare"
	"github.com/specdrivers/onion/runtime/mongotest/internal/expr"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// output field of a group.
type accumulator struct {
	name string
	op   string
	arg  expr.Node
}

func group(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(15947, "a group's fields must be specified in an object")
	}
	var key *expr.Node
	var fields []accumulator
	for name, v := range d.All() {
		if name == "_id" {
			node, err := expr.Compile(v, c.Scope)
			if err != nil {
				return nil, err
			}
			key = &node
			continue
		}
		f, err := c.accumulator(name, v)
		if err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	if key == nil {
		return nil, status.Errorf(15955, "a group specification must include an _id")
	}
	return c.grouping(func(d bson.Raw) (bson.RawValue, error) { return key.Eval(d) }, fields), nil
}

func (c *compiler) accumulator(name string, v bson.RawValue) (accumulator, error) {
	d, ok := v.DocumentOK()
	e, some := d.Index(0)
	switch {
	case strings.Contains(name, "."):
		return accumulator{}, status.Errorf(40235, "The field name '%s' cannot contain '.'", name)
	case strings.HasPrefix(name, "$"):
		return accumulator{}, status.Errorf(40236, "The field name '%s' cannot be an operator name", name)
	case !ok || !some || !strings.HasPrefix(e.Key, "$"):
		return accumulator{}, status.Errorf(40234, "The field '%s' must be an accumulator object", name)
	case d.Len() > 1:
		return accumulator{}, status.Errorf(40238, "The field '%s' must specify one accumulator", name)
	case newAccumulator(e.Key, nil) == nil:
		return accumulator{}, status.Errorf(15952, "unknown group operator '%s'", e.Key)
	case e.Value.Type == bsontype.Array && e.Key != "$push" && e.Key != "$addToSet" && e.Key != "$first" && e.Key != "$last" && bson.Raw(e.Value.Value).Len() != 1:
		return accumulator{}, status.Errorf(40237, "The %s accumulator is a unary operator", e.Key)
	}
	if e.Key == "$count" {
		return accumulator{name: name, op: e.Key}, nil
	}
	node, err := expr.Compile(e.Value, c.Scope)
	return accumulator{name, e.Key, node}, err
}

// grouping is the stage that $group and $bucket become.
func (c *compiler) grouping(key func(bson.Raw) (bson.RawValue, error), fields []accumulator) stage {
	type bin struct {
		id  bson.RawValue
		acc []expr.Accumulator
	}
	collation := c.Scope.Collation
	return whole(func(docs []bson.Raw) ([]bson.Raw, error) {
		bins := map[string]*bin{}
		var ordered []*bin
		for _, d := range docs {
			id, err := key(d)
			if err != nil {
				return nil, err
			}
			if id.IsZero() {
				id = value.Null
			}
			k := string(compare.AppendKey(nil, id, collation))
			b := bins[k]
			if b == nil {
				b = &bin{id: id}
				for _, f := range fields {
					b.acc = append(b.acc, newAccumulator(f.op, collation))
				}
				bins[k], ordered = b, append(ordered, b)
			}
			if err := accumulate(b.acc, fields, d); err != nil {
				return nil, err
			}
		}
		out := make([]bson.Raw, len(ordered))
		for i, b := range ordered {
			d, start := bson.AppendDocumentStart(nil)
			d = bson.AppendRawValueElement(d, "_id", b.id)
			for j, f := range fields {
				v := b.acc[j].Result()
				if v.IsZero() {
					v = value.Null
				}
				d = bson.AppendRawValueElement(d, f.name, v)
			}
			out[i] = bson.AppendDocumentEnd(d, start)
		}
		return out, nil
	})
}

func accumulate(acc []expr.Accumulator, fields []accumulator, d bson.Raw) error {
	for i, f := range fields {
		if f.op == "$count" {
			acc[i].Add(value.Int32(1))
			continue
		}
		v, err := f.arg.Eval(d)
		if err != nil {
			return err
		}
		if f.op == "$mergeObjects" && !value.Nullish(v) && v.Type != bsontype.EmbeddedDocument {
			return status.Errorf(40400, "$mergeObjects requires object inputs, but input %s is of type %s", status.TextOf(v), v.Type)
		}
		acc[i].Add(v)
	}
	return nil
}

func newAccumulator(op string, c *collate.Collator) expr.Accumulator {
	switch op {
	case "$count":
		return expr.NewAccumulator("$sum", c)
	case "$first":
		return &first{}
	case "$last":
		return &last{}
	case "$push":
		return &push{}
	case "$addToSet":
		return &set{seen: map[string]bool{}, collation: c}
	case "$mergeObjects":
		return &merge{}
	}
	return expr.NewAccumulator(op, c)
}

type first struct {
	v   bson.RawValue
	got bool
}

func (a *first) Add(v bson.RawValue) {
	if !a.got {
		a.v, a.got = v, true
	}
}
func (a *first) Result() bson.RawValue { return a.v }

type last struct{ v bson.RawValue }

func (a *last) Add(v bson.RawValue)   { a.v = v }
func (a *last) Result() bson.RawValue { return a.v }

type push struct{ list []bson.RawValue }

func (a *push) Add(v bson.RawValue) {
	if !v.IsZero() {
		a.list = append(a.list, v)
	}
}
func (a *push) Result() bson.RawValue { return value.ArrayOf(a.list...) }

type set struct {
	push
	seen      map[string]bool
	collation *collate.Collator
}

func (a *set) Add(v bson.RawValue) {
	if v.IsZero() {
		return
	}
	if key := string(compare.AppendKey(nil, v, a.collation)); !a.seen[key] {
		a.seen[key] = true
		a.push.Add(v)
	}
}

type merge struct{ list []bson.RawValue }

func (a *merge) Add(v bson.RawValue) {
	if v.Type == bsontype.EmbeddedDocument {
		a.list = append(a.list, v)
	}
}
func (a *merge) Result() bson.RawValue { return expr.Merge(a.list) }

func sortByCount(c *compiler, spec bson.RawValue) (stage, error) {
	s, _ := spec.StringOK()
	if d, ok := spec.DocumentOK(); ok {
		if e, _ := d.Index(0); !strings.HasPrefix(e.Key, "$") {
			return nil, status.Errorf(40147, "the sortByCount field must be defined as a $-prefixed path or an expression")
		}
	} else if !strings.HasPrefix(s, "$") {
		return nil, status.Errorf(40148, "the sortByCount field must be defined as a $-prefixed path or an expression")
	}
	node, err := expr.Compile(spec, c.Scope)
	if err != nil {
		return nil, err
	}
	grouped := c.grouping(node.Eval, []accumulator{{name: "count", op: "$count"}})
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendInt32Element(d, "count", -1)
	sorted, err := sort(c, value.Document(bson.AppendDocumentEnd(d, start)))
	return func(in Source) Source { return sorted(grouped(in)) }, err
}

// bucket groups by ranges of values.
func bucket(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(40201, "Argument to $bucket stage must be an object, but found type: %s.", spec.Type)
	}
	by, err := expr.Compile(d.Lookup("groupBy"), c.Scope)
	if err != nil {
		return nil, err
	}
	bounds := value.Elements(d.Lookup("boundaries"))
	if d.Lookup("groupBy").IsZero() || len(bounds) < 2 {
		return nil, status.Errorf(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.")
	}
	for i := 1; i < len(bounds); i++ {
		if compare.Values(bounds[i-1], bounds[i], c.Scope.Collation) >= 0 {
			return nil, status.Errorf(40194, "The 'boundaries' option to $bucket must be sorted, but elements %d and %d are not in ascending order (%s is not less than %s).", i-1, i, status.TextOf(bounds[i-1]), status.TextOf(bounds[i]))
		}
	}
	fields := []accumulator{{name: "count", op: "$count"}}
	if output, ok := d.Lookup("output").DocumentOK(); ok {
		fields = nil
		for name, v := range output.All() {
			f, err := c.accumulator(name, v)
			if err != nil {
				return nil, err
			}
			fields = append(fields, f)
		}
	}
	otherwise := d.Lookup("default")
	grouped := c.grouping(func(d bson.Raw) (bson.RawValue, error) {
		v, err := by.Eval(d)
		if err != nil {
			return v, err
		}
		for i := 1; i < len(bounds); i++ {
			if !v.IsZero() && compare.Values(v, bounds[i-1], c.Scope.Collation) >= 0 && compare.Values(v, bounds[i], c.Scope.Collation) < 0 {
				return bounds[i-1], nil
			}
		}
		if otherwise.IsZero() {
			return v, status.Errorf(40066, "$switch could not find a matching branch for an input, and no default was specified.")
		}
		return otherwise, nil
	}, fields)
	byID, start := bson.AppendDocumentStart(nil)
	byID = bson.AppendInt32Element(byID, "_id", 1)
	sorted, err := sort(c, value.Document(bson.AppendDocumentEnd(byID, start)))
	return func(in Source) Source { return sorted(grouped(in)) }, err
}
