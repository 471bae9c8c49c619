package agg

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func compileGroup(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.Location15947, "a group's fields must be specified in an object")
	}
	var key *expr.Node
	var fields []accumulator
	for name, v := range d.All() {
		if name == "_id" {
			if key != nil {
				return nil, status.Errorf(15948, "a group's _id may only be specified once")
			}
			node, err := c.compileGroupKey(v)
			if err != nil {
				return nil, err
			}
			key = &node
			continue
		}
		f, err := c.compileAccumulator(name, v)
		if err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	if key == nil {
		return nil, status.Errorf(errcode.Location15955, "a group specification must include an _id")
	}
	return c.groupStage(func(d bson.Raw) (bson.RawValue, error) { return key.Eval(d) }, fields), nil
}

// compileGroupKey compiles the key. A document of expressions must not look like a projection.
func (c *compiler) compileGroupKey(v bson.RawValue) (expr.Node, error) {
	if d, ok := v.DocumentOK(); ok {
		for name, e := range d.All() {
			if !strings.HasPrefix(name, "$") && (number.Is(e.Type) || e.Type == bsontype.Boolean) {
				return expr.Node{}, status.Errorf(17390, "$group does not support inclusion-style expressions")
			}
		}
	}
	return expr.Compile(v, c.Scope)
}

// bin is the state of one group.
type bin struct {
	id  bson.RawValue
	acc []expr.Accumulator
}

func (c *compiler) newBin(id bson.RawValue, fields []accumulator) (*bin, error) {
	b := &bin{id: id, acc: make([]expr.Accumulator, len(fields))}
	for i := range fields {
		var err error
		if b.acc[i], err = fields[i].start(id, c.Scope.Collation); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *bin) add(fields []accumulator, d bson.Raw) error {
	for i := range fields {
		if err := fields[i].add(b.acc[i], d); err != nil {
			return err
		}
	}
	return nil
}

// document returns the output document of the group.
func (b *bin) document(fields []accumulator) (bson.Raw, error) {
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendRawValueElement(d, "_id", b.id)
	for i, f := range fields {
		v := b.acc[i].Result()
		if s, ok := b.acc[i].(interface{ failure() error }); ok && s.failure() != nil {
			return nil, s.failure()
		}
		if v.IsZero() {
			v = value.Null
		}
		d = bson.AppendRawValueElement(d, f.name, v)
	}
	return bson.AppendDocumentEnd(d, start), nil
}

// groupStage returns the stage behind $group and $bucket. It returns the groups in the order of their first documents; the
// server guarantees no order.
func (c *compiler) groupStage(key func(bson.Raw) (bson.RawValue, error), fields []accumulator) stage {
	return foldStage(func(in Source) ([]bson.Raw, error) {
		bins := map[string]*bin{}
		var ordered []*bin
		var buffer []byte
		for {
			d, err := in()
			if err != nil {
				return nil, err
			}
			if d == nil {
				break
			}
			id, err := key(d)
			if err != nil {
				return nil, err
			}
			if id.IsZero() {
				id = value.Null
			}
			buffer = compare.AppendKey(buffer[:0], id, c.Scope.Collation)
			b := bins[string(buffer)]
			if b == nil {
				if b, err = c.newBin(id, fields); err != nil {
					return nil, err
				}
				bins[string(buffer)], ordered = b, append(ordered, b)
			}
			if err := b.add(fields, d); err != nil {
				return nil, err
			}
		}
		out := make([]bson.Raw, len(ordered))
		for i, b := range ordered {
			var err error
			if out[i], err = b.document(fields); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

// countField returns the default output field of a bucket.
func (c *compiler) countField() []accumulator {
	one, _ := expr.Compile(value.Int32(1), c.Scope)
	return []accumulator{{name: "count", op: "$sum", arg: one}}
}

func compileSortByCount(c *compiler, spec bson.RawValue) (stage, error) {
	switch spec.Type {
	case bsontype.EmbeddedDocument:
		if e, _ := bson.Raw(spec.Value).Index(0); !strings.HasPrefix(e.Key, "$") {
			return nil, status.Errorf(40147, "the sortByCount field must be defined as a $-prefixed path or an expression inside an object")
		}
	case bsontype.String:
		if !strings.HasPrefix(value.Text(spec), "$") {
			return nil, status.Errorf(40148, "the sortByCount field must be defined as a $-prefixed path or an expression inside an object")
		}
	default:
		return nil, status.Errorf(40149, "the sortByCount field must be specified as a string or as an object")
	}
	node, err := expr.Compile(spec, c.Scope)
	if err != nil {
		return nil, err
	}
	grouped := c.groupStage(node.Eval, c.countField())
	sorted, err := compileSort(c, wrap("count", value.Int32(-1)))
	return func(in Source) Source { return sorted(grouped(in)) }, err
}
