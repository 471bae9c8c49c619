package batch

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/changestream"
	"github.com/specdrivers/onion/generated/core/wire"
)

// Fragments joins the parts of a large event that the server has split.
type Fragments struct {
	elements []byte // of the parts so far, except _id and splitEvent
	count    int64  // how many parts have come
	of       int64  // how many parts the event has
}

// IsIncomplete reports whether an event is not whole yet.
func (f *Fragments) IsIncomplete() bool { return f.count > 0 }

var errFragmentWithoutNumber = errors.New("mongo: the change stream: the server's splitEvent needs the numbers fragment and of")

// Add takes the next document of the stream and reports whether an event is complete. A document without splitEvent is
// an event by itself. A joined event has the _id of its last part, from which a stream resumes. An error means that the
// event cannot be completed: a part is missing, or the event is too large.
func (f *Fragments) Add(doc bson.Raw) (whole bson.Raw, ok bool, err error) {
	split, ok := doc.Lookup(changestream.FieldSplitEvent).DocumentOK()
	if !ok {
		if f.IsIncomplete() {
			return nil, false, f.missingPartError("the server sent another event")
		}
		return doc, true, nil
	}
	part, ok1 := split.Lookup("fragment").AsInt64OK()
	of, ok2 := split.Lookup("of").AsInt64OK()
	if !ok1 || !ok2 {
		return nil, false, errFragmentWithoutNumber
	}
	if err := f.expect(part, of); err != nil {
		return nil, false, err
	}
	if len(f.elements)+len(doc) > wire.MaxMergedEventSize {
		return nil, false, fmt.Errorf("mongo: the change stream: fragment %d of %d makes an event larger than %d bytes, "+
			"which MergeSplitEvents does not put together", part, of, wire.MaxMergedEventSize)
	}
	f.count, f.of = part, of
	var id bson.RawValue
	for key, value := range doc.All() {
		switch key {
		case "_id":
			id = value
		case changestream.FieldSplitEvent:
		default:
			f.elements = bson.AppendRawValueElement(f.elements, key, value)
		}
	}
	if part < of {
		return nil, false, nil
	}
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(f.elements)+len(id.Value)+16))
	dst = bson.AppendRawValueElement(dst, "_id", id)
	whole = bson.AppendDocumentEnd(append(dst, f.elements...), start)
	*f = Fragments{}
	return whole, true, nil
}

// End forgets the parts of an event that is not whole, because the stream has ended. The error says which part is missing.
func (f *Fragments) End() error {
	if !f.IsIncomplete() {
		return nil
	}
	err := f.missingPartError("the server ended the stream")
	*f = Fragments{}
	return err
}

// expect checks that a part follows the parts so far.
func (f *Fragments) expect(part, of int64) error {
	switch {
	case part < 1 || part > of:
		return fmt.Errorf("mongo: the change stream: the server sent fragment %d of %d of an event", part, of)
	case f.IsIncomplete() && (part != f.count+1 || of != f.of):
		return f.missingPartError(fmt.Sprintf("the server sent fragment %d of %d", part, of))
	case !f.IsIncomplete() && part == 2:
		return fmt.Errorf("mongo: the change stream: fragment 1 of %d of an event is missing, and fragment 2 came first: "+
			"resume from a token of a whole event", of)
	case !f.IsIncomplete() && part > 2:
		return fmt.Errorf("mongo: the change stream: fragments 1 to %d of %d of an event are missing: "+
			"resume from a token of a whole event", part-1, of)
	}
	return nil
}

// missingPartError is the error for an event whose next part did not come. instead says what came in its place.
func (f *Fragments) missingPartError(instead string) error {
	return fmt.Errorf("mongo: the change stream: fragment %d of %d of an event is missing, %s instead: "+
		"open the stream again after its ResumeToken", f.count+1, f.of, instead)
}
