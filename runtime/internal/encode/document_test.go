package encode

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/fault"
)

type point struct{ X, Y int32 }

type hidden struct{ x int32 }

type marshaler struct{ x int32 }

func (m marshaler) MarshalBSON() ([]byte, error) { return mustEncode(bson.Doc("x", m.x)), nil }

func mustEncode(v any) bson.Raw {
	doc, err := bson.Marshal(v)
	if err != nil {
		panic(err)
	}
	return doc
}

// text is the text of an error, "" for nil.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// arguments are what programs pass as documents, by their kind.
var arguments = map[string]struct {
	v    any
	want bson.D // nil if it is refused
	err  string
}{
	"a D":          {bson.Doc("x", 1), bson.Doc("x", 1), ""},
	"an empty D":   {bson.D{}, bson.D{}, ""},
	"a map":        {bson.M{"x": 1}, bson.Doc("x", 1), ""},
	"a struct":     {point{1, 2}, bson.Doc("x", int32(1), "y", int32(2)), ""},
	"a pointer":    {&point{1, 2}, bson.Doc("x", int32(1), "y", int32(2)), ""},
	"a Raw":        {mustEncode(bson.Doc("x", 1)), bson.Doc("x", 1), ""},
	"bytes":        {[]byte(mustEncode(bson.Doc("x", 1))), bson.Doc("x", 1), ""},
	"no field":     {struct{}{}, bson.D{}, ""},
	"a Marshaler":  {marshaler{1}, bson.Doc("x", int32(1)), ""},
	"nil":          {nil, nil, "mongo: the filter is nil: pass bson.D{} for an empty document"},
	"a nil map":    {bson.M(nil), nil, "mongo: the filter is a nil bson.M: pass bson.D{} for an empty document: "},
	"a nil struct": {(*point)(nil), nil, "mongo: the filter is a nil *encode.point: pass bson.D{} for an empty document: "},
	"broken bytes": {[]byte{1, 2, 3}, nil, "mongo: the filter: "},
	"an element": {bson.E{Key: "x", Value: 1}, nil,
		`mongo: the filter is a bson.E: pass a bson.D, such as bson.D{{Key: "x", Value: ...}}`},
	"an ObjectID": {bson.ObjectID{}, nil, `mongo: the filter is an ObjectID: pass bson.Doc("_id", id): `},
	"a list":      {[]point{{1, 2}}, nil, "mongo: the filter, a []encode.point, is a list: pass one document: "},
	"an array":    {[1]point{}, nil, "mongo: the filter, a [1]encode.point, is a list: pass one document: "},
	"a text": {"x", nil,
		`mongo: the filter is text: pass a document such as bson.Doc("name", 1), or what bson.UnmarshalExtJSON makes of JSON: `},
	"a number":      {7, nil, "mongo: the filter: "},
	"a value in it": {bson.Doc("x", make(chan int)), nil, "mongo: the filter: "},
	"a wrong Doc":   {bson.Doc("x"), nil, "mongo: the filter: "},
	"hidden fields": {hidden{1}, nil,
		"mongo: the filter is a encode.hidden, which has no exported field: only fields whose names begin with a capital letter are stored"},
	"a pointer to hidden fields": {&hidden{1}, nil,
		"mongo: the filter is a encode.hidden, which has no exported field: only fields whose names begin with a capital letter are stored"},
}

// An encoder yields what Document does, and leaves alone what it has encoded before.
func TestDocument(t *testing.T) {
	for name, tt := range arguments {
		doc, err := Document(nil, "filter", tt.v)
		var e Encoder
		first, _ := e.Document(nil, "filter", bson.Doc("first", "document"))
		before := bytes.Clone(first)
		again, errAgain := e.Document(nil, "filter", tt.v)
		if !bytes.Equal(doc, again) || text(err) != text(errAgain) || !bytes.Equal(first, before) || cap(first) != len(first) {
			t.Errorf("%s: %v, %v; by an encoder %v, %v behind %v", name, doc, err, again, errAgain, first)
		}
		switch {
		case tt.want != nil && (err != nil || !bytes.Equal(doc, mustEncode(tt.want))):
			t.Errorf("%s: %v, %v, want %v", name, doc, err, tt.want)
		case tt.want == nil && !isText(err, tt.err):
			t.Errorf("%s: %q, want %q", name, text(err), tt.err)
		}
	}
}

// isText reports whether an error has a text. A text that ends in a space is the beginning, which does not repeat itself.
func isText(err error, want string) bool {
	if !strings.HasSuffix(want, " ") {
		return text(err) == want
	}
	rest, ok := strings.CutPrefix(text(err), want)
	return ok && rest != "" && !strings.Contains(rest, "mongo: ")
}

