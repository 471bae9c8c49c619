package batch

import (
	"bytes"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// fragment returns a part of an event, with a field of its own.
func fragment(part, of any, more ...bson.E) bson.Raw {
	doc := bson.Doc("_id", bson.Doc("_data", part), "splitEvent", bson.Doc("fragment", part, "of", of), "field", part)
	return encode(append(doc, more...))
}

func encode(v any) bson.Raw {
	doc, err := bson.Marshal(v)
	if err != nil {
		panic(err)
	}
	return doc
}

// Parts that do not make a whole event are an error that says what is missing.
func TestFragmentsThatAreMissing(t *testing.T) {
	const (
		ofAStream = "mongo: the change stream: "
		reopen    = " instead: open the stream again after its ResumeToken"
		notBegun  = ": resume from a token of a whole event"
		noNumbers = "the server's splitEvent needs the numbers fragment and of"
	)
	event := encode(bson.Doc("_id", 1, "operationType", "insert"))
	for name, tt := range map[string]struct {
		parts []bson.Raw
		want  string
	}{
		"1 and 3 of 3": {[]bson.Raw{fragment(1, 3), fragment(3, 3)},
			"fragment 2 of 3 of an event is missing, the server sent fragment 3 of 3" + reopen},
		"2 twice": {[]bson.Raw{fragment(1, 3), fragment(2, 3), fragment(2, 3)},
			"fragment 3 of 3 of an event is missing, the server sent fragment 2 of 3" + reopen},
		"1 twice": {[]bson.Raw{fragment(1, 2), fragment(1, 2)},
			"fragment 2 of 2 of an event is missing, the server sent fragment 1 of 2" + reopen},
		"another number of parts": {[]bson.Raw{fragment(1, 3), fragment(2, 2)},
			"fragment 2 of 3 of an event is missing, the server sent fragment 2 of 2" + reopen},
		"an event between": {[]bson.Raw{fragment(1, 2), event},
			"fragment 2 of 2 of an event is missing, the server sent another event" + reopen},
		"the end between": {[]bson.Raw{fragment(1, 3), fragment(2, 3)},
			"fragment 3 of 3 of an event is missing, the server ended the stream" + reopen},
		"2 first": {[]bson.Raw{fragment(2, 2)},
			"fragment 1 of 2 of an event is missing, and fragment 2 came first" + notBegun},
		"3 first": {[]bson.Raw{fragment(3, 5)}, "fragments 1 to 2 of 5 of an event are missing" + notBegun},
		"2 behind an event": {[]bson.Raw{event, fragment(2, 2)},
			"fragment 1 of 2 of an event is missing, and fragment 2 came first" + notBegun},
		"a negative number":   {[]bson.Raw{fragment(-2, 3)}, "the server sent fragment -2 of 3 of an event"},
		"no number 0":         {[]bson.Raw{fragment(0, 3)}, "the server sent fragment 0 of 3 of an event"},
		"more than there are": {[]bson.Raw{fragment(3, 2)}, "the server sent fragment 3 of 2 of an event"},
		"a text":              {[]bson.Raw{fragment("1", 2)}, noNumbers},
		"no total":            {[]bson.Raw{encode(bson.Doc("_id", 1, "splitEvent", bson.Doc("fragment", 1)))}, noNumbers},
	} {
		var f Fragments
		var err error
		for _, part := range tt.parts {
			var whole bson.Raw
			var ok bool
			if whole, ok, err = f.Add(part); ok && !bytes.Equal(whole, event) {
				t.Errorf("%s: an event: %v", name, whole)
			}
		}
		if err == nil {
			err = f.End()
		}
		if err == nil || err.Error() != ofAStream+tt.want {
			t.Errorf("%s: %v, want %s", name, err, ofAStream+tt.want)
		}
	}
}

// An event that was not split is whole, before and after one that was.
func TestAnEventByItself(t *testing.T) {
	var f Fragments
	event := encode(bson.Doc("_id", 1, "operationType", "insert"))
	for range 2 {
		if whole, ok, err := f.Add(event); !ok || err != nil || !bytes.Equal(whole, event) {
			t.Errorf("%v, %v, %v", whole, ok, err)
		}
		if whole, ok, err := f.Add(fragment(1, 1)); !ok || err != nil || whole.Lookup("field").IsZero() {
			t.Errorf("one part of one: %v, %v, %v", whole, ok, err)
		}
	}
}

// The joined event has the _id of its last part as its first field, and the fields of all parts. Afterwards the next event
// begins, with nothing of this one.
func TestFragmentsMakeAnEvent(t *testing.T) {
	var f Fragments
	for range 2 {
		if _, ok, err := f.Add(fragment(1, 2)); ok || err != nil || !f.IsIncomplete() {
			t.Fatalf("after the first part: an event is %v, incomplete %v, %v", ok, f.IsIncomplete(), err)
		}
		last := encode(bson.Doc("_id", "last", "other", 2, "splitEvent", bson.Doc("fragment", 2, "of", int64(2))))
		got, ok, err := f.Add(last)
		if want := encode(bson.Doc("_id", "last", "field", 1, "other", 2)); !ok || err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v, an event is %v, %v, want %v", got, ok, err, want)
		}
		if f.IsIncomplete() || f.End() != nil {
			t.Error("something of the event is left")
		}
	}
}

// End forgets a part that has come.
func TestEndForgetsParts(t *testing.T) {
	var f Fragments
	if _, _, err := f.Add(fragment(1, 2)); err != nil || f.End() == nil || f.IsIncomplete() || f.End() != nil {
		t.Errorf("%v, then %+v", err, f)
	}
}

// The size of a joined event is bounded, however small each part is: exactly the bound passes.
func TestFragmentsHaveABoundTogether(t *testing.T) {
	last := fragment(2, 2)
	addBehind := func(size int) error {
		f := Fragments{elements: make([]byte, size), count: 1, of: 2}
		_, _, err := f.Add(last)
		return err
	}
	if err := addBehind(wire.MaxMergedEventSize - len(last)); err != nil {
		t.Error(err)
	}
	const want = "mongo: the change stream: fragment 2 of 2 makes an event larger than 134217728 bytes, " +
		"which MergeSplitEvents does not put together"
	if err := addBehind(wire.MaxMergedEventSize - len(last) + 1); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
