package agg

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func compileSetWindowFields(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.FailedToParse, "the $setWindowFields stage specification must be an object, found %s", spec.Type)
	}
	w := &windows{c: c}
	var output bson.Raw
	for key, v := range d.All() {
		inner, isDocument := v.DocumentOK()
		switch {
		case key == "partitionBy":
			node, err := expr.Compile(v, c.Scope)
			if err != nil {
				return nil, err
			}
			w.by = &node
		case key != "sortBy" && key != "output":
			return nil, status.Errorf(errcode.Location40415, "BSON field '$setWindowFields.%s' is an unknown field.", key)
		case key == "sortBy" && v.Type == bsontype.Null:
		case !isDocument:
			return nil, status.Errorf(errcode.TypeMismatch,
				"BSON field '$setWindowFields.%s' is the wrong type '%s', expected type 'object'", key, v.Type)
		case key == "sortBy":
			var err error
			if w.order, err = order.Parse(inner, c.Scope.Collation); err != nil {
				return nil, err
			}
			if w.order == nil {
				w.order = &order.Order{} // an empty one counts as a sortBy
			}
			w.sortBy = inner
		default:
			output = inner
		}
	}
	if output == nil {
		return nil, status.Errorf(errcode.Location40414, "BSON field '$setWindowFields.output' is missing but a required field")
	}
	if err := checkOverlap(output); err != nil {
		return nil, err
	}
	for name, v := range output.All() {
		p, err := expr.CheckPath(name, c.Scope)
		if err != nil {
			return nil, err
		}
		run, err := w.compileFunction(name, v)
		if err != nil {
			return nil, err
		}
		w.outputs = append(w.outputs, windowOutput{p, run})
	}
	return wholeStage(w.run), nil
}

// checkOverlap refuses two output fields if one is inside the other.
func checkOverlap(output bson.Raw) error {
	var names []string
	for name := range output.All() {
		for _, other := range names {
			if name == other || strings.HasPrefix(name, other+".") || strings.HasPrefix(other, name+".") {
				return status.Errorf(6307900,
					"$setWindowFields 'output' specification contains two conflicting paths: '%s' and '%s'", other, name)
			}
		}
		names = append(names, name)
	}
	return nil
}

// compileFunction compiles {$function: argument, window: {...}}.
func (w *windows) compileFunction(name string, v bson.RawValue) (windowFunction, error) {
	d, ok := v.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.FailedToParse, "The field '%s' must be an object", name)
	}
	var op string
	var arg, bounds bson.RawValue
	for key, e := range d.All() {
		switch {
		case isRank(op), isRank(key) && d.Len() > 1:
			return nil, status.Errorf(5371601, "A window function of rank takes neither a window nor other arguments")
		case key == "window":
			if bounds = e; e.Type != bsontype.EmbeddedDocument {
				return nil, status.Errorf(errcode.FailedToParse, "'window' field must be an object")
			}
		case !strings.HasPrefix(key, "$"):
			return nil, status.Errorf(errcode.FailedToParse, "Window function found an unknown argument: %s", key)
		case op != "":
			return nil, status.Errorf(errcode.FailedToParse, "Cannot specify two functions in window function spec")
		default:
			op, arg = key, e
		}
	}
	if op == "" {
		return nil, status.Errorf(errcode.FailedToParse, "Expected a $-prefixed window function")
	}
	return w.compile(name, op, arg, bounds)
}

// compile finds the function by its kind. Functions of rank and position take no window; all others do.
func (w *windows) compile(name, op string, arg, bounds bson.RawValue) (windowFunction, error) {
	if isRank(op) {
		return w.compileRank(op, arg)
	}
	switch op {
	case "$shift":
		return w.compileShift(arg, bounds)
	case "$expMovingAvg":
		return w.compileMovingAverage(arg, bounds)
	case "$linearFill", "$locf":
		return w.compileFillFunction(op, arg, bounds)
	}
	frame, err := w.readFrame(bounds)
	if err != nil {
		return nil, err
	}
	switch op {
	case "$derivative", "$integral":
		return w.compileSlope(op, arg, frame, !bounds.IsZero())
	case "$minMaxScaler":
		if w.c.Scope.Wire() >= wire.Server82 {
			return w.compileScaler(arg, frame)
		}
	case "$covariancePop", "$covarianceSamp":
		return w.compileCovariance(op, arg, frame)
	}
	if d, ok := arg.DocumentOK(); op == "$count" && (!ok || d.Len() > 0) {
		return nil, status.Errorf(errcode.FailedToParse, "$count only accepts an empty object as input")
	}
	a, err := w.c.compileAccumulatorOf(strings.ReplaceAll(name, ".", "_"), wrap(op, arg), true)
	if err != nil {
		if _, known := since[op]; !known {
			err = status.Errorf(errcode.FailedToParse, "Unrecognized window function, %s", op)
		}
		return nil, err
	}
	if strings.HasPrefix(op, "$stdDev") && slides(bounds) {
		return w.nullIfUnsteady(w.foldWindows(&a, frame), &a, frame), nil
	}
	return w.foldWindows(&a, frame), nil
}

// run sorts the documents by partition and sort order and adds the output fields.
func (w *windows) run(docs []bson.Raw) ([]bson.Raw, error) {
	parts, err := w.split(docs)
	if err != nil {
		return nil, err
	}
	var out []bson.Raw
	for _, p := range parts {
		results := make([][]bson.RawValue, len(w.outputs))
		for i, o := range w.outputs {
			if results[i], err = o.run(p); err != nil {
				return nil, err
			}
		}
		for n, d := range p.docs {
			for i, o := range w.outputs {
				v := results[i][n]
				if v.IsZero() {
					v = value.Null
				}
				d = put(d, o.path, v)
			}
			out = append(out, d)
		}
	}
	return out, nil
}

// split divides the documents into partitions, sorted by the values of the partition expression.
func (w *windows) split(docs []bson.Raw) ([]*partition, error) {
	type member struct {
		part, key string
		doc       bson.Raw
	}
	list := make([]member, len(docs))
	for i, d := range docs {
		list[i].doc = d
		if w.order != nil {
			key, err := w.order.Key(d)
			if err != nil {
				return nil, err
			}
			list[i].key = key
		}
		if w.by == nil {
			continue
		}
		v, err := w.by.Eval(d)
		switch {
		case err != nil:
			return nil, err
		case v.Type == bsontype.Array:
			return nil, status.Errorf(errcode.TypeMismatch, "An expression used to partition cannot evaluate to value of type array")
		case v.IsZero():
			v = value.Null
		}
		list[i].part = string(compare.AppendKey(nil, v, w.c.Scope.Collation))
	}
	sortBy(list, func(a, b member) int {
		if n := strings.Compare(a.part, b.part); n != 0 {
			return n
		}
		return strings.Compare(a.key, b.key)
	})
	var parts []*partition
	for i, m := range list {
		if i == 0 || m.part != list[i-1].part {
			parts = append(parts, &partition{})
		}
		p := parts[len(parts)-1]
		p.docs, p.keys = append(p.docs, m.doc), append(p.keys, m.key)
	}
	return parts, nil
}