// A list passed to InsertOne has a method of its own, and a document of InsertMany is named by its place.
func TestExplainNotDocument(t *testing.T) {
	broken := errors.New("broken")
	for what, want := range map[string]string{
		"document":   "mongo: the document, a []encode.point, is a list: pass one document, or use InsertMany to insert several: broken",
		"document 3": "mongo: document 3, a []encode.point, is a list: pass one document: broken",
	} {
		if err := ExplainNotDocument(what, []point{}, broken); text(err) != want || !errors.Is(err, broken) {
			t.Errorf("%s: %v, want %s", what, err, want)
		}
	}
}

func TestUpdate(t *testing.T) {
	set := bson.Doc("$set", bson.Doc("x", 1))
	for name, tt := range map[string]struct {
		v    any
		kind bsontype.Type
		err  string
	}{
		"operators":    {set, bsontype.EmbeddedDocument, ""},
		"a Raw":        {mustEncode(set), bsontype.EmbeddedDocument, ""},
		"bytes":        {[]byte(mustEncode(set)), bsontype.EmbeddedDocument, ""},
		"a pipeline":   {bson.A{set}, bsontype.Array, ""},
		"stages":       {[]bson.D{set}, bsontype.Array, ""},
		"nil":          {nil, 0, "mongo: the update is nil: pass a document of operators such as $set, or a pipeline"},
		"empty":        {bson.D{}, 0, "mongo: the update is empty: pass operators such as $set"},
		"no operators": {bson.Doc("x", 1), 0, "mongo: the update must begin with an operator such as $set: to replace the whole document, use ReplaceOne"},
		"a text":       {"x", 0, "mongo: the update is of type string: pass a document or a pipeline"},
		"a channel":    {make(chan int), 0, "mongo: the update: "},
	} {
		var e Encoder
		value, err := e.Update(nil, tt.v)
		if !isText(err, tt.err) || err == nil && (value.Type != tt.kind || cap(value.Value) != len(value.Value)) {
			t.Errorf("%s: %v, %q, want %q", name, value, text(err), tt.err)
		}
		filter, update, err := e.FilterAndUpdate(nil, bson.Doc("x", 2), tt.v)
		if !isText(err, tt.err) || !bytes.Equal(filter, mustEncode(bson.Doc("x", 2))) || err == nil && !bytes.Equal(update.Value, value.Value) {
			t.Errorf("%s behind a filter: %v, %v, %v", name, filter, update, err)
		}
	}
	var e Encoder
	if _, _, err := e.FilterAndUpdate(nil, nil, nil); text(err) != arguments["nil"].err {
		t.Errorf("without a filter: %v", err)
	}
}

func TestReplacement(t *testing.T) {
	for name, tt := range map[string]struct {
		v   any
		err string
	}{
		"a document":     {bson.Doc("x", 1), ""},
		"empty":          {bson.D{}, ""},
		"nil":            {nil, "mongo: the replacement is nil: pass bson.D{} for an empty document"},
		"operators":      {bson.Doc("$set", 1), "mongo: the replacement must not begin with the operator $set: to apply operators, use UpdateOne"},
		"a later dollar": {bson.Doc("x", 1, "$set", 1), ""},
	} {
		var e Encoder
		filter, doc, err := e.FilterAndReplacement(nil, bson.D{}, tt.v)
		if text(err) != tt.err || !bytes.Equal(filter, mustEncode(bson.D{})) || err == nil && !bytes.Equal(doc, mustEncode(tt.v)) {
			t.Errorf("%s: %v, %v, %q, want %q", name, filter, doc, text(err), tt.err)
		}
	}
	var e Encoder
	if _, _, err := e.FilterAndReplacement(nil, nil, bson.D{}); text(err) != arguments["nil"].err {
		t.Errorf("without a filter: %v", err)
	}
}

// A text that begins with the package names it once, and what is inside can be found.
func TestAt(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{errors.New("broken"), "mongo: model 3: broken"},
		{errors.New("mongo: broken"), "mongo: model 3: broken"},
		{At(errors.New("mongo: broken"), "the filter"), "mongo: model 3: the filter: broken"},
	} {
		if err := At(tt.err, "model %d", 3); text(err) != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	if err := At(fault.Misuse(fault.ErrNilDocument, "x"), "model %d", 3); !errors.Is(err, fault.ErrNilDocument) {
		t.Errorf("%v is not ErrNilDocument", err)
	}
}

func TestDecodeAny(t *testing.T) {
	doc := mustEncode(bson.Doc("n", int32(7), "d", bson.Doc("x", 1)))
	if v := DecodeAny(doc.Lookup("n")); v != int32(7) {
		t.Errorf("%T %v", v, v)
	}
	broken := bson.RawValue{Type: bsontype.Int32, Value: []byte{1}}
	if v, ok := DecodeAny(broken).(bson.RawValue); !ok || v.Type != broken.Type {
		t.Errorf("a broken value is %T %v", v, v)
	}
	if key := FirstKey(doc); key != "n" {
		t.Errorf("the first key is %q", key)
	}
	if key := FirstKey(mustEncode(bson.D{})); key != "" {
		t.Errorf("the first key of none is %q", key)
	}
}
