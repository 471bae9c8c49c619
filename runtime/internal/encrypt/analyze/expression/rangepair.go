package expression

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/encrypt/analyze/mark"
)

// pair is one range below an $and. Two ends of one path are one range: the server gets one payload for both.
type pair struct {
	path         string
	lower, upper mark.End
	rng          mark.Range
	numbered     bool
}

func (p *pair) end(c mark.Comparison) *mark.End {
	if c.IsLower() {
		return &p.lower
	}
	return &p.upper
}

// comparison is a comparison of a path with a literal.
type comparison struct {
	path    string
	end     mark.End
	literal bson.RawValue // as it stands in the command
}

// compared reads a comparison of a range, whichever side the path stands on.
func compared(name string, operand bson.RawValue) (c comparison, ok bool) {
	order, isOrder := comparisons[name]
	values := elements(operand)
	if !isOrder || len(values) != 2 {
		return c, false
	}
	operator, path, literal := order.left, values[0], values[1]
	if _, ok := isPath(path); !ok {
		operator, path, literal = order.right, literal, path
	}
	if c.path, ok = isPath(path); !ok {
		return c, false
	}
	c.literal = literal
	c.end = mark.End{Value: constant(literal), Operator: operator}
	return c, true
}

// constant is a value without the $literal around it.
func constant(v bson.RawValue) bson.RawValue {
	if op, inner, ok, _ := operator(v); ok && op == "$literal" {
		return inner
	}
	return v
}

// pairsOf finds the ranges of a conjunction: the operands of $and, and of those below it.
func pairsOf(operand bson.RawValue, pairs []*pair, depth int) []*pair {
	list, ok := operand.ArrayOK()
	if !ok || depth > maxDepth {
		return pairs
	}
	for _, v := range list.All() {
		name, inner, ok, err := operator(v)
		if err != nil || !ok {
			continue
		}
		if name == conjunction {
			pairs = pairsOf(inner, pairs, depth+1)
		} else if c, ok := compared(name, inner); ok {
			pairs = place(pairs, c)
		}
	}
	return pairs
}

// place puts an end beside the first one that waits for it.
func place(pairs []*pair, c comparison) []*pair {
	for _, p := range pairs {
		if p.path == c.path && p.end(c.end.Operator).Value.IsZero() {
			*p.end(c.end.Operator) = c.end
			return pairs
		}
	}
	p := &pair{path: c.path}
	*p.end(c.end.Operator) = c.end
	return append(pairs, p)
}

// conjunction is the operator whose operands hold together.
const conjunction = "$and"

// inside is the environment of the operands of an operator. Only a conjunction has ranges with two ends.
func (e Env) inside(name string, operand bson.RawValue) Env {
	switch {
	case name != conjunction:
		e.pairs = nil
	case e.pairs == nil:
		e.pairs = pairsOf(operand, []*pair{}, 0)
	}
	return e
}

// rangeOf returns the range that a comparison belongs to, and whether this comparison carries the whole payload.
func (e Env) rangeOf(c comparison) (r mark.Range, whole bool) {
	for _, p := range e.pairs {
		at := p.end(c.end.Operator)
		if p.path != c.path || at.Operator != c.end.Operator || !at.Value.Equal(c.end.Value) {
			continue
		}
		whole = !p.numbered
		if whole {
			p.rng, p.numbered = e.Marker.NewRange(p.lower, p.upper, c.end.Operator), true
		}
		at.Operator = 0 // written
		return p.rng, whole
	}
	lone := pair{}
	*lone.end(c.end.Operator) = c.end
	return e.Marker.NewRange(lone.lower, lone.upper, c.end.Operator), true
}
