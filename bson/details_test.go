package bson

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson/internal/static"
	"github.com/specdrivers/onion/generated/bsontype"
)

// free is generated for a type without a fixed depth.
type free struct {
	N     int32
	Quick bool `bson:"-"`
}

func (*free) BSONStatic() static.Info { return static.Info{Type: reflect.TypeFor[free]()} }
func (f *free) AppendBSON(dst []byte) ([]byte, error) {
	return MarshalAppend(dst, Doc("n", f.N, "quick", true))
}
func (f *free) DecodeBSON(doc Raw) error {
	*f = free{Quick: true}
	return nil
}

// Generated methods know neither options nor limits of nesting. They are left out wherever one of these could matter.
func TestWhenGeneratedMethodsAreLeftOut(t *testing.T) {
	for _, tt := range []struct {
		v     any
		o     *MarshalOptions
		quick bool
		path  []string
	}{
		{&generated{}, nil, true, nil}, {&generated{}, &MarshalOptions{}, true, nil}, {&generated{}, &MarshalOptions{MaxDepth: 1}, true, nil},
		{&generated{}, &MarshalOptions{IntMinSize: true}, false, nil}, {&generated{}, &MarshalOptions{UseJSONStructTags: true}, false, nil},
		{Doc("v", &generated{}), &MarshalOptions{NilMapAsEmpty: true}, false, []string{"v"}}, {Doc("v", &generated{}), &MarshalOptions{MaxDepth: 2}, true, []string{"v"}},
		{&free{}, nil, true, nil}, {&free{}, &MarshalOptions{}, true, nil}, {&free{}, &MarshalOptions{MaxDepth: 9}, false, nil}, {Doc("v", &free{}), nil, false, []string{"v"}},
	} {
		raw, err := Marshal(tt.v, tt.o)
		if quick := !raw.Lookup(append(tt.path, "quick")...).IsZero(); err != nil || quick != tt.quick {
			t.Errorf("%T with %+v: %v, %v", tt.v, tt.o, raw, err)
		}
	}
	raw := mustMarshal(t, Doc("n", int32(5)))
	for _, o := range []*UnmarshalOptions{nil, {}, {ZeroMaps: true}, {MaxDepth: 7}, {BinaryAsSlice: true}} {
		var g generated
		var f free
		err := errors.Join(Unmarshal(raw, &g, o), Unmarshal(raw, &f, o))
		if want := o == nil || *o == (UnmarshalOptions{}); err != nil || g.Quick != want || f.Quick != want || g.N != 5 {
			t.Errorf("with %+v: %+v, %+v, %v", o, g, f, err)
		}
	}
	var inner struct{ F free }
	if err := Unmarshal(mustMarshal(t, Doc("f", raw)), &inner); err != nil || inner.F.Quick || inner.F.N != 5 {
		t.Errorf("one level down: %+v, %v", inner, err)
	}
}

// placed is a type whose method returns an error at a place of its own.
type placed struct{}

var placedAt = map[string]int{"start": 0, "later": 3, "nowhere": -1}

func (placed) DecodeBSONValue(v RawValue) error {
	at, _ := v.StringOK()
	return &DecodeError{Offset: placedAt[at], Err: errSilent}
}

// An error of a method counts from the start of what the method got, and says so in bytes of the whole.
func TestPlacesOfErrorsOfMethods(t *testing.T) {
	for text, want := range map[string]int{"start": 7, "later": 10, "nowhere": 7} {
		err := Unmarshal(mustMarshal(t, Doc("v", text)), &struct{ V placed }{})
		if e, ok := errors.AsType[*DecodeError](err); !ok || e.Offset != want || e.Path != "v" {
			t.Errorf("%s: %v", text, err)
		}
		r := NewReader(mustMarshal(t, Doc("v", text)))
		r.Next()
		at := map[string]int{"start": 7, "later": 10, "nowhere": 4}[text]
		if e, ok := errors.AsType[*DecodeError](r.Fail(placed{}.DecodeBSONValue(r.Value()))); !ok || e.Offset != at || e.Path != "v" {
			t.Errorf("%s, from a reader: %v, want %d", text, e, at)
		}
	}
	if e, ok := errors.AsType[*DecodeError](Unmarshal(EmptyDocument(), new(nowhere))); !ok || e.Offset != 0 {
		t.Errorf("at the top: %v", e)
	}
}

type nowhere struct{}

func (*nowhere) DecodeBSON(Raw) error { return &DecodeError{Offset: -1, Err: errSilent} }

// rawOf1 is a document of one element with these bytes.
func rawOf1(key string, t Type, value string) Raw {
	doc := append(append([]byte{0, 0, 0, 0, byte(t)}, key...), 0)
	doc = append(append(doc, value...), 0)
	binary.LittleEndian.PutUint32(doc, uint32(len(doc)))
	return doc
}

