package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// appendText appends the stage of $text. It tests the documents that have the terms.
func (x *explanation) appendText(dst []byte, begin begins) []byte {
	p := x.found.walk.plan
	search := p.text
	dst = begin(dst, "TEXT_MATCH")
	dst, prefix := bson.AppendDocumentElementStart(dst, "indexPrefix")
	for _, name := range search.Index().Prefix {
		if v, ok := fixedValue(name, p.filter.Constraints()); ok {
			dst = bson.AppendRawValueElement(dst, name, v)
		}
	}
	dst = bson.AppendDocumentEnd(dst, prefix)
	dst = bson.AppendStringElement(dst, "indexName", p.index.Name)
	dst, parsed := bson.AppendDocumentElementStart(dst, "parsedTextQuery")
	dst = appendTexts(dst, "terms", search.Terms)
	dst = appendTexts(dst, "negatedTerms", search.Negated)
	dst = appendTexts(dst, "phrases", search.Phrases)
	dst = appendTexts(dst, "negatedPhrases", search.NegatedPhrases)
	dst = bson.AppendDocumentEnd(dst, parsed)
	dst = bson.AppendInt32Element(dst, "textIndexVersion", search.Index().Version)
	dst, in := bson.AppendDocumentElementStart(dst, "inputStage")
	keys := func(dst []byte) []byte {
		dst = begin(dst, "IXSCAN")
		dst = bson.AppendDocumentElement(dst, "keyPattern", p.index.KeyPattern())
		dst = bson.AppendStringElement(dst, "indexName", p.index.Name)
		dst = bson.AppendBooleanElement(dst, "isMultiKey", p.index.Multikey)
		dst = bson.AppendStringElement(dst, "direction", "backward")
		return bson.AppendDocumentElement(dst, "indexBounds", value.EmptyDocument)
	}
	many := make([]func([]byte) []byte, len(search.Terms))
	for i := range many {
		many[i] = keys
	}
	switch {
	case x.found.meta.Wants("textScore"):
		dst = appendInputs(begin(dst, "TEXT_OR"), many)
	case len(many) == 1:
		var one int
		dst, one = bson.AppendDocumentElementStart(begin(dst, "FETCH"), "inputStage")
		dst = bson.AppendDocumentEnd(keys(dst), one)
	default:
		var or int
		dst, or = bson.AppendDocumentElementStart(begin(dst, "FETCH"), "inputStage")
		dst = bson.AppendDocumentEnd(appendInputs(begin(dst, "OR"), many), or)
	}
	return bson.AppendDocumentEnd(dst, in)
}

func appendTexts(dst []byte, name string, texts []string) []byte {
	list := make([]bson.RawValue, len(texts))
	for i, s := range texts {
		list[i] = value.String(s)
	}
	return bson.AppendRawValueElement(dst, name, value.ArrayOf(list...))
}

// appendInputs appends inputStages.
func appendInputs(dst []byte, stages []func(dst []byte) []byte) []byte {
	dst, list := bson.AppendArrayElementStart(dst, "inputStages")
	for i, s := range stages {
		d, start := bson.AppendDocumentStart(nil)
		dst = value.AppendIndexed(dst, i, value.Document(bson.AppendDocumentEnd(s(d), start)))
	}
	return bson.AppendDocumentEnd(dst, list)
}

// appendBranches appends the stage of an $or with an index for each branch. If the bounds of a branch's index do not
// cover its filter, the branch's documents are tested before they are joined.
func (x *explanation) appendBranches(dst []byte, begin begins) []byte {
	p := x.found.walk.plan
	whole := p.filter.IsOr()
	list := value.Elements(path.Field(x.filter, "$or"))
	stages := make([]func([]byte) []byte, len(p.branches))
	fetches := false
	for i, b := range p.branches {
		filter := x.filter
		if whole && len(list) == len(p.branches) {
			filter = bson.Raw(list[i].Value)
		}
		keys, rest := value.EmptyDocument, value.EmptyDocument
		switch {
		case b.shapes != nil:
			rest = joinConditions(listConditions(filter))
		case b.text == nil:
			keys, rest = b.residualFilter(filter)
		}
		fetches = fetches || rest.Len() > 0
		stages[i] = func(dst []byte) []byte {
			if rest.Len() == 0 {
				return b.appendIndex(appendTested(begin(dst, "IXSCAN"), keys))
			}
			dst = appendTested(begin(dst, "FETCH"), rest)
			dst, in := bson.AppendDocumentElementStart(dst, "inputStage")
			if b.shapes != nil {
				return bson.AppendDocumentEnd(b.appendShapeScan(dst, begin), in)
			}
			return bson.AppendDocumentEnd(b.appendIndex(appendTested(begin(dst, "IXSCAN"), keys)), in)
		}
	}
	joined := func(dst []byte) []byte {
		if fetches {
			return appendInputs(begin(dst, "OR"), stages)
		}
		dst, in := bson.AppendDocumentElementStart(begin(dst, "FETCH"), "inputStage")
		return bson.AppendDocumentEnd(appendInputs(begin(dst, "OR"), stages), in)
	}
	if !whole {
		return joined(dst)
	}
	dst, in := bson.AppendDocumentElementStart(begin(dst, "SUBPLAN"), "inputStage")
	return bson.AppendDocumentEnd(joined(dst), in)
}

// appendClustered appends the stage that scans a range of a clustered collection.
func (x *explanation) appendClustered(dst []byte, begin begins) []byte {
	p := x.found.walk.plan
	dst = begin(dst, "CLUSTERED_IXSCAN")
	dst = appendProperties(dst, p.index)
	dst = x.appendFilter(dst)
	dst = bson.AppendStringElement(dst, "direction", direction(p.back))
	list := p.shownBounds().fields[0]
	if len(list) == 0 || isWhole(list) {
		return dst
	}
	first, last := list[0].low, list[len(list)-1].high
	if all, ok := spanOfComparison(first); !ok || !compare.Equal(first, all.low, nil) {
		dst = bson.AppendRawValueElement(dst, "minRecord", first)
	}
	if all, ok := spanOfComparison(first); !ok || !compare.Equal(last, all.high, nil) {
		dst = bson.AppendRawValueElement(dst, "maxRecord", last)
	}
	return dst
}

// appendShapes appends the stages of a search by region. The index stores no cells, so its bounds are everything.
func (x *explanation) appendShapes(dst []byte, begin begins) []byte {
	dst = x.appendFilter(begin(dst, "FETCH"))
	dst, in := bson.AppendDocumentElementStart(dst, "inputStage")
	return bson.AppendDocumentEnd(x.found.walk.plan.appendShapeScan(dst, begin), in)
}

func (p *plan) appendShapeScan(dst []byte, begin begins) []byte {
	dst = appendProperties(begin(dst, "IXSCAN"), p.shapes)
	dst = bson.AppendStringElement(dst, "direction", "forward")
	return (&plan{index: p.shapes, bounds: &bounds{x: p.shapes, fields: make([][]span, len(p.shapes.Fields))}}).appendBounds(dst)
}
