package engine

import "github.com/specdrivers/onion/bson"

// counters are what a plan counted when it ran.
type counters struct {
	returned, docs, keys int32
	modifies             bool // a findAndModify, whose update or delete returns the document
}

// passedOn returns the number of documents or keys that a stage passes on.
func (n *counters) passedOn(stage string) int32 {
	switch stage {
	case "IXSCAN", "COUNT_SCAN", "DISTINCT_SCAN":
		return n.keys
	case "UPDATE", "DELETE":
		if n.modifies {
			return n.returned
		}
		return 0
	case "COUNT":
		return 0
	}
	return n.returned
}

// append appends the counters of a stage. A stage that scans works once for each key or document, and once more to find the
// end.
func (n *counters) append(dst []byte, stage string) []byte {
	out, seen := n.passedOn(stage), n.returned
	switch stage {
	case "IXSCAN", "COUNT_SCAN", "DISTINCT_SCAN":
		seen = n.keys
	case "COLLSCAN", "FETCH":
		seen = max(n.docs, out)
	}
	dst = bson.AppendInt32Element(dst, "nReturned", out)
	dst = bson.AppendInt32Element(dst, "executionTimeMillisEstimate", 0)
	if stage != "EXPRESS_IXSCAN" && stage != "EXPRESS_CLUSTERED_IXSCAN" {
		dst = bson.AppendInt32Element(dst, "works", seen+1)
		dst = bson.AppendInt32Element(dst, "advanced", out)
		dst = bson.AppendInt32Element(dst, "needTime", seen-out)
		dst = bson.AppendInt32Element(dst, "needYield", 0)
		dst = bson.AppendInt32Element(dst, "saveState", 0)
		dst = bson.AppendInt32Element(dst, "restoreState", 0)
		dst = bson.AppendInt32Element(dst, "isEOF", 1)
	}
	switch stage {
	case "IXSCAN":
		dst = bson.AppendInt32Element(dst, "keysExamined", n.keys)
		dst = bson.AppendInt32Element(dst, "seeks", 1)
		dst = bson.AppendInt32Element(dst, "dupsTested", 0)
		dst = bson.AppendInt32Element(dst, "dupsDropped", 0)
	case "COUNT_SCAN", "DISTINCT_SCAN":
		dst = bson.AppendInt32Element(dst, "keysExamined", n.keys)
	case "IDHACK", "EXPRESS_IXSCAN", "EXPRESS_CLUSTERED_IXSCAN":
		dst = bson.AppendInt32Element(dst, "keysExamined", n.keys)
		dst = bson.AppendInt32Element(dst, "docsExamined", n.docs)
	case "FETCH":
		dst = bson.AppendInt32Element(dst, "docsExamined", n.docs)
		dst = bson.AppendInt32Element(dst, "alreadyHasObj", 0)
	case "COLLSCAN":
		dst = bson.AppendInt32Element(dst, "docsExamined", n.docs)
	case "COUNT":
		dst = bson.AppendInt32Element(dst, "nCounted", n.returned)
	case "UPDATE":
		dst = bson.AppendInt32Element(dst, "nMatched", n.returned)
		dst = bson.AppendInt32Element(dst, "nWouldModify", n.returned) // the update is not tried
	case "DELETE":
		dst = bson.AppendInt32Element(dst, "nWouldDelete", n.returned)
	case "SORT":
		dst = bson.AppendBooleanElement(dst, "usedDisk", false)
	}
	return dst
}
