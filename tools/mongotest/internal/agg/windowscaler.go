package agg

import (
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// compileScaler is $minMaxScaler: the place of a document's value between the least and the greatest value of its window, as a
// number between min and max. It is min if all values of the window are equal.
func (w *windows) compileScaler(arg bson.RawValue, f frame) (windowFunction, error) {
	input, low, high, err := w.readScaler(arg)
	if err != nil {
		return nil, err
	}
	return func(p *partition) ([]bson.RawValue, error) {
		values, err := p.evaluateAll(input)
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			if !number.Is(v.Type) {
				return nil, status.Errorf(10487001, "$minMaxScaler takes numbers, found %s", v.Type)
			}
		}
		out := make([]bson.RawValue, len(values))
		var least, greatest float64
		first, next := 0, 0 // least and greatest are the bounds of values[first:next]
		for i, v := range values {
			from, to, err := f(p, i)
			if err != nil {
				return nil, err
			}
			if from != first || to < next {
				first, next = from, from
			}
			if next == first {
				least, greatest = math.Inf(1), math.Inf(-1)
			}
			for ; next < to; next++ {
				if err := w.c.Scope.Check().Err(); err != nil {
					return nil, err
				}
				least, greatest = min(least, number.Float64(values[next])), max(greatest, number.Float64(values[next]))
			}
			x := number.Float64(v)
			out[i] = value.Double(low)
			if greatest > least {
				out[i] = value.Double((x-least)/(greatest-least)*(high-low) + low)
			}
		}
		return out, nil
	}, nil
}

// readScaler reads the argument of $minMaxScaler: an expression, or a document with input and constant bounds.
func (w *windows) readScaler(arg bson.RawValue) (input expr.Node, low, high float64, err error) {
	low, high = 0, 1
	d, ok := arg.DocumentOK()
	first, _ := d.Index(0)
	if !ok || len(first.Key) > 0 && first.Key[0] == '$' {
		input, err = expr.Compile(arg, w.c.Scope)
		return input, low, high, err
	}
	for key, v := range d.All() {
		switch key {
		case "input":
		case "min":
			low, err = w.evaluateBound(key, v)
		case "max":
			high, err = w.evaluateBound(key, v)
		default:
			err = status.Errorf(errcode.Location40415, "BSON field '$minMaxScaler.%s' is an unknown field.", key)
		}
		if err != nil {
			return input, low, high, err
		}
	}
	switch {
	case d.Lookup("input").IsZero():
		return input, low, high, status.Errorf(errcode.Location40414, "BSON field '$minMaxScaler.input' is missing but a required field")
	case low >= high:
		return input, low, high, status.Errorf(errcode.FailedToParse, "$minMaxScaler needs a 'min' that is less than 'max'")
	}
	input, err = expr.Compile(d.Lookup("input"), w.c.Scope)
	return input, low, high, err
}

// evaluateBound evaluates min or max of $minMaxScaler.
func (w *windows) evaluateBound(name string, v bson.RawValue) (float64, error) {
	node, err := expr.Compile(v, w.c.Scope)
	if err != nil {
		return 0, err
	}
	result := bson.RawValue{Type: bsontype.Null}
	if node.Constant() {
		if result, err = node.Eval(value.EmptyDocument); err != nil {
			return 0, err
		}
	}
	if !number.Is(result.Type) {
		return 0, status.Errorf(errcode.FailedToParse, "$minMaxScaler takes a constant number for '%s'", name)
	}
	return number.Float64(result), nil
}
