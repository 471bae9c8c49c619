package agg

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// compileSlope is $derivative and $integral.
func (w *windows) compileSlope(op string, arg bson.RawValue, f frame, framed bool) (windowFunction, error) {
	d, ok := arg.DocumentOK()
	switch {
	case !ok:
		return nil, status.Errorf(errcode.FailedToParse, "%s expects an object, but got %s", op, value.TypeName(arg))
	case w.order == nil || len(w.order.Fields) != 1 || w.order.Fields[0].Descending && op == "$integral":
		return nil, status.Errorf(errcode.FailedToParse, "%s requires a sortBy with a single ascending field", op)
	case d.Lookup("input").IsZero():
		return nil, status.Errorf(errcode.FailedToParse, "%s requires an 'input' expression", op)
	case op == "$derivative" && !framed:
		return nil, status.Errorf(errcode.FailedToParse, "%s requires explicit window bounds", op)
	}
	length, err := slopeUnit(op, d)
	if err != nil {
		return nil, err
	}
	node, err := expr.Compile(d.Lookup("input"), w.c.Scope)
	if err != nil {
		return nil, err
	}
	position, err := w.readPosition()
	return func(p *partition) ([]bson.RawValue, error) {
		values, err := p.evaluateAll(node)
		if err != nil {
			return nil, err
		}
		places, err := p.evaluateAll(position)
		if err != nil {
			return nil, err
		}
		x := make([]bson.RawValue, len(places))
		for i, v := range places {
			if err := checkPlace(op, v, length > 0); err != nil {
				return nil, err
			}
			x[i] = toNumber(v)
		}
		out := make([]bson.RawValue, len(values))
		for i := range values {
			low, high, err := f(p, i)
			if err != nil {
				return nil, err
			}
			if op == "$derivative" {
				out[i] = slopeOf(values[low:high], x[low:high], length)
			} else {
				out[i] = areaOf(values[low:high], x[low:high], length)
			}
		}
		return out, nil
	}, err
}

// slopeUnit reads the unit of a slope: its length in milliseconds, or 0 without one.
func slopeUnit(op string, d bson.Raw) (length float64, err error) {
	for key := range d.All() {
		if key != "input" && key != "unit" {
			return 0, status.Errorf(errcode.FailedToParse, "%s got unexpected argument: %s", op, key)
		}
	}
	unit := d.Lookup("unit")
	if unit.IsZero() {
		return 0, nil
	}
	if err := checkWindowUnit(op, unit); err != nil {
		return 0, err
	}
	if length = float64(expr.UnitLength(value.Text(unit))); length == 0 {
		return 0, status.Errorf(5490710, "unit must be 'week' or smaller")
	}
	return length, nil
}

// checkPlace refuses a sort key that is not a date although there is a unit, or not a number although there is no unit.
func checkPlace(op string, v bson.RawValue, unit bool) error {
	withUnit, without := errcode.Code(5624900), errcode.Code(5624902)
	if op == "$integral" {
		withUnit, without = 5423901, 5423902
	}
	switch {
	case !unit && v.Type == bsontype.DateTime && op == "$derivative":
		return status.Errorf(5624901, "%s over dates needs a 'unit'", op)
	case unit && v.Type != bsontype.DateTime:
		return status.Errorf(withUnit, "%s with 'unit' expects the sortBy field to be a Date", op)
	case !unit && !number.Is(v.Type):
		return status.Errorf(without, "%s (with no 'unit') expects the sortBy field to be numeric", op)
	}
	return nil
}

// slopeOf returns the slope from the first to the last point. length is the unit in milliseconds, or 0.
func slopeOf(values, x []bson.RawValue, length float64) bson.RawValue {
	n := len(values)
	if n < 2 || !number.Is(values[0].Type) || !number.Is(values[n-1].Type) {
		return value.Null
	}
	run, _ := number.Subtract(x[n-1], x[0])
	if length > 0 {
		run = number.Divide(run, value.Double(length))
	}
	if number.IsZeroValue(run) {
		return value.Null
	}
	rise, _ := number.Subtract(values[n-1], values[0])
	return number.Divide(rise, run)
}

// areaOf returns the area below all points.
func areaOf(values, x []bson.RawValue, length float64) bson.RawValue {
	if len(values) == 0 {
		return value.Null
	}
	area := value.Double(0)
	last := -1
	for i, v := range values {
		if !number.Is(v.Type) {
			continue
		}
		if last >= 0 {
			height, _ := number.Add(values[last], v)
			width, _ := number.Subtract(x[i], x[last])
			product, _ := number.Multiply(height, width)
			area, _ = number.Plus(area, number.Divide(product, value.Int32(2)))
		}
		last = i
	}
	if length > 0 {
		return number.Divide(area, value.Double(length))
	}
	return area
}

// compileCovariance is $covariancePop and $covarianceSamp of [x, y].
func (w *windows) compileCovariance(op string, arg bson.RawValue, f frame) (windowFunction, error) {
	node, err := expr.Compile(arg, w.c.Scope)
	return func(p *partition) ([]bson.RawValue, error) {
		values, err := p.evaluateAll(node)
		if err != nil {
			return nil, err
		}
		out := make([]bson.RawValue, len(values))
		for i := range values {
			low, high, err := f(p, i)
			if err != nil {
				return nil, err
			}
			out[i] = covarianceOf(values[low:high], op == "$covarianceSamp")
		}
		return out, nil
	}, err
}

// covarianceOf leaves out values that are not pairs of numbers. One decimal makes the result a decimal.
func covarianceOf(values []bson.RawValue, sample bool) bson.RawValue {
	n := int64(0)
	meanX, meanY, c := value.Double(0), value.Double(0), value.Double(0)
	for _, v := range values {
		pair := value.Elements(v)
		if v.Type != bsontype.Array || len(pair) != 2 || !number.Is(pair[0].Type) || !number.Is(pair[1].Type) {
			continue
		}
		n++
		dx, _ := number.Subtract(pair[0], meanX)
		meanX, _ = number.Plus(meanX, number.Divide(dx, value.Int64(n)))
		dy, _ := number.Subtract(pair[1], meanY)
		meanY, _ = number.Plus(meanY, number.Divide(dy, value.Int64(n)))
		rest, _ := number.Subtract(pair[1], meanY)
		product, _ := number.Multiply(dx, rest)
		c, _ = number.Plus(c, product)
	}
	if sample {
		n--
	}
	if n <= 0 {
		return value.Null
	}
	return number.Divide(c, value.Int64(n))
}
