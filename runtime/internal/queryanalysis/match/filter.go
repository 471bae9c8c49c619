package match

import (
	"errors"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/form"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/expression"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/mark"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// maxDepth bounds the nesting of filters. MongoDB nests documents no deeper than 180 levels.
const maxDepth = 200

// errNormal says that a filter cannot be marked as it is typed: only its normal form can say what is meant.
var errNormal = errors.New("the filter must be in its normal form")

// Append appends a filter in its normal form: one condition to a document, and several joined by $and. That is how the
// specification's suites expect the filters of commands.
func Append(dst []byte, key string, filter bson.Raw, env expression.Env) ([]byte, error) {
	f := &builder{env: env, normal: true}
	return f.appendSeparate(bson.AppendHeader(dst, bsontype.EmbeddedDocument, key), filter)
}

// AppendTyped appends a filter as it is typed, unless only the normal form can say what is meant.
func AppendTyped(dst []byte, key string, filter bson.Raw, env expression.Env) ([]byte, error) {
	f := &builder{env: env}
	before := *env.Marker
	out, err := f.appendSeparate(bson.AppendHeader(dst, bsontype.EmbeddedDocument, key), filter)
	if errors.Is(err, errNormal) {
		*env.Marker = before
		return Append(dst, key, filter, env)
	}
	return out, err
}

// builder writes one filter.
type builder struct {
	env    expression.Env
	normal bool
	pairs  mark.Pairs
	depth  int
}

// appendFilter appends a filter's document without its header.
func (b *builder) appendFilter(dst []byte, doc bson.Raw) ([]byte, error) {
	if b.depth++; b.depth > maxDepth {
		return dst, refusal.New("", "", "the filter is nested too deeply")
	}
	defer func() { b.depth-- }()
	dst, start := bson.AppendDocumentStart(dst)
	var err error
	if b.normal && b.countConditions(doc) > 1 {
		dst, err = b.appendConjunction(dst, doc)
	} else {
		for key, v := range doc.All() {
			if dst, err = b.appendCondition(dst, key, v); err != nil {
				break
			}
		}
	}
	if err != nil {
		return dst, err
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// countConditions counts the documents that the normal form of a filter joins.
func (b *builder) countConditions(doc bson.Raw) int {
	n := 0
	for key, v := range doc.All() {
		switch {
		case key == analysis.OpComment:
		case strings.HasPrefix(key, "$"):
			n++
		default:
			n += countParts(v)
		}
	}
	return n
}

// countParts counts the conditions that the normal form makes of a condition on a path.
func countParts(v bson.RawValue) int {
	ops, ok := operators(v)
	if !ok || staysTogether(ops) {
		return 1
	}
	return ops.Len()
}

// staysTogether reports whether operators belong to each other and must not be separated.
func staysTogether(ops bson.Raw) bool {
	for op := range ops.All() {
		if rules, _ := analysis.OfMatch(op); rules.Part {
			return true
		}
	}
	return false
}

// operators returns the operators of a condition; a literal has none.
func operators(v bson.RawValue) (bson.Raw, bool) {
	doc, ok := v.DocumentOK()
	if !ok {
		return nil, false
	}
	first, ok := doc.Index(0)
	if !ok || !strings.HasPrefix(first.Key, "$") || first.Key == form.Ref || first.Key == form.ID || first.Key == form.DB {
		return nil, false
	}
	return doc, true
}

// appendConjunction appends $and with the conditions of a filter.
func (b *builder) appendConjunction(dst []byte, doc bson.Raw) ([]byte, error) {
	dst, and := bson.AppendArrayElementStart(dst, analysis.OpAnd)
	i := 0
	one := func(key string, v bson.RawValue) (err error) {
		var start int
		dst, start = bson.AppendDocumentElementStart(dst, strconv.Itoa(i))
		i++
		if dst, err = b.appendCondition(dst, key, v); err != nil {
			return err
		}
		dst = bson.AppendDocumentEnd(dst, start)
		return nil
	}
	var comment bson.RawValue
	for key, v := range doc.All() {
		if key == analysis.OpComment {
			comment = v
			continue
		}
		ops, ok := operators(v)
		if strings.HasPrefix(key, "$") || !ok || staysTogether(ops) {
			if err := one(key, v); err != nil {
				return dst, err
			}
			continue
		}
		for op, operand := range ops.All() {
			if err := one(key, documentOf(op, operand)); err != nil {
				return dst, err
			}
		}
	}
	dst = bson.AppendDocumentEnd(dst, and)
	if !comment.IsZero() {
		dst = bson.AppendRawValueElement(dst, analysis.OpComment, comment)
	}
	return dst, nil
}

// documentOf returns a document of one element.
func documentOf(key string, v bson.RawValue) bson.RawValue {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendRawValueElement(dst, key, v)
	return bson.RawValue{Type: bsontype.EmbeddedDocument, Value: bson.AppendDocumentEnd(dst, start)}
}

// appendCondition appends one element of a filter.
func (b *builder) appendCondition(dst []byte, key string, v bson.RawValue) ([]byte, error) {
	if !strings.HasPrefix(key, "$") {
		return b.appendPath(dst, key, v)
	}
	rules, known := analysis.OfMatch(key)
	if !known || rules.Place&analysis.PlaceTop == 0 {
		return dst, refusal.Text(key, "", analysis.OperatorUnsupported())
	}
	switch rules.On[analysis.KindPlain] {
	case analysis.MatchPass:
		return bson.AppendRawValueElement(dst, key, v), nil
	case analysis.MatchLogical:
		return b.appendLogical(dst, key, v)
	case analysis.MatchExpression:
		out, _, err := b.env.Append(dst, key, v)
		return out, err
	}
	return dst, refusal.Text(key, "", analysis.OperatorUnsupported())
}

// appendLogical appends $and, $or or $nor.
func (b *builder) appendLogical(dst []byte, key string, v bson.RawValue) ([]byte, error) {
	list, ok := v.ArrayOK()
	if !ok {
		return dst, refusal.New(key, "", "the operator needs an array of filters")
	}
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i, one := range list.All() {
		doc, ok := one.DocumentOK()
		if !ok {
			return dst, refusal.New(key, "", "the operator needs an array of filters")
		}
		var err error
		dst = bson.AppendHeader(dst, bsontype.EmbeddedDocument, strconv.Itoa(i))
		if key == analysis.OpAnd {
			dst, err = b.appendFilter(dst, doc)
		} else {
			dst, err = b.appendSeparate(dst, doc)
		}
		if err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// appendSeparate appends a filter that is not part of the conjunction around it.
func (b *builder) appendSeparate(dst []byte, doc bson.Raw) ([]byte, error) {
	defer b.enterScope()()
	b.pair(doc)
	return b.appendFilter(dst, doc)
}

// appendPath appends the condition on a path.
func (b *builder) appendPath(dst []byte, path string, v bson.RawValue) ([]byte, error) {
	n, err := b.env.Tree.LookupAny(path)
	if err != nil {
		return dst, err
	}
	c := condition{b, path, n}
	ops, ok := operators(v)
	if !ok {
		return c.appendEquality(dst, v)
	}
	if b.normal && ops.Len() == 1 {
		first, _ := ops.Index(0)
		if out, done, err := c.appendRewritten(dst, first.Key, first.Value); done || err != nil {
			return out, err
		}
	}
	dst, start := bson.AppendDocumentElementStart(dst, path)
	for op, operand := range ops.All() {
		if dst, err = c.appendOperator(dst, op, operand); err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// condition is the condition on one path.
type condition struct {
	*builder
	path string
	node *schema.Node
}

// appendEquality appends the equality that a value without an operator means.
func (c condition) appendEquality(dst []byte, v bson.RawValue) ([]byte, error) {
	if pattern, options, ok := v.RegexOK(); ok && c.node.Kind() <= analysis.KindPrefix {
		if err := c.refuseScalar(analysis.OpRegex); err != nil {
			return dst, err
		}
		if !c.normal {
			return bson.AppendRawValueElement(dst, c.path, v), nil
		}
		dst, start := bson.AppendDocumentElementStart(dst, c.path)
		dst = bson.AppendStringElement(dst, analysis.OpRegex, pattern)
		if options != "" {
			dst = bson.AppendStringElement(dst, analysis.OpOptions, options)
		}
		return bson.AppendDocumentEnd(dst, start), nil
	}
	if !c.normal {
		return c.appendLiteral(dst, c.path, v, analysis.OpEq)
	}
	if out, done, err := c.appendRewritten(dst, analysis.OpEq, v); done || err != nil {
		return out, err
	}
	dst, start := bson.AppendDocumentElementStart(dst, c.path)
	dst, err := c.appendOperator(dst, analysis.OpEq, v)
	if err != nil {
		return dst, err
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// appendLiteral appends a value that the path is compared with for equality.
func (c condition) appendLiteral(dst []byte, key string, v bson.RawValue, op string) ([]byte, error) {
	rules, _ := analysis.OfMatch(op)
	switch rules.On[c.node.Kind()] {
	case analysis.MatchPass:
		return bson.AppendRawValueElement(dst, key, v), nil
	case analysis.MatchDocument:
		return c.appendDocument(dst, key, v, op)
	case analysis.MatchMark, analysis.MatchList:
		return c.env.Marker.AppendCompared(dst, key, v, c.node.Field(), op)
	case analysis.MatchClosed, analysis.MatchClosedList:
		return dst, errNormal
	case analysis.MatchRandom, analysis.MatchUnindexed:
		return c.env.Marker.AppendCompared(dst, key, v, c.node.Field(), op) // refuses, with its own message
	}
	return dst, c.refuse(op)
}

// refuse is the error for an operator on this path.
func (c condition) refuse(op string) error {
	if c.env.Marker.Refuse {
		return refusal.Text(op, c.path, analysis.ComparisonNotSupported())
	}
	if c.node.IsGone() {
		return refusal.RemovedField(op, c.path)
	}
	if c.node.Kind() == analysis.KindPrefix {
		return refusal.New(op, c.path, "the operator does not support documents with encrypted fields")
	}
	return refusal.Text(op, c.path, analysis.OperatorOnEncrypted())
}

// appendDocument appends a literal for a path above encrypted fields.
func (c condition) appendDocument(dst []byte, key string, v bson.RawValue, op string) ([]byte, error) {
	if doc, ok := v.DocumentOK(); ok && !c.node.IsOpaque() && c.node.Elements() == nil {
		return c.env.Marker.AppendLiteral(bson.AppendHeader(dst, bsontype.EmbeddedDocument, key), doc, c.node, op)
	}
	if !isScalar(v) {
		return dst, c.refuse(op)
	}
	return bson.AppendRawValueElement(dst, key, v), c.refuseScalar(op)
}

// isScalar reports whether a literal holds no document.
func isScalar(v bson.RawValue) bool {
	switch v.Type {
	case bsontype.EmbeddedDocument, bsontype.CodeWithScope, bsontype.DBPointer:
		return false
	case bsontype.Array:
		for _, e := range bson.RawArray(v.Value).All() {
			if e.Type == bsontype.Array || !isScalar(e) {
				return false
			}
		}
	}
	return true
}

// refuseScalar refuses a comparison with a value that may itself be encrypted.
func (c condition) refuseScalar(op string) error {
	if c.node.IsOpaque() || c.node.Elements() != nil {
		return c.refuse(op)
	}
	return nil
}

// marker returns the marker of the command.
func (c condition) marker() *mark.Marker { return c.env.Marker }