// Text that is no UTF-8 has its place in a document: the value, or the key.
func TestPlacesOfTextsThatAreNoText(t *testing.T) {
	const bad, good = "\x03\x00\x00\x00a\xff\x00", "\x02\x00\x00\x00a\x00"
	for name, tt := range map[string]struct {
		doc    Raw
		offset int
		path   string
		into   any // that does not take it either
	}{
		"a string":       {rawOf1("k", bsontype.String, bad), 7, "k", new(struct{ K string })},
		"code":           {rawOf1("k", bsontype.JavaScript, bad), 7, "k", new(struct{ K JavaScript })},
		"a symbol":       {rawOf1("k", bsontype.Symbol, bad), 7, "k", new(struct{ K Symbol })},
		"a regex":        {rawOf1("k", bsontype.Regex, "a\xff\x00\x00"), 7, "k", new(struct{ K Regex })},
		"options":        {rawOf1("k", bsontype.Regex, "a\x00\xff\x00"), 7, "k", new(struct{ K Regex })},
		"a pointer":      {rawOf1("k", bsontype.DBPointer, bad+"abcdefghijkl"), 7, "k", new(struct{ K DBPointer })},
		"code, scope":    {rawOf1("k", bsontype.CodeWithScope, "\x10\x00\x00\x00"+bad+"\x05\x00\x00\x00\x00"), 7, "k", new(struct{ K CodeWithScope })},
		"key of a scope": {rawOf1("k", bsontype.CodeWithScope, "\x12\x00\x00\x00"+good+"\x08\x00\x00\x00\x0a\xff\x00\x00"), 22, "k.\ufffd", new(struct{ K CodeWithScope })},
		"a key":          {rawOf1("ab\xff", bsontype.Null, ""), 5, "ab\ufffd", new(M)},
		"a list":         {rawOf1("k", bsontype.Array, "\x0f\x00\x00\x00\x020\x00"+bad+"\x00"), 14, "k.0", new(struct{ K []string })},
	} {
		err := tt.doc.Validate()
		if e, ok := errors.AsType[*DecodeError](err); !ok || !errors.Is(err, ErrMalformed) || e.Offset != tt.offset || e.Path != tt.path {
			t.Errorf("%s: %v, want %s at %d", name, err, tt.path, tt.offset)
		}
		for _, into := range []any{new(D), new(any), tt.into} {
			err := Unmarshal(tt.doc, into)
			if e, ok := errors.AsType[*DecodeError](err); !ok || !errors.Is(err, ErrMalformed) || e.Path != tt.path {
				t.Errorf("%s into %T: %v, want %s", name, into, err, tt.path)
			}
			if err := Unmarshal(tt.doc, into, &UnmarshalOptions{AllowInvalidUTF8: true}); err != nil {
				t.Errorf("%s into %T, where it is allowed: %v", name, into, err)
			}
		}
	}
	deep := nestDocuments(DefaultMaxDepth+1, "k")
	if e, ok := errors.AsType[*DecodeError](deep.Validate()); !ok || !errors.Is(e, ErrMaxDepth) || e.Offset != 7*DefaultMaxDepth {
		t.Errorf("one level too many: %v", e)
	}
	for levels, want := range map[int]bool{DefaultMaxDepth - 1: true, DefaultMaxDepth: false} {
		scope := mustMarshal(t, Doc("s", CodeWithScope{Scope: nestDocuments(levels, "k")}))
		if err := scope.Validate(); (err == nil) != want {
			t.Errorf("a scope of %d levels: %v", levels, err)
		}
	}
	for _, doc := range []Raw{{5, 0, 0, 0, 1}, {4, 0, 0, 0}, nil} {
		_, err := doc.Elements()
		if e, ok := errors.AsType[*DecodeError](err); !ok || e.Offset != 0 || doc.Validate() == nil {
			t.Errorf("%v: %v", []byte(doc), err)
		}
	}
	if values, err := (RawArray(rawOf1("0", bsontype.Boolean, "\x01"))).Values(); err != nil || len(values) != 1 {
		t.Errorf("%v, %v", values, err)
	}
	if err := (RawValue{Type: bsontype.Int32, Value: []byte{1}}).Unmarshal(new(int)); err == nil || !strings.HasSuffix(err.Error(), "(at byte 0)") {
		t.Error(err)
	}
	for _, doc := range []Raw{EmptyDocument(), rawOf1("a", bsontype.Boolean, "\x02\x02")} {
		if _, err := doc.LookupErr("a", "b"); err == nil || !reflect.DeepEqual(err.(*DecodeError).Offset, -1) {
			t.Errorf("%v: %v", doc, err)
		}
	}
}

// pair is a key of one or two parts.
type pair struct{ A, B string }

func (p *pair) UnmarshalKey(key string) error {
	if a, b, ok := strings.Cut(key, "/"); ok {
		p.A, p.B = a, b
	} else {
		p.A = key
	}
	return nil
}

