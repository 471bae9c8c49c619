package engine

import "github.com/specdrivers/onion/bson"

// canCountKeys reports whether a count needs only the keys of one range of the plan's index.
func (p *plan) canCountKeys(filter bson.Raw) bool {
	keys, docs := p.residualFilter(filter)
	if keys.Len()+docs.Len() > 0 || p.index.Opaque || p.index.Path != "" {
		return false
	}
	ended := false // the fields after an interval are read whole
	for _, list := range p.shownBounds().fields {
		if list != nil && (ended || len(list) != 1) {
			return false
		}
		ended = ended || list == nil || !list[0].isPoint()
	}
	return p.bounds.isBounded()
}

// appendCountScan describes the keys that are counted, from the first one to the last.
func (p *plan) appendCountScan(dst []byte) []byte {
	dst = appendProperties(dst, p.index)
	low, lowStart := bson.AppendDocumentStart(nil)
	high, highStart := bson.AppendDocumentStart(nil)
	lowOpen, highOpen := false, false
	for i, f := range p.index.Fields {
		s := allValues()[0]
		if list := p.bounds.fields[i]; list != nil {
			s = list[0]
		}
		if f.Descending {
			s = s.reverse()
		}
		lowOpen, highOpen = lowOpen || s.lowOpen, highOpen || s.highOpen
		low, high = bson.AppendRawValueElement(low, f.Name, s.low), bson.AppendRawValueElement(high, f.Name, s.high)
	}
	dst, in := bson.AppendDocumentElementStart(dst, "indexBounds")
	dst = bson.AppendDocumentElement(dst, "startKey", bson.AppendDocumentEnd(low, lowStart))
	dst = bson.AppendBooleanElement(dst, "startKeyInclusive", !lowOpen)
	dst = bson.AppendDocumentElement(dst, "endKey", bson.AppendDocumentEnd(high, highStart))
	dst = bson.AppendBooleanElement(dst, "endKeyInclusive", !highOpen)
	return bson.AppendDocumentEnd(dst, in)
}
