package pipeline

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/expression"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// appendGroupKey appends an expression that documents are grouped by: equal values must have equal ciphertexts.
func (s stage) appendGroupKey(dst []byte, key string, v bson.RawValue) ([]byte, error) {
	dst, n, err := s.env.Append(dst, key, v)
	if err != nil || !n.Encrypts() {
		return dst, err
	}
	if f := n.Field(); f != nil && f.Kind == analysis.KindDeterministic {
		return dst, nil
	}
	if v.Type == bsontype.EmbeddedDocument && !isOperator(bson.Raw(v.Value)) {
		for _, part := range bson.Raw(v.Value).All() {
			if _, err := s.appendGroupKey(nil, key, part); err != nil {
				return dst, err
			}
		}
		return dst, nil
	}
	path := ""
	if f := n.Field(); f != nil {
		path = f.Path
	}
	return dst, s.refuse(path, "documents can be grouped by fields that are encrypted deterministically, and by plain ones")
}

// groupKeyNode returns the node of what documents are grouped by. The expression is known to be valid.
func groupKeyNode(env expression.Env, v bson.RawValue) *schema.Node {
	marker := *env.Marker
	env.Marker = &marker
	_, n, err := env.Append(nil, "_id", v)
	if err != nil {
		return schema.Opaque
	}
	return n
}

// appendGroup appends $group.
func (s stage) appendGroup(dst []byte, doc bson.Raw) ([]byte, *schema.Node, error) {
	tree := s.unnamedFields()
	dst, start := bson.AppendDocumentElementStart(dst, s.name)
	for key, v := range doc.All() {
		var err error
		var n *schema.Node
		if key == "_id" {
			dst, n, err = s.appendGroupID(dst, key, v)
		} else {
			dst, n, err = s.appendAccumulator(dst, key, v)
		}
		if err != nil {
			return dst, nil, err
		}
		tree = s.addAccumulated(tree, key, v, n)
	}
	return bson.AppendDocumentEnd(dst, start), tree, nil
}

// appendGroupID appends the _id of $group, and returns the node of its values.
func (s stage) appendGroupID(dst []byte, key string, v bson.RawValue) ([]byte, *schema.Node, error) {
	if dst, done := s.appendConstant(dst, key, v); done {
		return dst, nil, nil
	}
	dst, err := s.appendGroupKey(dst, key, v)
	if err != nil {
		return dst, nil, err
	}
	return dst, groupKeyNode(s.env, v), nil
}

// appendConstant appends a constant of $group as {$const: ...}. Upstream's analysis for client-side field level encryption prints it
// so, as the suite count shows. done is false for anything but a constant, and for Queryable Encryption: no suite and no vector
// shows it there.
func (s stage) appendConstant(dst []byte, key string, v bson.RawValue) (out []byte, done bool) {
	text, isText := v.StringOK()
	switch {
	case s.QE, isText && strings.HasPrefix(text, "$"), v.Type == bsontype.EmbeddedDocument, v.Type == bsontype.Array:
		return dst, false
	}
	dst, start := bson.AppendDocumentElementStart(dst, key)
	dst = bson.AppendRawValueElement(dst, "$const", v)
	return bson.AppendDocumentEnd(dst, start), true
}

// appendAccumulator appends one accumulated field.
func (s stage) appendAccumulator(dst []byte, key string, v bson.RawValue) ([]byte, *schema.Node, error) {
	doc, ok := v.DocumentOK()
	op, _ := doc.Index(0)
	rule := analysis.OfAccumulator(op.Key, s.QE)
	if !ok || doc.Len() != 1 || rule == analysis.AccumulatorUnknown {
		return dst, nil, s.refuse(key, "the accumulator %q is not known to be safe with encrypted fields", op.Key)
	}
	dst, start := bson.AppendDocumentElementStart(dst, key)
	if out, done := s.appendConstant(dst, op.Key, op.Value); done && s.name == analysis.OpGroup {
		return bson.AppendDocumentEnd(out, start), nil, nil
	}
	if rule == analysis.AccumulatorDeterministic {
		out, n, err := s.env.Append(dst, op.Key, op.Value)
		if err != nil {
			return dst, nil, err
		}
		if f := n.Field(); !n.Encrypts() || f != nil && f.Kind == analysis.KindDeterministic {
			return bson.AppendDocumentEnd(out, start), schema.NewArray(n), nil
		}
		return dst, nil, s.refuse(key, "%s", analysis.NotAllowedOnEncrypted(op.Key))
	}
	dst, err := s.appendOperands(dst, op.Key, op.Value)
	if err != nil {
		return dst, nil, err
	}
	return bson.AppendDocumentEnd(dst, start), s.env.Remains(op.Value), nil
}

// appendOperands appends the operands of an accumulator: an expression, or a document of them and a sort.
func (s stage) appendOperands(dst []byte, name string, v bson.RawValue) ([]byte, error) {
	doc, ok := v.DocumentOK()
	if !ok || isOperator(doc) {
		return s.env.AppendPlain(dst, name, v, name)
	}
	dst, start := bson.AppendDocumentElementStart(dst, name)
	for key, v := range doc.All() {
		var err error
		if key == "sortBy" {
			err = CheckSort(v, s.env.Tree)
			dst = bson.AppendRawValueElement(dst, key, v)
		} else {
			dst, err = s.env.AppendPlain(dst, key, v, name)
		}
		if err != nil {
			return dst, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// appendBucket appends $bucket or $bucketAuto, whose bounds cannot be encrypted.
func (s stage) appendBucket(dst []byte, doc bson.Raw) ([]byte, *schema.Node, error) {
	tree := s.unnamedFields().Replace("_id", nil)
	if doc.Lookup("output").IsZero() {
		tree = tree.Replace("count", nil)
	}
	dst, start := bson.AppendDocumentElementStart(dst, s.name)
	for key, v := range doc.All() {
		var err error
		switch key {
		case "groupBy", "boundaries", "default":
			dst, err = s.env.AppendPlain(dst, key, v, s.name)
		case "buckets", "granularity":
			dst = bson.AppendRawValueElement(dst, key, v)
		case "output":
			dst, tree, err = s.appendOutput(dst, key, v, tree)
		default:
			err = s.malformedError()
		}
		if err != nil {
			return dst, nil, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), tree, nil
}

func (s stage) appendOutput(dst []byte, key string, v bson.RawValue, tree *schema.Node) ([]byte, *schema.Node, error) {
	doc, ok := v.DocumentOK()
	if !ok {
		return dst, nil, s.malformedError()
	}
	dst, start := bson.AppendDocumentElementStart(dst, key)
	for name, v := range doc.All() {
		var n *schema.Node
		var err error
		if dst, n, err = s.appendAccumulator(dst, name, v); err != nil {
			return dst, nil, err
		}
		tree = s.addAccumulated(tree, name, v, n)
	}
	return bson.AppendDocumentEnd(dst, start), tree, nil
}

// addAccumulated returns a tree with the values of an accumulator, or of the _id of $group, under a name.
func (s stage) addAccumulated(tree *schema.Node, name string, v bson.RawValue, n *schema.Node) *schema.Node {
	doc, _ := v.DocumentOK()
	op, _ := doc.Index(0)
	switch op.Key {
	case analysis.OpSum, analysis.OpAvg, analysis.OpCount, analysis.OpStdDevPop, analysis.OpStdDevSamp:
		return s.putScalar(tree, name)
	}
	if strings.HasPrefix(op.Key, "$") && op.Key != analysis.OpLiteral {
		return tree.Replace(name, n)
	}
	return s.put(tree, name, v, n)
}
