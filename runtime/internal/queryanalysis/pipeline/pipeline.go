package pipeline

import (
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/expression"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/mark"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/match"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// Pipeline is where a pipeline runs.
type Pipeline struct {
	Marker     *mark.Marker
	Collection string                             // that the documents come from
	QE         bool                               // the rules of Queryable Encryption apply
	Schema     func(string) (*schema.Node, error) // of another collection

	depth int
}

// maxDepth bounds the nesting of pipelines. A server allows 20 levels.
const maxDepth = 100

// Append appends a pipeline over documents of env.Tree, and returns the tree of the documents that it yields.
func (p Pipeline) Append(dst []byte, key string, v bson.RawValue, env expression.Env) ([]byte, *schema.Node, error) {
	list, ok := v.ArrayOK()
	if p.depth++; !ok || p.depth > maxDepth {
		return dst, nil, refusal.New(key, "", "a pipeline must be an array of stages that is not nested too deeply")
	}
	dst, start := bson.AppendArrayElementStart(dst, key)
	for i, v := range list.All() {
		doc, ok := v.DocumentOK()
		one, _ := doc.Index(0)
		if !ok || doc.Len() != 1 {
			return dst, nil, refusal.New(key, "", "a stage must be a document with one field")
		}
		var at int
		var err error
		dst, at = bson.AppendDocumentElementStart(dst, strconv.Itoa(i))
		s := stage{p, one.Key, one.Value, env}
		if dst, env.Tree, err = s.append(dst); err != nil {
			return dst, nil, err
		}
		dst = bson.AppendDocumentEnd(dst, at)
	}
	return bson.AppendDocumentEnd(dst, start), env.Tree, nil
}

// stage is one stage, with the documents that it gets in env.
type stage struct {
	Pipeline
	name string
	spec bson.RawValue
	env  expression.Env
}

func (s stage) refuse(path, format string, args ...any) error {
	return refusal.New(s.name, path, format, args...)
}

func (s stage) malformedError() error {
	return s.refuse("", "the stage has arguments that are not known to be safe with encrypted fields")
}

// append appends the stage, and returns the tree of the documents that it yields.
func (s stage) append(dst []byte) ([]byte, *schema.Node, error) {
	doc, isDoc := s.spec.DocumentOK()
	switch rule := analysis.OfStage(s.name, s.QE); rule {
	case analysis.StagePass:
		return s.copyUnchanged(dst, s.env.Tree)
	case analysis.StageReplace:
		return s.copyUnchanged(dst, s.unnamedFields())
	case analysis.StageSort:
		if err := CheckSort(s.spec, s.env.Tree); err != nil {
			return dst, nil, err
		}
		return s.copyUnchanged(dst, s.env.Tree)
	case analysis.StageCount:
		name, ok := s.spec.StringOK()
		if !ok {
			return dst, nil, s.malformedError()
		}
		return s.copyUnchanged(dst, s.putScalar(s.unnamedFields(), name))
	case analysis.StageUnset:
		return s.appendUnset(dst)
	case analysis.StageUnwind:
		return s.appendUnwind(dst)
	case analysis.StageUnionWith:
		return s.appendUnionWith(dst)
	case analysis.StageRedact:
		return s.appendRedact(dst)
	case analysis.StageReplaceWith:
		return s.appendRoot(dst, s.name, s.spec)
	case analysis.StageSortByCount:
		dst, err := s.appendGroupKey(dst, s.name, s.spec)
		return dst, s.unnamedFields().Replace("_id", groupKeyNode(s.env, s.spec)).Replace("count", nil), err
	case analysis.StageRefuse:
		return dst, nil, s.refuse("", "the stage is not supported where fields are encrypted")
	default:
		if !isDoc {
			return dst, nil, s.malformedError()
		}
		return s.appendDocument(dst, rule, doc)
	}
}

// appendDocument appends a stage whose argument is a document.
func (s stage) appendDocument(dst []byte, rule analysis.Stage, doc bson.Raw) ([]byte, *schema.Node, error) {
	if rule == analysis.StageMatch { // its conditions may name a path twice
		dst, err := s.appendMatch(dst, doc)
		return dst, s.env.Tree, err
	}
	if err := refusal.CheckUniqueKeys(s.name, doc); err != nil {
		return dst, nil, err
	}
	switch rule {
	case analysis.StageProject:
		return s.appendProject(dst, doc)
	case analysis.StageAddFields:
		return s.appendAddFields(dst, doc)
	case analysis.StageReplaceRoot:
		return s.appendReplaceRoot(dst, doc)
	case analysis.StageGroup:
		return s.appendGroup(dst, doc)
	case analysis.StageBucket, analysis.StageBucketAuto:
		return s.appendBucket(dst, doc)
	case analysis.StageLookup:
		return s.appendLookup(dst, doc)
	case analysis.StageGraphLookup:
		return s.appendGraphLookup(dst, doc)
	case analysis.StageFacet:
		return s.appendFacet(dst, doc)
	case analysis.StageGeoNear:
		return s.appendGeoNear(dst, doc)
	}
	return dst, nil, s.refuse("", "the stage is not supported where fields are encrypted")
}

// appendMatch appends $match. For client-side field level encryption the analysis of upstream's libraries prints the filter in its normal
// form, as the suite count and the vectors of joins have it; for Queryable Encryption it keeps the filter as it is typed.
func (s stage) appendMatch(dst []byte, filter bson.Raw) ([]byte, error) {
	if s.QE {
		return match.AppendTyped(dst, s.name, filter, s.env)
	}
	return match.Append(dst, s.name, filter, s.env)
}

// unnamedFields returns the tree of the fields that the stage does not name: most stages keep them.
func (s stage) unnamedFields() *schema.Node {
	if analysis.Drops(s.name) {
		return s.env.Tree.RemoveAll()
	}
	return s.env.Tree
}

func (s stage) copyUnchanged(dst []byte, tree *schema.Node) ([]byte, *schema.Node, error) {
	return bson.AppendRawValueElement(dst, s.name, s.spec), tree, nil
}

// CheckSort refuses a sort by an encrypted field.
func CheckSort(v bson.RawValue, tree *schema.Node) error {
	doc, ok := v.DocumentOK()
	if !ok {
		return refusal.New("sort", "", "a sort must be a document")
	}
	for path, order := range doc.All() {
		if _, isNumber := order.AsFloat64OK(); !isNumber {
			if meta, ok := order.DocumentOK(); ok && meta.Len() == 1 && !meta.Lookup(analysis.OpMeta).IsZero() {
				continue
			}
			return refusal.New("sort", path, "a sort may contain only orders and $meta")
		}
		if n, err := tree.Lookup(path); err != nil || n.Encrypts() {
			return refusal.New("sort", path, "a sort by an encrypted field is not supported")
		}
	}
	return nil
}

// appendUnset appends $unset.
func (s stage) appendUnset(dst []byte) ([]byte, *schema.Node, error) {
	tree := s.env.Tree
	paths := []bson.RawValue{s.spec}
	if list, ok := s.spec.ArrayOK(); ok {
		paths, _ = list.Values()
	}
	for _, v := range paths {
		path, ok := v.StringOK()
		if !ok {
			return dst, nil, s.malformedError()
		}
		if _, err := tree.Lookup(path); err != nil {
			return dst, nil, err
		}
		tree = tree.Remove(path)
	}
	return s.copyUnchanged(dst, tree)
}

// appendUnwind appends $unwind: elements take the place of their array.
func (s stage) appendUnwind(dst []byte) ([]byte, *schema.Node, error) {
	path, ok := s.spec.StringOK()
	index := ""
	if doc, isDoc := s.spec.DocumentOK(); isDoc {
		if err := refusal.CheckUniqueKeys(s.name, doc); err != nil {
			return dst, nil, err
		}
		for key, v := range doc.All() {
			switch key {
			case "path":
				path, ok = v.StringOK()
			case "includeArrayIndex":
				index, _ = v.StringOK()
			case "preserveNullAndEmptyArrays":
			default:
				return dst, nil, s.malformedError()
			}
		}
	}
	if !ok || !strings.HasPrefix(path, "$") || strings.HasPrefix(path, "$$") {
		return dst, nil, s.malformedError()
	}
	tree := s.env.Tree
	n, err := tree.Lookup(path[1:])
	if err != nil {
		return dst, nil, err
	}
	if n.Field() != nil {
		return dst, nil, s.refuse(path[1:], "an encrypted field is not an array")
	}
	if e := n.Elements(); e != nil {
		tree = tree.Replace(path[1:], e)
	}
	if index != "" {
		tree = s.putScalar(tree, index)
	}
	return s.copyUnchanged(dst, tree)
}

// appendRedact appends $redact. It applies its expression to embedded documents too, whose fields have other paths.
func (s stage) appendRedact(dst []byte) ([]byte, *schema.Node, error) {
	if s.env.Tree.Nested() {
		return dst, nil, s.refuse("", "the stage is not supported where fields of embedded documents are encrypted")
	}
	dst, err := s.env.AppendPlain(dst, s.name, s.spec, s.name)
	return dst, s.env.Tree, err
}

// appendReplaceRoot appends $replaceRoot.
func (s stage) appendReplaceRoot(dst []byte, doc bson.Raw) ([]byte, *schema.Node, error) {
	root, ok := doc.Index(0)
	if !ok || doc.Len() != 1 || root.Key != "newRoot" {
		return dst, nil, s.malformedError()
	}
	dst, start := bson.AppendDocumentElementStart(dst, s.name)
	dst, tree, err := s.appendRoot(dst, root.Key, root.Value)
	if err != nil {
		return dst, nil, err
	}
	return bson.AppendDocumentEnd(dst, start), tree, nil
}

// appendRoot appends an expression for the whole document.
func (s stage) appendRoot(dst []byte, key string, v bson.RawValue) ([]byte, *schema.Node, error) {
	dst, n, err := s.env.Append(dst, key, v)
	if err == nil {
		err = s.env.RefuseConstantIn(s.name, "", v, n)
	}
	if _, isPath := expression.IsPath(v); isPath {
		return dst, n, err
	}
	tree := s.unnamedFields()
	if expression.IsFields(v) {
		for key, inner := range bson.Raw(v.Value).All() {
			tree = s.put(tree, key, inner, n.LookupOrOpaque(key))
		}
		return dst, tree, err
	}
	return dst, tree.Overlay(n), err
}

// appendFacet appends $facet: each pipeline starts with the same documents, and yields an array.
func (s stage) appendFacet(dst []byte, doc bson.Raw) ([]byte, *schema.Node, error) {
	dst, start := bson.AppendDocumentElementStart(dst, s.name)
	tree := s.unnamedFields()
	for key, v := range doc.All() {
		var out *schema.Node
		var err error
		if dst, out, err = s.Pipeline.Append(dst, key, v, s.env); err != nil {
			return dst, nil, err
		}
		tree = tree.Replace(key, schema.NewArray(out))
	}
	return bson.AppendDocumentEnd(dst, start), tree, nil
}

// appendGeoNear appends $geoNear.
func (s stage) appendGeoNear(dst []byte, doc bson.Raw) ([]byte, *schema.Node, error) {
	tree := s.env.Tree
	dst, start := bson.AppendDocumentElementStart(dst, s.name)
	for key, v := range doc.All() {
		var err error
		switch key {
		case "query":
			filter, ok := v.DocumentOK()
			if !ok {
				return dst, nil, s.malformedError()
			}
			if dst, err = match.AppendTyped(dst, key, filter, s.env); err != nil {
				return dst, nil, err
			}
			continue
		case "near", "maxDistance", "minDistance", "distanceMultiplier":
			dst, err = s.env.AppendPlain(dst, key, v, s.name)
			if err != nil {
				return dst, nil, err
			}
			continue
		case "distanceField", "includeLocs", "key":
			path, ok := v.StringOK()
			if !ok {
				return dst, nil, s.malformedError()
			}
			if n, err := s.env.Tree.Lookup(path); err != nil || n.Encrypts() {
				return dst, nil, s.refuse(path, "the stage cannot use an encrypted field")
			}
		case "spherical", "limit", "num", "uniqueDocs":
		default:
			return dst, nil, s.malformedError()
		}
		if v.Type == bsontype.EmbeddedDocument {
			return dst, nil, s.malformedError()
		}
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	return bson.AppendDocumentEnd(dst, start), tree, nil
}
