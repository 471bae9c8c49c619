package bson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// unwilling refuses in every method by which a type encodes itself.
type unwilling struct{}

var errUnwilling = errors.New("no")

func (unwilling) MarshalBSON() ([]byte, error)                     { return nil, errUnwilling }
func (unwilling) MarshalBSONValue() (bsontype.Type, []byte, error) { return 0, nil, errUnwilling }

// blob appends itself as binary data, unless it is empty.
type blob []byte

func (b blob) AppendBinary(dst []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, errUnwilling
	}
	return append(dst, b...), nil
}

type blobs struct{ inner blob }

func (b blobs) AppendBinary(dst []byte) ([]byte, error) { return b.inner.AppendBinary(dst) }

// An error of a value, wherever it stands, is an error of the document.
func TestErrorsOfValuesAreErrorsOfTheDocument(t *testing.T) {
	for _, bad := range []any{
		unwilling{}, bson.Doc("a", unwilling{}), bson.A{unwilling{}}, struct{ A unwilling }{}, map[string]any{"a": unwilling{}},
		struct{ A blobs }{}, bson.DBRef{Ref: "c", ID: unwilling{}}, bson.DBRef{Ref: "c", ID: 1, Extra: bson.Doc("a", unwilling{})},
		struct{ A bson.DBRef }{bson.DBRef{Ref: "c", ID: unwilling{}}},
	} {
		if _, ok := bad.(bson.A); ok {
			bad = bson.Doc("a", bad)
		}
		if out, err := bson.Marshal(bad); !errors.Is(err, errUnwilling) {
			t.Errorf("%T: %v, %v", bad, out, err)
		}
	}
	var out struct{ A bson.Binary }
	if err := bson.Unmarshal(encoded(t, struct{ A blobs }{blobs{blob("abc")}}), &out); err != nil || string(out.A.Data) != "abc" {
		t.Errorf("%+v, %v", out, err)
	}
}

// What does not fit its type, or is no BSON, is refused in any place, in lists too.
func TestValuesThatAreRefused(t *testing.T) {
	invalid := func(t bsontype.Type, value ...byte) bson.Raw {
		doc := bson.AppendRawValueElement(nil, "a", bson.RawValue{Type: t, Value: value})
		return append(append([]byte{byte(len(doc) + 5), 0, 0, 0}, doc...), 0)
	}
	for name, tt := range map[string]struct {
		doc bson.Raw
		dst any
	}{
		"a boolean of 7":               {invalid(bsontype.Boolean, 7), &struct{ A bool }{}},
		"booleans of 7":                {encodedList(bsontype.Boolean, 7), &struct{ A []bool }{}},
		"a text among numbers":         {encoded(t, bson.Doc("a", bson.A{1, "x", 2})), &struct{ A []int }{}},
		"a fraction among numbers":     {encoded(t, bson.Doc("a", bson.A{1, 2.5})), &struct{ A []int64 }{}},
		"a document that is too short": {invalid(bsontype.EmbeddedDocument, 6, 0, 0, 0, 0), &struct{ A struct{ B int } }{}},
		"a document without its end":   {invalid(bsontype.EmbeddedDocument, 5, 0, 0, 0, 1), &struct{ A struct{ B int } }{}},
		"an array without its end":     {invalid(bsontype.Array, 5, 0, 0, 0, 1), &struct{ A []int }{}},
		"a document for a hook":        {invalid(bsontype.EmbeddedDocument, 5, 0, 0, 0, 1), &struct{ A choosy }{}},
		"code that is no text":         {invalid(bsontype.CodeWithScope, append(append([]byte{16, 0, 0, 0}, textOf("ab\xff")...), 5, 0, 0, 0, 0)...), new(bson.D)},
		"binary that is no text":       {encoded(t, bson.Doc("a", bson.Binary{Data: []byte("ab\xff")})), &struct{ A string }{}},
		"a subtype for an array":       {encoded(t, bson.Doc("a", bson.Binary{Subtype: 5, Data: []byte{1, 2}})), &struct{ A [2]byte }{}},
		"too much for an array":        {encoded(t, bson.Doc("a", bson.Binary{Data: []byte{1, 2, 3}})), &struct{ A [2]byte }{}},
	} {
		if err := bson.Unmarshal(tt.doc, tt.dst); err == nil {
			t.Errorf("%s: %+v", name, tt.dst)
		}
	}
	for _, good := range []bson.Binary{{Data: []byte{1, 2}}, {Subtype: 2, Data: []byte{1, 2}}} {
		var out struct{ A [2]byte }
		if err := bson.Unmarshal(encoded(t, bson.Doc("a", good)), &out); err != nil || out.A != [2]byte{1, 2} {
			t.Errorf("%+v: %v, %v", good, out, err)
		}
	}
}

// encodedList is a list of two values with these bytes.
func encodedList(of bsontype.Type, value ...byte) bson.Raw {
	var list []byte
	for _, key := range []string{"0", "1"} {
		list = bson.AppendRawValueElement(list, key, bson.RawValue{Type: of, Value: value})
	}
	list = append(append([]byte{byte(len(list) + 5), 0, 0, 0}, list...), 0)
	doc := bson.AppendArrayElement(nil, "a", bson.RawArray(list))
	return append(append([]byte{byte(len(doc) + 5), 0, 0, 0}, doc...), 0)
}

func TestNullClearsMaps(t *testing.T) {
	v := struct {
		M map[string]int
		L []map[string]int
	}{map[string]int{"x": 1}, []map[string]int{{"y": 2}}}
	if err := bson.Unmarshal(encoded(t, bson.Doc("m", nil, "l", bson.A{nil})), &v); err != nil || v.M != nil || v.L[0] != nil {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestBitsOfAVector(t *testing.T) {
	for n := range 26 {
		bits := make([]bool, n)
		for i := range bits {
			bits[i] = i%3 == 0 || i%7 == 1
		}
		if got, ok := bson.NewBitVector(bits).Bits(); !ok || !slices.Equal(got, bits) {
			t.Errorf("%v is %v", bits, got)
		}
	}
}

func TestTextsOfObjectIDs(t *testing.T) {
	const digits = "5f0000000000000000000001"
	for text, good := range map[string]bool{
		`"` + digits + `"`: true, `{"$oid":"` + digits + `"}`: true, `"` + digits: false, digits + `"`: false, digits: false, `"`: false, `""`: false,
		`"` + digits[:22] + `\u"`: false, `"` + digits[:23] + `""`: false, `{"$oid":` + digits + `"}`: false, `{"$oid":"` + digits + `}`: false,
	} {
		var id bson.ObjectID
		if err := id.UnmarshalJSON([]byte(text)); (err == nil) != good && text != `""` || good && id.Hex() != digits {
			t.Errorf("%s is %v, %v", text, id, err)
		}
	}
	out, err := json.Marshal(bson.NilObjectID)
	if err != nil || !bytes.Contains(out, []byte("000000000000000000000000")) {
		t.Errorf("%s, %v", out, err)
	}
}
