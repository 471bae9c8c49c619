package match

import (
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/form"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
)

// appendOperator appends one operator of a condition.
func (c condition) appendOperator(dst []byte, op string, v bson.RawValue) ([]byte, error) {
	rules, known := analysis.OfMatch(op)
	if !known || rules.Place&analysis.PlacePath == 0 {
		return dst, refusal.Text(op, c.path, analysis.OperatorUnsupported())
	}
	switch rules.On[c.node.Kind()] {
	case analysis.MatchPass:
		return bson.AppendRawValueElement(dst, op, v), nil
	case analysis.MatchMark, analysis.MatchDocument, analysis.MatchClosed, analysis.MatchClosedList, analysis.MatchList,
		analysis.MatchRandom, analysis.MatchUnindexed:
		return c.appendLiterals(dst, op, v)
	case analysis.MatchScalar:
		if !isScalar(v) {
			return dst, c.refuse(op)
		}
		return bson.AppendRawValueElement(dst, op, v), c.refuseScalar(op)
	case analysis.MatchFlag:
		if !isFlag(v) {
			return dst, refusal.New(op, c.path, "the operator needs a boolean, 0 or 1")
		}
		return bson.AppendRawValueElement(dst, op, v), nil
	case analysis.MatchBound:
		return c.appendBound(dst, op, v)
	case analysis.MatchNot:
		return c.appendNot(dst, op, v)
	case analysis.MatchElement:
		return bson.AppendRawValueElement(dst, op, v), checkElements(v, c.path, 0)
	}
	return dst, c.refuse(op)
}

// isFlag reports whether a value only says yes or no.
func isFlag(v bson.RawValue) bool {
	n, isNumber := v.AsFloat64OK()
	return v.Type == bsontype.Boolean || isNumber && (n == 0 || n == 1)
}

// appendLiterals appends the literal of an operator, or the literals of one that takes an array.
func (c condition) appendLiterals(dst []byte, op string, v bson.RawValue) ([]byte, error) {
	if op != analysis.OpIn && op != analysis.OpNin {
		return c.appendLiteral(dst, op, v, op)
	}
	list, ok := v.ArrayOK()
	if !ok {
		return dst, refusal.New(op, c.path, "the operator needs an array")
	}
	if f := c.node.Field(); f != nil && c.marker().Refuse {
		return dst, c.refuse(op)
	}
	dst, start := bson.AppendArrayElementStart(dst, op)
	for i, e := range list.All() {
		var err error
		if dst, err = c.appendLiteral(dst, strconv.Itoa(i), e, op); err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// appendNot appends $not with the operators that it negates.
func (c condition) appendNot(dst []byte, op string, v bson.RawValue) ([]byte, error) {
	if v.Type == bsontype.Regex && c.node.Kind() <= analysis.KindPrefix {
		return bson.AppendRawValueElement(dst, op, v), c.refuseScalar(op)
	}
	ops, ok := operators(v)
	if !ok {
		return dst, c.refuse(op)
	}
	if c.depth++; c.depth > maxDepth {
		return dst, refusal.New("", "", "the filter is nested too deeply")
	}
	defer func() { c.depth-- }()
	defer c.enterScope()()
	c.pairOperators(c.path, ops)
	dst, start := bson.AppendDocumentElementStart(dst, op)
	for op, v := range ops.All() {
		var err error
		if dst, err = c.appendOperator(dst, op, v); err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// CheckElements checks filters on elements of arrays in which nothing is encrypted: it refuses what is refused everywhere, and what
// reaches the whole document.
func CheckElements(v bson.RawValue, path string) error { return checkElements(v, path, 0) }

func checkElements(v bson.RawValue, path string, depth int) error {
	if v.Type != bsontype.EmbeddedDocument && v.Type != bsontype.Array {
		return nil
	}
	if depth > maxDepth {
		return refusal.New("", path, "the filter is nested too deeply")
	}
	for key, e := range bson.Raw(v.Value).All() {
		if strings.HasPrefix(key, "$") && key != form.Ref && key != form.ID && key != form.DB {
			rules, known := analysis.OfMatch(key)
			rule := rules.On[analysis.KindPlain]
			if !known || rule == analysis.MatchUnsupported || rule == analysis.MatchExpression {
				return refusal.Text(key, path, analysis.OperatorUnsupported())
			}
		}
		if err := checkElements(e, path, depth+1); err != nil {
			return err
		}
	}
	return nil
}