// Options of tags, of limits and of types inside of others.
func TestOptionsOneByOne(t *testing.T) {
	var keys map[pair]int
	if err := Unmarshal(mustMarshal(t, Doc("a/b", 1, "c", 2)), &keys); err != nil || !reflect.DeepEqual(keys, map[pair]int{{"a", "b"}: 1, {"c", ""}: 2}) {
		t.Errorf("a key keeps a part of the one before: %v, %v", keys, err)
	}
	type tagged struct {
		N int64 `bson:"n,omitempty,minsize"`
	}
	if raw := mustMarshal(t, tagged{5}); raw.Lookup("n").Type != bsontype.Int32 || len(mustMarshal(t, tagged{})) != 5 {
		t.Errorf("two options of a tag: %v", raw)
	}
	zero := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int](), Tag: `bson:"\x00a"`}})
	if raw, err := Marshal(reflect.New(zero).Interface()); err == nil {
		t.Errorf("a name that begins with a zero byte: %q", raw)
	}
	nested := mustMarshal(t, Doc("a", D{}))
	if err := Unmarshal(nested, new(D), &UnmarshalOptions{MaxDepth: 1}); !errors.Is(err, ErrMaxDepth) {
		t.Errorf("two levels where one is allowed: %v", err)
	}
	lists := mustCodecs(t, AnyAs[[]D](bsontype.Array))
	var m M
	err := Unmarshal(mustMarshal(t, Doc("a", A{Doc("b", Doc("c", 1))})), &m, &UnmarshalOptions{Codecs: lists, DefaultDocument: DocumentLikeParent})
	if want := (M{"a": []D{{{Key: "b", Value: D{{Key: "c", Value: int32(1)}}}}}}); err != nil || !reflect.DeepEqual(m, want) {
		t.Errorf("documents like their parents: %#v, %v", m, err)
	}
	if (Decimal128{l: 1}).IsZero() || (Decimal128{h: 1}).IsZero() || !(Decimal128{}).IsZero() {
		t.Error("only the zero Decimal128 is zero")
	}
	if (DBPointer{DB: "d"}).IsZero() || !(DBPointer{}).IsZero() {
		t.Error("only the zero DBPointer is zero")
	}
}

// Texts and bytes that a type cannot have.
func TestWhatTypesRefuseToRead(t *testing.T) {
	const digits = "000000000000000000000001"
	var id ObjectID
	var date DateTime
	var uuid UUID
	var vector struct{ V Vector }
	unreadable := func(subtype byte, data ...byte) Raw {
		return mustMarshal(t, Doc("v", Binary{Subtype: subtype, Data: data}))
	}
	_, parsed := ParseVector([]byte{0x27})
	marking := func(alg any) error {
		raw := mustMarshal(t, Doc("v", 1, "a", alg, "ka", "name"))
		_, err := ParseEncryptionMarking(append([]byte{0}, raw...))
		return err
	}
	for name, err := range map[string]error{
		"an ObjectID of another key":        id.UnmarshalJSON([]byte(`{"x":"` + digits + `"}`)),
		"an ObjectID without a colon":       id.UnmarshalJSON([]byte(`{"$oid" "` + digits + `"}`)),
		"a date":                            date.UnmarshalJSON([]byte(`"yesterday"`)),
		"a UUID":                            uuid.UnmarshalText([]byte("x")),
		"a vector of another subtype":       Unmarshal(unreadable(bsontype.BinaryGeneric, 3, 0, 1), &vector),
		"a vector of no type":               Unmarshal(unreadable(bsontype.BinaryVector, 0x55, 0, 1), &vector),
		"a vector that is a number":         Unmarshal(mustMarshal(t, Doc("v", 1)), &vector),
		"a vector of one byte":              parsed,
		"a marking with another algorithm":  marking(int32(7)),
		"a marking whose algorithm is long": marking(int32(257)),
		"a marking whose algorithm is low":  marking(int32(-255)),
		"a marking whose algorithm is text": marking("1"),
	} {
		if err == nil {
			t.Errorf("%s was read", name)
		}
	}
	if err := marking(int32(1)); err != nil {
		t.Errorf("a marking: %v", err)
	}
	if parsed == nil || !strings.HasPrefix(parsed.Error(), "bson: ") || (Vector{}).Len() != 0 {
		t.Errorf("%v, %d", parsed, (Vector{}).Len())
	}
	if _, err := Marshal(Doc("v", refusing{})); !errors.Is(err, errSilent) {
		t.Errorf("an error of MarshalBSON in a field: %v", err)
	}
	if text, _ := id.MarshalText(); !bytes.Equal(text, []byte(strings.Repeat("0", 24))) {
		t.Errorf("an error changed the ObjectID: %s", text)
	}
}

type refusing struct{}

func (refusing) MarshalBSON() ([]byte, error) { return nil, errSilent }
