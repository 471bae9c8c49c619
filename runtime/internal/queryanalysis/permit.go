package queryanalysis

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/expression"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/match"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/pipeline"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
)

// permit checks an argument that is sent as it is.
func (a *analysisRun) permit(g argument) error {
	switch analysis.OfArgument(g.command, g.name) {
	case analysis.ArgumentSort:
		return pipeline.CheckSort(g.value, a.tree)
	case analysis.ArgumentBounds:
		return a.checkBounds(g)
	case analysis.ArgumentKey:
		return a.checkKey(g)
	case analysis.ArgumentArrayFilters:
		return a.checkArrayFilters(g)
	case analysis.ArgumentNew:
		if b, _ := g.value.AsBoolOK(); b && a.isQE() {
			return refusal.New(g.command, "", "Queryable Encryption cannot return the document as it is after the change")
		}
		return nil
	case analysis.ArgumentFields:
		if doc, ok := g.value.DocumentOK(); a.isQE() && !(ok && doc.Len() == 0) {
			return g.refuse()
		}
		return a.checkProjection(g)
	case analysis.ArgumentMulti:
		if b, _ := g.value.AsBoolOK(); b && a.isQE() {
			return refusal.New(g.command, "", "Queryable Encryption cannot change several documents by one statement")
		}
		return nil
	case analysis.ArgumentLimit:
		if n, ok := g.value.AsInt64OK(); a.isQE() && (!ok || n != 1) {
			return refusal.New(g.command, "", "Queryable Encryption cannot delete several documents by one statement")
		}
		return nil
	}
	return g.refuse()
}

// checkBounds refuses bounds of an index that hold a value of an encrypted field.
func (a *analysisRun) checkBounds(g argument) error {
	doc, ok := g.value.DocumentOK()
	if !ok {
		return g.refuse()
	}
	for path := range doc.All() {
		if n, err := a.tree.Lookup(path); err != nil || n != nil {
			return refusal.New(g.name, path, "the bounds of an index cannot hold the value of an encrypted field")
		}
	}
	return nil
}

// checkKey checks the field whose values distinct lists.
func (a *analysisRun) checkKey(g argument) error {
	path, ok := g.value.StringOK()
	if !ok {
		return g.refuse()
	}
	n, err := a.tree.Lookup(path)
	if err != nil {
		return err
	}
	switch f := n.Field(); {
	case n == nil:
		return nil
	case f == nil:
		return refusal.New(g.command, path, "a document with encrypted fields has no distinct values")
	case f.KeyPath != nil:
		return refusal.Text(g.command, path, analysis.DistinctKey())
	case f.Kind != analysis.KindDeterministic:
		return refusal.New(g.command, path, "distinct needs a field that is encrypted deterministically")
	case a.marker.Collated:
		return refusal.New(g.command, path, "a collation cannot apply to an encrypted text")
	}
	return nil
}

// checkArrayFilters checks filters on elements of arrays, which hold nothing encrypted.
func (a *analysisRun) checkArrayFilters(g argument) error {
	list, ok := g.value.ArrayOK()
	if !ok {
		return g.refuse()
	}
	for _, v := range list.All() {
		if err := match.CheckElements(v, ""); err != nil {
			return err
		}
	}
	return nil
}

// checkLet checks variables: nothing in them may be encrypted, or be compared with an encrypted field.
func (a *analysisRun) checkLet(g argument) error {
	doc, ok := g.value.DocumentOK()
	if !ok {
		return g.refuse()
	}
	env := a.quietEnv()
	for name, v := range doc.All() {
		if _, err := env.Bind(name, nil); err != nil {
			return err
		}
		if _, err := env.AppendPlain(nil, name, v, g.name); err != nil {
			return err
		}
	}
	return nil
}

// quietEnv returns the environment of expressions that are sent as they are: comparisons with encrypted fields are refused.
func (a *analysisRun) quietEnv() expression.Env {
	env, marker := a.env, a.marker
	marker.Refuse = true
	env.Marker = &marker
	return env
}

// checkProjection refuses to compare or compute with encrypted fields in what a command returns.
func (a *analysisRun) checkProjection(g argument) error {
	doc, ok := g.value.DocumentOK()
	if !ok {
		return g.refuse()
	}
	env := a.quietEnv()
	for path, v := range doc.All() {
		if err := a.checkFindProjection(path, v, g); err != nil {
			return err
		}
		if isFindOperator(v) {
			continue
		}
		_, n, err := env.Append(nil, "v", v)
		if err == nil {
			err = env.RefuseNumber(g.name, path, v)
		}
		if err == nil {
			err = env.RefuseConstant(g.name, path, v, n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkFindProjection checks what only the projection of find has: $elemMatch, and the positional operator.
func (a *analysisRun) checkFindProjection(path string, v bson.RawValue, g argument) error {
	path = strings.TrimSuffix(path, ".$")
	n, err := a.tree.Lookup(path)
	if err != nil {
		return err
	}
	doc, _ := v.DocumentOK()
	if cond := doc.Lookup(analysis.OpElemMatch); !cond.IsZero() {
		if n != nil {
			return refusal.Text(analysis.OpElemMatch, path, analysis.OperatorOnEncrypted())
		}
		return match.CheckElements(cond, path)
	}
	if !doc.Lookup(analysis.OpSlice).IsZero() && n != nil {
		return refusal.New(analysis.OpSlice, path, "an array operator does not support encrypted fields")
	}
	return nil
}

// isFindOperator reports whether a value of a projection is one of find's own operators, which checkFindProjection has checked.
func isFindOperator(v bson.RawValue) bool {
	doc, ok := v.DocumentOK()
	first, _ := doc.Index(0)
	_, isNumber := first.Value.AsFloat64OK()
	return ok && doc.Len() == 1 && (first.Key == analysis.OpElemMatch || first.Key == analysis.OpSlice && isNumber)
}

// appendValidator appends the validator of a collection: it compares nothing with encrypted fields.
func (a *analysisRun) appendValidator(dst []byte, g argument) ([]byte, error) {
	doc, ok := g.value.DocumentOK()
	if !ok {
		return dst, g.refuse()
	}
	a.marker.Refuse = true
	rest, start := bson.AppendDocumentStart(nil)
	for key, v := range doc.All() {
		if key != analysis.OpJSONSchema {
			rest = bson.AppendRawValueElement(rest, key, v)
			continue
		}
		if err := a.checkJSONSchema(v); err != nil {
			return dst, err
		}
	}
	if _, err := match.AppendTyped(nil, g.name, bson.AppendDocumentEnd(rest, start), a.env); err != nil {
		return dst, err
	}
	return bson.AppendRawValueElement(dst, g.name, g.value), nil
}

// checkIndex checks one index: its filter compares nothing with encrypted fields.
func (a *analysisRun) checkIndex(doc bson.Raw) error {
	if err := refusal.CheckUniqueKeys(a.target.Name, doc); err != nil {
		return err
	}
	v := doc.Lookup("partialFilterExpression")
	if v.IsZero() {
		return nil
	}
	filter, ok := v.DocumentOK()
	if !ok {
		return refusal.New(a.target.Name, "", "partialFilterExpression must be a document")
	}
	a.marker.Refuse = true
	_, err := match.AppendTyped(nil, "partialFilterExpression", filter, a.env)
	return err
}
