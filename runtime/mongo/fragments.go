package mongo

import (
	"github.com/specdrivers/onion/bson"
)

// fragments puts the parts of a large event together that the server has split.
type fragments struct {
	elements []byte // of the parts so far, without their _id and splitEvent
	count    int
}

// open reports whether an event is not whole yet.
func (f *fragments) open() bool { return f.count > 0 }

// add takes the next document of the stream and reports whether an event is whole. A document that is no part is an event.
// The whole event has the _id of its last part, behind which a stream resumes.
func (f *fragments) add(doc bson.Raw) (bson.Raw, bool) {
	split, ok := doc.Lookup("splitEvent").DocumentOK()
	if !ok {
		f.reset()
		return doc, true
	}
	part, _ := split.Lookup("fragment").AsInt64OK()
	of, _ := split.Lookup("of").AsInt64OK()
	if part <= 1 {
		f.reset()
	}
	f.count++
	var id bson.RawValue
	for key, value := range doc.All() {
		switch key {
		case "_id":
			id = value
		case "splitEvent":
		default:
			f.elements = bson.AppendRawValueElement(f.elements, key, value)
		}
	}
	if part < of {
		return nil, false
	}
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(f.elements)+len(id.Value)+16))
	dst = bson.AppendRawValueElement(dst, "_id", id)
	whole := bson.AppendDocumentEnd(append(dst, f.elements...), start)
	f.reset()
	return whole, true
}

func (f *fragments) reset() { f.elements, f.count = nil, 0 }
