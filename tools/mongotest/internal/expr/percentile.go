package expr

import (
	"math"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// IsPercentile reports whether name is $median or $percentile, as an accumulator or an expression.
func IsPercentile(name string) bool { return name == "$median" || name == "$percentile" }

// Percentiles makes accumulators of $median or $percentile. The approximate method returns the same as the discrete
// one, because a server's digest is exact for few values.
type Percentiles struct {
	ranks      []float64
	continuous bool
	median     bool
}

func (c *compiler) compilePercentileArguments(name string, arg bson.RawValue) (p Percentiles, input eval, err error) {
	d, ok := arg.DocumentOK()
	if !ok {
		code := map[bool]errcode.Code{false: 7429703, true: 7436100}[name == "$median"]
		return p, nil, status.Errorf(code, "specification must be an object; found %s: %s", name, status.TextOf(arg))
	}
	p.median, p.ranks = name == "$median", []float64{0.5}
	for key := range d.All() {
		if key != "input" && key != "method" && (key != "p" || p.median) {
			return p, nil, status.Errorf(errcode.Location40415, "BSON field '%s.%s' is an unknown field.", name, key)
		}
	}
	for _, key := range [...]string{"input", "method", "p"} {
		if d.Lookup(key).IsZero() && (key != "p" || !p.median) {
			return p, nil, status.Errorf(errcode.Location40414, "BSON field '%s.%s' is missing but a required field", name, key)
		}
	}
	switch method := d.Lookup("method"); value.Text(method) {
	case "approximate":
	case "discrete", "continuous":
		if p.continuous = value.Text(method) == "continuous"; c.scope.Wire() >= wire.Server81 {
			break
		}
		fallthrough
	default:
		return p, nil, status.Errorf(errcode.BadValue, "Currently only 'approximate' can be used as percentile 'method'.")
	}
	if !p.median {
		if p.ranks, err = c.readPercentileRanks(d.Lookup("p")); err != nil {
			return p, nil, err
		}
	}
	input, err = c.compile(d.Lookup("input"))
	return p, input, err
}

func (c *compiler) readPercentileRanks(v bson.RawValue) ([]float64, error) {
	bad := func(code errcode.Code) error {
		return status.Errorf(code,
			"The $percentile 'p' field must be an array of constant values with at least one element of numeric type in the "+
				"range [0.0, 1.0]; found: %s", status.TextOf(v))
	}
	node, err := (&compiler{scope: c.scope, now: c.now, build: c.build}).compileNode(v)
	if err != nil {
		return nil, err
	}
	if !node.Constant() {
		return nil, bad(7750300)
	}
	got, err := node.Eval(value.EmptyDocument)
	if err != nil {
		return nil, err
	}
	var ranks []float64
	for _, e := range value.Elements(got) {
		f := number.Float64(e)
		switch {
		case !number.Is(e.Type):
			return nil, bad(7750302)
		case !(f >= 0 && f <= 1):
			return nil, bad(7750303)
		}
		ranks = append(ranks, f)
	}
	if len(ranks) == 0 {
		return nil, bad(7750301)
	}
	return ranks, nil
}

// New makes an accumulator.
func (p Percentiles) New() Accumulator { return &percentile{Percentiles: p} }

type percentile struct {
	Percentiles
	values []float64
}

// Add takes a number and ignores everything else.
func (a *percentile) Add(v bson.RawValue) {
	if number.Is(v.Type) && !number.IsNaN(v) {
		a.values = append(a.values, number.Float64(v))
	}
}

func (a *percentile) Result() bson.RawValue {
	slices.Sort(a.values)
	out := make([]bson.RawValue, len(a.ranks))
	for i, rank := range a.ranks {
		out[i] = a.at(rank)
	}
	if a.median {
		return out[0]
	}
	return value.ArrayOf(out...)
}

func (a *percentile) at(rank float64) bson.RawValue {
	n := len(a.values)
	if n == 0 {
		return value.Null
	}
	if !a.continuous {
		return value.Double(a.values[max(0, int(math.Ceil(rank*float64(n)))-1)])
	}
	place := rank * float64(n-1)
	low := int(place)
	v := a.values[low]
	if low+1 < n {
		v += (place - float64(low)) * (a.values[low+1] - v)
	}
	return value.Double(v)
}

// compilePercentile compiles $median or $percentile as an expression. Its input is an array or a single number.
func (c *compiler) compilePercentile(name string, arg bson.RawValue) (eval, error) {
	if _, ok := arg.DocumentOK(); !ok {
		code := map[bool]errcode.Code{false: 7436200, true: 7436201}[name == "$median"]
		return nil, status.Errorf(code, "specification must be an object; found %s: %s", name, status.TextOf(arg))
	}
	p, input, err := c.compilePercentileArguments(name, arg)
	if err != nil {
		return nil, err
	}
	return func(env *Env) (bson.RawValue, error) {
		v, err := input(env)
		if err != nil {
			return missing, err
		}
		a := p.New()
		a.Add(v)
		for _, e := range value.Elements(v) {
			a.Add(e)
		}
		return a.Result(), nil
	}, nil
}
