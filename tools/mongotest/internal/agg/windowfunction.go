package agg

import (
	"math"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// foldWindows applies an accumulator to each window. A window that only grows is folded once.
func (w *windows) foldWindows(a *accumulator, f frame) windowFunction {
	return func(p *partition) ([]bson.RawValue, error) {
		out := make([]bson.RawValue, len(p.docs))
		var state expr.Accumulator
		first, next := 0, 0
		for i := range p.docs {
			low, high, err := f(p, i)
			if err != nil {
				return nil, err
			}
			if state != nil && low == first && high == next {
				out[i] = out[i-1]
				continue
			}
			if state == nil || low != first || high < next {
				if state, err = a.start(value.Null, w.c.Scope.Collation); err != nil {
					return nil, err
				}
				first, next = low, low
			}
			for ; next < high; next++ {
				if err := a.add(state, p.docs[next]); err != nil {
					return nil, err
				}
			}
			out[i] = state.Result()
		}
		return out, nil
	}
}

// nullIfUnsteady replaces the standard deviation of a sliding window by null while a value in the window is infinite or not a number:
// such a value could not be subtracted again when it leaves the window.
func (w *windows) nullIfUnsteady(run windowFunction, a *accumulator, f frame) windowFunction {
	return func(p *partition) ([]bson.RawValue, error) {
		out, err := run(p)
		if err != nil {
			return nil, err
		}
		values, err := p.evaluateAll(a.arg)
		for i := range out {
			low, high, err := f(p, i)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(values[low:high], isEndless) {
				out[i] = value.Null
			}
		}
		return out, err
	}
}

// isEndless reports whether a number is infinite or NaN.
func isEndless(v bson.RawValue) bool {
	f := number.Float64(v)
	return number.Is(v.Type) && (math.IsNaN(f) || math.IsInf(f, 0))
}

// checkOrder refuses a function that depends on the order if there is no sortBy, or if it has a window of its own.
func (w *windows) checkOrder(op string, bounds bson.RawValue) error {
	switch {
	case !bounds.IsZero():
		return status.Errorf(errcode.FailedToParse, "%s does not accept a 'window' field", op)
	case w.order == nil:
		return status.Errorf(errcode.FailedToParse, "'%s' requires a sortBy", op)
	}
	return nil
}

func isRank(op string) bool { return op == "$rank" || op == "$denseRank" || op == "$documentNumber" }

// compileRank is $rank, $denseRank and $documentNumber.
func (w *windows) compileRank(op string, arg bson.RawValue) (windowFunction, error) {
	if d, ok := arg.DocumentOK(); !ok || d.Len() > 0 {
		return nil, status.Errorf(5371603, "%s must be specified with '{}' as the value", op)
	}
	if w.order == nil || len(w.order.Fields) != 1 {
		return nil, status.Errorf(5371602, "%s must be specified with a top level sortBy expression with exactly one element", op)
	}
	return func(p *partition) ([]bson.RawValue, error) {
		out := make([]bson.RawValue, len(p.docs))
		rank := int64(0)
		for i := range p.docs {
			switch tied := i > 0 && p.keys[i] == p.keys[i-1]; {
			case op == "$documentNumber" || op == "$rank" && !tied:
				rank = int64(i) + 1
			case !tied:
				rank++
			}
			out[i] = value.Int64(rank)
		}
		return out, nil
	}, nil
}

// compileShift returns the value of the document some positions away.
func (w *windows) compileShift(arg, bounds bson.RawValue) (windowFunction, error) {
	d, ok := arg.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.FailedToParse, "Argument to $shift must be an object")
	}
	if err := w.checkOrder("$shift", bounds); err != nil {
		return nil, err
	}
	for key := range d.All() {
		if key != "output" && key != "by" && key != "default" {
			return nil, status.Errorf(errcode.FailedToParse, "Unknown argument in $shift")
		}
	}
	by, whole := number.ExactInt64(d.Lookup("by"))
	switch {
	case d.Lookup("output").IsZero():
		return nil, status.Errorf(errcode.FailedToParse, "$shift requires an 'output' expression.")
	case !whole:
		return nil, status.Errorf(errcode.FailedToParse, "$shift requires 'by' as an integer value.")
	}
	node, err := expr.Compile(d.Lookup("output"), w.c.Scope)
	if err != nil {
		return nil, err
	}
	otherwise := value.Null
	if v := d.Lookup("default"); !v.IsZero() {
		constant, err := expr.Compile(v, w.c.Scope)
		if err != nil {
			return nil, err
		}
		if !constant.Constant() {
			return nil, status.Errorf(errcode.FailedToParse, "'$shift:default' expression must yield a constant value.")
		}
		if otherwise, err = constant.Eval(value.EmptyDocument); err != nil {
			return nil, err
		}
	}
	return func(p *partition) ([]bson.RawValue, error) {
		values, err := p.evaluateAll(node)
		if err != nil {
			return nil, err
		}
		out := make([]bson.RawValue, len(values))
		for i := range values {
			out[i] = otherwise
			if at := int64(i) + by; at >= 0 && at < int64(len(values)) && !values[at].IsZero() {
				out[i] = values[at]
			}
		}
		return out, nil
	}, nil
}

