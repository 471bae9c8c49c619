package expr

import (
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// accumulate compiles an accumulator that is used as an expression. It runs over its arguments, or over a single array
// argument.
func (c *compiler) accumulate(name string, arg bson.RawValue) (eval, error) {
	args, err := c.compileAll(list(arg))
	if err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		values, err := evaluate(env, args)
		if err != nil {
			return bson.RawValue{}, err
		}
		if len(values) == 1 && values[0].Type == bsontype.Array {
			values = value.Elements(values[0])
		}
		a := NewAccumulator(name, env.collation)
		for _, v := range values {
			a.Add(v)
		}
		return a.Result(), nil
	}, nil
}

// Accumulator folds many values into one.
type Accumulator interface {
	Add(v bson.RawValue)
	Result() bson.RawValue
}

// NewAccumulator makes an accumulator that needs nothing but the values. It returns nil for an unknown name.
func NewAccumulator(name string, c *collate.Collator) Accumulator {
	switch name {
	case "$sum":
		return &sum{}
	case "$avg":
		return &average{}
	case "$min":
		return &extreme{sign: -1, collation: c}
	case "$max":
		return &extreme{sign: 1, collation: c}
	case "$stdDevPop":
		return &deviation{}
	case "$stdDevSamp":
		return &deviation{sample: 1}
	}
	return nil
}

// sum adds numbers and ignores everything else.
type sum struct{ total number.Total }

func (a *sum) Add(v bson.RawValue) {
	if number.Is(v.Type) {
		a.total.Add(v)
	}
}

func (a *sum) Result() bson.RawValue { return a.total.Value() }

type average struct {
	total number.Total
	count int64
}

func (a *average) Add(v bson.RawValue) {
	if number.Is(v.Type) {
		a.total.Add(v)
		a.count++
	}
}

func (a *average) Result() bson.RawValue {
	if a.count == 0 {
		return value.Null
	}
	return a.total.Average(a.count)
}

// extreme finds the least or the greatest value that is not null.
type extreme struct {
	sign      int
	collation *collate.Collator
	best      bson.RawValue
}

func (a *extreme) Add(v bson.RawValue) {
	if value.IsNullish(v) {
		return
	}
	if a.best.IsZero() || compare.Values(v, a.best, a.collation)*a.sign > 0 {
		a.best = v
	}
}

func (a *extreme) Result() bson.RawValue {
	if a.best.IsZero() {
		return value.Null
	}
	return a.best
}

// deviation computes the standard deviation by Welford's method.
type deviation struct {
	sample   int64
	count    int64
	mean, m2 float64
}

func (a *deviation) Add(v bson.RawValue) {
	if !number.Is(v.Type) {
		return
	}
	x := number.Float64(v)
	a.count++
	d := x - a.mean
	a.mean += d / float64(a.count)
	a.m2 += d * (x - a.mean)
}

func (a *deviation) Result() bson.RawValue {
	n := a.count - a.sample
	if n <= 0 {
		return value.Null
	}
	return value.Double(math.Sqrt(a.m2 / float64(n)))
}
