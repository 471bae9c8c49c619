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

// slope is $derivative and $integral.
func (w *windows) slope(op string, arg bson.RawValue, f frame, framed bool) (windowFunction, error) {
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
	length := 0.0
	if unit := d.Lookup("unit"); !unit.IsZero() {
		if err := expr.CheckUnit(op, unit); err != nil {
			return nil, err
		}
		if length = float64(expr.UnitLength(value.Text(unit))); length == 0 {
			return nil, status.Errorf(5490710, "unit must be 'week' or smaller")
		}
	}
	node, err := expr.Compile(d.Lookup("input"), w.c.Scope)
	if err != nil {
		return nil, err
	}
	position, err := w.position()
	return func(p *partition) ([]bson.RawValue, error) {
		values, err := p.evaluate(node)
		if err != nil {
			return nil, err
		}
		places, err := p.evaluate(position)
		if err != nil {
			return nil, err
		}
		x := make([]float64, len(places))
		for i, v := range places {
			switch _, isDate := v.DateTimeOK(); {
			case isDate == (length == 0):
				return nil, status.Errorf(5624901,
					"%s where the sortBy is a Date requires a 'unit', and where it is a number takes none", op)
			case !isDate && !number.Is(v.Type):
				return nil, status.Errorf(5624902, "%s requires the sortBy to be a number or a Date, found %s", op, value.TypeName(v))
			}
			if x[i] = number.Float64(coordinate(v)); length > 0 {
				x[i] /= length
			}
		}
		out := make([]bson.RawValue, len(values))
		for i := range values {
			low, high, err := f(p, i)
			if err != nil {
				return nil, err
			}
			out[i] = measured(op, values[low:high], x[low:high])
		}
		return out, nil
	}, err
}

// measured returns the slope from the first to the last point, or the area below all points.
func measured(op string, values []bson.RawValue, x []float64) bson.RawValue {
	n := len(values)
	if op == "$derivative" {
		if n < 2 || !number.Is(values[0].Type) || !number.Is(values[n-1].Type) || x[n-1] == x[0] {
			return value.Null
		}
		return value.Double((number.Float64(values[n-1]) - number.Float64(values[0])) / (x[n-1] - x[0]))
	}
	if n == 0 {
		return value.Null
	}
	area := 0.0
	for i := 1; i < n; i++ {
		area += (number.Float64(values[i]) + number.Float64(values[i-1])) / 2 * (x[i] - x[i-1])
	}
	return value.Double(area)
}

// covariance is $covariancePop and $covarianceSamp of [x, y].
func (w *windows) covariance(op string, arg bson.RawValue, f frame) (windowFunction, error) {
	pair := value.Elements(arg)
	if arg.Type != bsontype.Array || len(pair) != 2 {
		return nil, status.Errorf(errcode.FailedToParse, "%s expects an array of two expressions", op)
	}
	node, err := expr.Compile(arg, w.c.Scope)
	return func(p *partition) ([]bson.RawValue, error) {
		values, err := p.evaluate(node)
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

func covarianceOf(values []bson.RawValue, sample bool) bson.RawValue {
	var n, meanX, meanY, c float64
	for _, v := range values {
		pair := value.Elements(v)
		if len(pair) != 2 || !number.Is(pair[0].Type) || !number.Is(pair[1].Type) {
			continue
		}
		n++
		x, y := number.Float64(pair[0]), number.Float64(pair[1])
		dx := x - meanX
		meanX += dx / n
		meanY += (y - meanY) / n
		c += dx * (y - meanY)
	}
	if sample {
		n--
	}
	if n <= 0 || math.IsNaN(c) {
		return value.Null
	}
	return value.Double(c / n)
}