// compileMovingAverage is $expMovingAvg, which takes N or alpha.
func (w *windows) compileMovingAverage(arg, bounds bson.RawValue) (windowFunction, error) {
	d, ok := arg.DocumentOK()
	n, alpha := d.Lookup("N"), d.Lookup("alpha")
	switch {
	case !ok:
		return nil, status.Errorf(errcode.FailedToParse, "Argument to $expMovingAvg must be an object")
	case d.Lookup("input").IsZero() || n.IsZero() == alpha.IsZero() || d.Len() != 2:
		return nil, status.Errorf(errcode.FailedToParse,
			"$expMovingAvg sub object must have exactly two fields: An 'input' field, and either an 'N' field or an 'alpha' field")
	}
	if err := w.checkOrder("$expMovingAvg", bounds); err != nil {
		return nil, err
	}
	weight := number.Float64(alpha)
	if !n.IsZero() {
		count, whole := number.ExactInt64(n)
		if !whole || count <= 0 {
			return nil, status.Errorf(errcode.FailedToParse,
				"'N' field must be an integer greater than zero, but found %s", status.TextOf(n))
		}
		weight = 2 / (float64(count) + 1)
	} else if !number.Is(alpha.Type) || weight <= 0 || weight >= 1 {
		return nil, status.Errorf(errcode.FailedToParse, "'alpha' must be between 0 and 1 (exclusive), found %s", status.TextOf(alpha))
	}
	node, err := expr.Compile(d.Lookup("input"), w.c.Scope)
	return func(p *partition) ([]bson.RawValue, error) {
		values, err := p.evaluateAll(node)
		last := value.Null
		for i, v := range values {
			switch {
			case number.Is(v.Type) && last.Type == bsontype.Null:
				last = v
			case number.Is(v.Type):
				last = value.Double(weight*number.Float64(v) + (1-weight)*number.Float64(last))
			}
			values[i] = last
		}
		return values, err
	}, err
}

// compileFillFunction is $locf, which repeats the last value, and $linearFill, which interpolates between two values.
func (w *windows) compileFillFunction(op string, arg, bounds bson.RawValue) (windowFunction, error) {
	if !bounds.IsZero() {
		return nil, status.Errorf(errcode.FailedToParse, "'window' field is not allowed in %s", op)
	}
	if op == "$linearFill" && (w.order == nil || len(w.order.Fields) != 1) {
		return nil, status.Errorf(605001, "%s must be specified with a top level sortBy expression with exactly one element", op)
	}
	node, err := expr.Compile(arg, w.c.Scope)
	if err != nil {
		return nil, err
	}
	if op == "$locf" {
		return func(p *partition) ([]bson.RawValue, error) {
			values, err := p.evaluateAll(node)
			for i := 1; i < len(values); i++ {
				if value.IsNullish(values[i]) {
					values[i] = values[i-1]
				}
			}
			return values, err
		}, nil
	}
	position, err := w.readPosition()
	return func(p *partition) ([]bson.RawValue, error) { return fillLinearly(p, node, position) }, err
}

// readPosition returns the expression for the single field that the documents are sorted by.
func (w *windows) readPosition() (expr.Node, error) {
	return expr.Compile(value.String("$"+w.order.Fields[0].Name), w.c.Scope)
}

func fillLinearly(p *partition, node, position expr.Node) ([]bson.RawValue, error) {
	values, err := p.evaluateAll(node)
	if err != nil {
		return nil, err
	}
	places, err := p.evaluateAll(position)
	if err != nil {
		return nil, err
	}
	last, dates := -1, 0
	for i, v := range values {
		x := places[i]
		if x.Type == bsontype.DateTime {
			dates++
		}
		switch {
		case !number.Is(x.Type) && x.Type != bsontype.DateTime:
			return nil, status.Errorf(errcode.TypeMismatch, "The sortBy field must be numeric or a date, found %s", value.TypeName(x))
		case dates != 0 && dates != i+1:
			return nil, status.Errorf(errcode.TypeMismatch, "The sortBy field must be either all numeric or all dates")
		case i > 0 && x.Equal(places[i-1]):
			return nil, status.Errorf(6050106, "There can be no repeated values in the sort field")
		case value.IsNullish(v):
			values[i] = value.Null
			continue
		case !number.Is(v.Type):
			return nil, status.Errorf(errcode.TypeMismatch, "The input must be numeric, found %s", value.TypeName(v))
		}
		for gap := last + 1; last >= 0 && gap < i; gap++ {
			values[gap] = interpolate(values[last], v, places[last], places[gap], places[i])
		}
		last = i
	}
	return values, nil
}

// interpolate returns the value at a place between two places with known values.
func interpolate(from, to, low, at, high bson.RawValue) bson.RawValue {
	low, at, high = toNumber(low), toNumber(at), toNumber(high)
	if !slices.ContainsFunc([]bson.RawValue{from, to, low, at, high}, isDecimal) {
		first, start := number.Float64(from), number.Float64(low)
		return value.Double(first + (number.Float64(to)-first)*(number.Float64(at)-start)/(number.Float64(high)-start))
	}
	rise, _ := number.Subtract(to, from)
	span, _ := number.Subtract(high, low)
	here, _ := number.Subtract(at, low)
	product, _ := number.Multiply(rise, here)
	sum, _ := number.Plus(from, number.Divide(product, span))
	return sum
}

func isDecimal(v bson.RawValue) bool { return v.Type == bsontype.Decimal128 }

// toNumber converts a date or a number to a number.
func toNumber(v bson.RawValue) bson.RawValue {
	if ms, ok := v.DateTimeOK(); ok {
		return value.Int64(ms)
	}
	return v
}
