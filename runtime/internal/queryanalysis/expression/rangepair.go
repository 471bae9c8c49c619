package expression

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/mark"
)

// comparison is a comparison of a path with a literal.
type comparison struct {
	path    string
	end     mark.End
	literal bson.RawValue // as it is in the command
}

// readComparison reads a comparison of a range. The path may be on either side.
func readComparison(name string, operand bson.RawValue) (c comparison, ok bool) {
	operator, isOrder := encryption.OperatorByName(name)
	values := elements(operand)
	if !isOrder || len(values) != 2 {
		return c, false
	}
	path, literal := values[0], values[1]
	if _, ok := isPath(path); !ok {
		operator, path, literal = mirror(operator), literal, path
	}
	if c.path, ok = isPath(path); !ok {
		return c, false
	}
	c.literal = literal
	c.end = mark.End{Value: unwrapLiteral(literal), Operator: operator}
	return c, true
}

// unwrapLiteral returns a value without the $literal around it.
func unwrapLiteral(v bson.RawValue) bson.RawValue {
	if op, inner, ok, _ := splitOperator(v); ok && op == analysis.OpLiteral {
		return inner
	}
	return v
}

// pairsOf finds the ranges of a conjunction: the operands of $and, and of those below it.
func pairsOf(operand bson.RawValue, pairs mark.Pairs, depth int) mark.Pairs {
	list, ok := operand.ArrayOK()
	if !ok || depth > maxDepth {
		return pairs
	}
	for _, v := range list.All() {
		name, inner, ok, err := splitOperator(v)
		if err != nil || !ok {
			continue
		}
		if name == conjunction {
			pairs = pairsOf(inner, pairs, depth+1)
		} else if c, ok := readComparison(name, inner); ok {
			pairs = pairs.Place(c.path, c.end)
		}
	}
	return pairs
}

// conjunction is the operator whose operands must all hold.
const conjunction = analysis.OpAnd

// enterOperands returns the environment of the operands of an operator. Only a conjunction has ranges with two ends.
func (e Env) enterOperands(name string, operand bson.RawValue) Env {
	switch {
	case name != conjunction:
		e.pairs = nil
	case e.pairs == nil:
		e.pairs = pairsOf(operand, mark.Pairs{}, 0)
	}
	return e
}
