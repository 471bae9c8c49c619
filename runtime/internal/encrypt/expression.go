package encrypt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/encrypt/key"
	"github.com/specdrivers/onion/runtime/internal/encrypt/payload"
)

// comparison is one bound of a range.
type comparison struct {
	path     string // of the field; in an aggregation it begins with the dollar sign
	operator encryption.Operator
	value    bson.RawValue
}

var errExpression = errors.New(
	"encrypt: the expression must be {$and: [...]} of one or two comparisons of one field with $gt, $gte, $lt and $lte")

// EncryptExpression encrypts the bounds of a range: the first comparison carries both bounds, the second refers to the first.
//
// Client Side Encryption, "encryptExpression".
func (e *Explicit) EncryptExpression(ctx context.Context, expression bson.Raw, p *Plan) (bson.Raw, error) {
	if p.algorithm != ranges || p.QueryType != queryRange {
		return nil, errors.New("encrypt: an expression requires the algorithm Range and the query type range")
	}
	list, aggregation, err := parseExpression(expression)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		if err := p.checkRangeOptions(c.value); err != nil {
			return nil, err
		}
	}
	keys := key.NewSet()
	defer keys.Wipe()
	id, err := e.keyOf(ctx, keys, p)
	if err != nil {
		return nil, err
	}
	sealed := make([][]byte, len(list))
	number := e.expressions.Add(1) - 1
	for i := range list {
		if sealed[i], err = payload.Seal(p.rangeFindPlaceholder(id, list, i, number), keys.Key, e.Random); err != nil {
			return nil, err
		}
	}
	return printExpression(list, sealed, aggregation), nil
}

// rangeFindPlaceholder returns the placeholder of one comparison.
func (p *Plan) rangeFindPlaceholder(id bson.UUID, list []comparison, at int, number int32) []byte {
	dst, start := bson.AppendDocumentStart(nil)
	if at == 0 {
		least, most := p.boundsOf(list[0].value.Type)
		low, high := doubleValue(math.Inf(-1)), doubleValue(math.Inf(1))
		lowIn, highIn := true, true
		for _, c := range list {
			if c.operator.IsLower() {
				low, lowIn = c.value, c.operator == encryption.OperatorGreaterOrEqual
			} else {
				high, highIn = c.value, c.operator == encryption.OperatorLessOrEqual
			}
		}
		var edges int
		dst, edges = bson.AppendDocumentElementStart(dst, "edgesInfo")
		dst = bson.AppendRawValueElement(dst, "lowerBound", low)
		dst = bson.AppendBooleanElement(dst, "lbIncluded", lowIn)
		dst = bson.AppendRawValueElement(dst, "upperBound", high)
		dst = bson.AppendBooleanElement(dst, "ubIncluded", highIn)
		dst = bson.AppendRawValueElement(dst, "indexMin", least)
		dst = bson.AppendRawValueElement(dst, "indexMax", most)
		dst = bson.AppendDocumentEnd(p.appendShape(dst), edges)
	}
	dst = bson.AppendInt32Element(dst, "payloadId", number)
	dst = bson.AppendInt32Element(dst, "firstOperator", int32(list[0].operator))
	if len(list) == 2 {
		dst = bson.AppendInt32Element(dst, "secondOperator", int32(list[1].operator))
	}
	return p.placeholder(id, toFind, 3, documentValue(bson.AppendDocumentEnd(dst, start)), sparsityOf(p.Range))
}

// parseExpression reads {$and: [{field: {$gt: value}}, ...]} and {$and: [{$gt: ["$field", value]}, ...]}.
func parseExpression(expression bson.Raw) (list []comparison, aggregation bool, err error) {
	var terms bson.RawArray
	for name, value := range expression.All() {
		array, ok := value.ArrayOK()
		if name != analysis.OpAnd || !ok || terms != nil {
			return nil, false, errExpression
		}
		terms = array
	}
	for _, term := range terms.All() {
		doc, ok := term.DocumentOK()
		if !ok {
			return nil, false, errExpression
		}
		for name, value := range doc.All() {
			if o, ok := encryption.OperatorByName(name); ok {
				c, err := parseAggregated(o, value)
				if err != nil {
					return nil, false, err
				}
				list, aggregation = append(list, c), true
				continue
			}
			inner, ok := value.DocumentOK()
			if !ok || strings.HasPrefix(name, "$") {
				return nil, false, errExpression
			}
			for operator, bound := range inner.All() {
				o, _ := encryption.OperatorByName(operator)
				list = append(list, comparison{name, o, bound})
			}
		}
	}
	return list, aggregation, checkRange(list)
}

func parseAggregated(operator encryption.Operator, value bson.RawValue) (comparison, error) {
	array, ok := value.ArrayOK()
	var parts []bson.RawValue
	for _, part := range array.All() {
		parts = append(parts, part)
	}
	if !ok || len(parts) != 2 {
		return comparison{}, errExpression
	}
	path, ok := parts[0].StringOK()
	if !ok || !strings.HasPrefix(path, "$") {
		return comparison{}, fmt.Errorf("%w: the first operand of %s must be the path of a field", errExpression, operator)
	}
	return comparison{path, operator, parts[1]}, nil
}

// checkRange refuses comparisons that do not make a range.
func checkRange(list []comparison) error {
	if len(list) == 0 || len(list) > 2 {
		return errExpression
	}
	for _, c := range list {
		if c.operator == 0 || c.path != list[0].path {
			return errExpression
		}
	}
	if len(list) == 2 && list[0].operator.IsLower() == list[1].operator.IsLower() {
		return fmt.Errorf("%w: two bounds on the same side", errExpression)
	}
	return nil
}

func printExpression(list []comparison, sealed [][]byte, aggregation bool) bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	dst, terms := bson.AppendArrayElementStart(dst, analysis.OpAnd)
	for i, c := range list {
		var term, inner int
		dst, term = bson.AppendDocumentElementStart(dst, strconv.Itoa(i))
		if aggregation {
			dst, inner = bson.AppendArrayElementStart(dst, c.operator.String())
			dst = bson.AppendStringElement(dst, "0", c.path)
			dst = bson.AppendBinaryElement(dst, "1", bsontype.BinaryEncrypted, sealed[i])
		} else {
			dst, inner = bson.AppendDocumentElementStart(dst, c.path)
			dst = bson.AppendBinaryElement(dst, c.operator.String(), bsontype.BinaryEncrypted, sealed[i])
		}
		dst = bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, inner), term)
	}
	return bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, terms), start)
}
