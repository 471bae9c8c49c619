package bson

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson/internal/static"
	"github.com/specdrivers/onion/generated/bsontype"
)

// unboundedDepth has generated methods, but documents of any depth.
type unboundedDepth struct {
	N     int32
	Quick bool `bson:"-"`
}

func (*unboundedDepth) BSONStatic() static.Info {
	return static.Info{Type: reflect.TypeFor[unboundedDepth]()}
}
func (f *unboundedDepth) AppendBSON(dst []byte) ([]byte, error) {
	return MarshalAppend(dst, Doc("n", f.N, "quick", true))
}
func (f *unboundedDepth) DecodeBSON(doc Raw) error {
	*f = unboundedDepth{Quick: true}
	return nil
}

// Generated methods know neither options nor depth limits, so they are bypassed wherever these could matter.
func TestOptionsBypassGeneratedMethods(t *testing.T) {
	for _, tt := range []struct {
		v     any
		o     *MarshalOptions
		quick bool
		path  []string
	}{
		{&generated{}, nil, true, nil}, {&generated{}, &MarshalOptions{}, true, nil}, {&generated{}, &MarshalOptions{MaxDepth: 1}, true, nil},
		{&generated{}, &MarshalOptions{IntMinSize: true}, false, nil}, {&generated{}, &MarshalOptions{UseJSONStructTags: true}, false, nil},
		{Doc("v", &generated{}), &MarshalOptions{NilMapAsEmpty: true}, false, []string{"v"}}, {Doc("v", &generated{}), &MarshalOptions{MaxDepth: 2}, true, []string{"v"}},
		{&unboundedDepth{}, nil, true, nil}, {&unboundedDepth{}, &MarshalOptions{}, true, nil}, {&unboundedDepth{}, &MarshalOptions{MaxDepth: 9}, false, nil}, {Doc("v", &unboundedDepth{}), nil, false, []string{"v"}},
	} {
		raw, err := Marshal(tt.v, tt.o)
		if quick := !raw.Lookup(append(tt.path, "quick")...).IsZero(); err != nil || quick != tt.quick {
			t.Errorf("%T with %+v: %v, %v", tt.v, tt.o, raw, err)
		}
	}
	raw := mustMarshal(t, Doc("n", int32(5)))
	for _, o := range []*UnmarshalOptions{nil, {}, {ZeroMaps: true}, {MaxDepth: 7}, {BinaryAsSlice: true}} {
		var g generated
		var f unboundedDepth
		err := errors.Join(Unmarshal(raw, &g, o), Unmarshal(raw, &f, o))
		if want := o == nil || *o == (UnmarshalOptions{}); err != nil || g.Quick != want || f.Quick != want || g.N != 5 {
			t.Errorf("with %+v: %+v, %+v, %v", o, g, f, err)
		}
	}
	var inner struct{ F unboundedDepth }
	if err := Unmarshal(mustMarshal(t, Doc("f", raw)), &inner); err != nil || inner.F.Quick || inner.F.N != 5 {
		t.Errorf("one level down: %+v, %v", inner, err)
	}
}

// offsetError returns an error with an offset inside its value.
type offsetError struct{}

var offsetOf = map[string]int{"start": 0, "later": 3, "nowhere": -1}

func (offsetError) DecodeBSONValue(v RawValue) error {
	at, _ := v.StringOK()
	return &DecodeError{Offset: offsetOf[at], Err: errSilent}
}

// A method's error has an offset within its value. The caller gets the offset within the whole document.
func TestMethodErrorOffsetsCountFromTheDocument(t *testing.T) {
	for text, want := range map[string]int{"start": 7, "later": 10, "nowhere": 7} {
		err := Unmarshal(mustMarshal(t, Doc("v", text)), &struct{ V offsetError }{})
		if e, ok := errors.AsType[*DecodeError](err); !ok || e.Offset != want || e.Path != "v" {
			t.Errorf("%s: %v", text, err)
		}
		r := NewReader(mustMarshal(t, Doc("v", text)))
		r.Next()
		if e, ok := errors.AsType[*DecodeError](r.Fail(offsetError{}.DecodeBSONValue(r.Value()))); !ok || e.Offset != want || e.Path != "v" {
			t.Errorf("%s, from a reader: %v, want %d", text, e, want)
		}
	}
	if e, ok := errors.AsType[*DecodeError](Unmarshal(EmptyDocument(), new(errorWithoutOffset))); !ok || e.Offset != 0 {
		t.Errorf("at the top: %v", e)
	}
}

type errorWithoutOffset struct{}

func (*errorWithoutOffset) DecodeBSON(Raw) error { return &DecodeError{Offset: -1, Err: errSilent} }

// oneElement builds a document of one element with these bytes.
func oneElement(key string, t Type, value string) Raw {
	doc := append(append([]byte{0, 0, 0, 0, byte(t)}, key...), 0)
	doc = append(append(doc, value...), 0)
	binary.LittleEndian.PutUint32(doc, uint32(len(doc)))
	return doc
}

// The error for invalid UTF-8 points at the value or key that holds it.
func TestInvalidUTF8ErrorNamesOffsetAndPath(t *testing.T) {
	const bad, good = "\x03\x00\x00\x00a\xff\x00", "\x02\x00\x00\x00a\x00"
	for name, tt := range map[string]struct {
		doc    Raw
		offset int
		path   string
		into   any // another type that must refuse it
	}{
		"a string":       {oneElement("k", bsontype.String, bad), 7, "k", new(struct{ K string })},
		"code":           {oneElement("k", bsontype.JavaScript, bad), 7, "k", new(struct{ K JavaScript })},
		"a symbol":       {oneElement("k", bsontype.Symbol, bad), 7, "k", new(struct{ K Symbol })},
		"a regex":        {oneElement("k", bsontype.Regex, "a\xff\x00\x00"), 7, "k", new(struct{ K Regex })},
		"options":        {oneElement("k", bsontype.Regex, "a\x00\xff\x00"), 7, "k", new(struct{ K Regex })},
		"a pointer":      {oneElement("k", bsontype.DBPointer, bad+"abcdefghijkl"), 7, "k", new(struct{ K DBPointer })},
		"code, scope":    {oneElement("k", bsontype.CodeWithScope, "\x10\x00\x00\x00"+bad+"\x05\x00\x00\x00\x00"), 7, "k", new(struct{ K CodeWithScope })},
		"key of a scope": {oneElement("k", bsontype.CodeWithScope, "\x12\x00\x00\x00"+good+"\x08\x00\x00\x00\x0a\xff\x00\x00"), 22, "k.\ufffd", new(struct{ K CodeWithScope })},
		"a key":          {oneElement("ab\xff", bsontype.Null, ""), 5, "ab\ufffd", new(M)},
		"a list":         {oneElement("k", bsontype.Array, "\x0f\x00\x00\x00\x020\x00"+bad+"\x00"), 14, "k.0", new(struct{ K []string })},
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
	if values, err := (RawArray(oneElement("0", bsontype.Boolean, "\x01"))).Values(); err != nil || len(values) != 1 {
		t.Errorf("%v, %v", values, err)
	}
	if err := (RawValue{Type: bsontype.Int32, Value: []byte{1}}).Unmarshal(new(int)); err == nil || !strings.HasSuffix(err.Error(), "(at byte 0)") {
		t.Error(err)
	}
	for _, doc := range []Raw{EmptyDocument(), oneElement("a", bsontype.Boolean, "\x02\x02")} {
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

// Cases of struct tags, depth limits and codecs that no other test has.
func TestOptionsOfTagsLimitsAndCodecs(t *testing.T) {
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
	var plain D
	_ = Unmarshal(mustMarshal(t, Doc("a", A{D{}})), &m, &UnmarshalOptions{Codecs: lists})
	if err := Unmarshal(mustMarshal(t, Doc("a", A{D{}})), &plain, &UnmarshalOptions{ZeroMaps: true}); err != nil || !reflect.DeepEqual(plain, Doc("a", A{D{}})) {
		t.Errorf("the codecs of another call: %#v, %v", plain, err)
	}
	if v, ok := plain.Lookup("b"); ok || v != nil {
		t.Errorf("a key that is not there: %v, %v", v, ok)
	}
	if v := mustMarshal(t, Doc("v", uint64(1<<63-1))).Lookup("v"); v.Type != bsontype.Int64 {
		t.Errorf("the largest int64 is a %v", v.Type)
	}
	if v := mustMarshal(t, Doc("v", appendsBytes{"b"})).Lookup("v"); v.String() != `{"$binary":{"base64":"Yg==","subType":"00"}}` {
		t.Errorf("bytes of a method: %v", v)
	}
	if _, err := Marshal(Doc("v", marshalsBytes{})); !errors.Is(err, errSilent) {
		t.Errorf("an error of a method: %v", err)
	}
	err = Unmarshal(mustMarshal(t, Doc("d", Doc("x", 1), "n", "x")), &struct {
		D D
		N int32
	}{})
	if e, ok := errors.AsType[*DecodeError](err); !ok || e.Offset != 22 {
		t.Errorf("an error behind a document: %v", err)
	}
	if (Decimal128{l: 1}).IsZero() || (Decimal128{h: 1}).IsZero() || !(Decimal128{}).IsZero() {
		t.Error("only the zero Decimal128 is zero")
	}
	if (DBPointer{DB: "d"}).IsZero() || !(DBPointer{}).IsZero() {
		t.Error("only the zero DBPointer is zero")
	}
}

// Text and bytes that a type cannot represent are errors.
func TestTypesRefuseMalformedTextAndBytes(t *testing.T) {
	for _, into := range []any{new(struct{ K [2]byte }), new(struct{ K []byte }), new(struct{ K string }), new(struct{ K Binary }), new(D), new(struct{ K any })} {
		if err := Unmarshal(oneElement("k", bsontype.Binary, "\x01\x00\x00\x00\x02b"), into); !errors.Is(err, ErrMalformed) {
			t.Errorf("an old binary without its inner length, into %T: %v", into, err)
		}
	}
	const digits = "000000000000000000000001"
	var id ObjectID
	var date DateTime
	var uuid UUID
	var vector struct{ V Vector }
	unreadable := func(subtype byte, data ...byte) Raw {
		return mustMarshal(t, Doc("v", Binary{Subtype: subtype, Data: data}))
	}
	_, parsed := ParseVector([]byte{0x27})
	brokenID, _ := Marshal(Doc("$ref", "c", "$id", "a\xff"), &MarshalOptions{AllowInvalidUTF8: true})
	_, noAlgorithm := Ciphertext{}.Binary()
	marking := func(alg any) error {
		raw := mustMarshal(t, Doc("v", 1, "a", alg, "ka", "name"))
		_, err := ParseEncryptionMarking(append([]byte{0}, raw...))
		return err
	}
	for name, err := range map[string]error{
		"an ObjectID of another key":        id.UnmarshalJSON([]byte(`{"x":"` + digits + `"}`)),
		"an ObjectID without a colon":       id.UnmarshalJSON([]byte(`{"$oid" "` + digits + `"}`)),
		"a decimal of nothing":              new(Decimal128).UnmarshalJSON(nil),
		"a DBRef of no document":            new(DBRef).DecodeBSON(Raw{5, 0, 0, 0, 1}),
		"a DBRef with a broken _id":         new(DBRef).DecodeBSON(brokenID),
		"a ciphertext without an algorithm": noAlgorithm,
		"a URL that is not UTF-8":           Unmarshal(oneElement("k", bsontype.String, "\x03\x00\x00\x00a\xff\x00"), new(struct{ K url.URL })),
		"an array into a number":            UnmarshalExtJSON([]byte("[1]"), false, new(int)),
		"a date":                            date.UnmarshalJSON([]byte(`"yesterday"`)),
		"a UUID":                            uuid.UnmarshalText([]byte("x")),
		"a vector of another subtype":       Unmarshal(unreadable(bsontype.BinaryGeneric, 3, 0, 1), &vector),
		"a vector of an unknown type":       Unmarshal(unreadable(bsontype.BinaryVector, 0x55, 0, 1), &vector),
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
	empty := Ciphertext{Algorithm: EncryptedRandomized, KeyID: UUID{1}, OriginalType: bsontype.String}
	if b, err := empty.Binary(); err != nil {
		t.Error(err)
	} else if got, err := ParseCiphertext(b.Data); err != nil || len(got.Data) != 0 || got.KeyID != empty.KeyID {
		t.Errorf("a ciphertext of no bytes: %+v, %v", got, err)
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

// appendsBytes and marshalsBytes encode as binary data.
type (
	appendsBytes  struct{ s string }
	marshalsBytes struct{}
)

func (a appendsBytes) AppendBinary(dst []byte) ([]byte, error) { return append(dst, a.s...), nil }
func (marshalsBytes) MarshalBinary() ([]byte, error)           { return nil, errSilent }

// AppendText appends what MarshalText returns.
func TestAppendTextMatchesMarshalText(t *testing.T) {
	d, u := NewDecimal128(0x3040<<48, 42), UUID{1}
	text, err := d.MarshalText()
	appended, appendErr := d.AppendText([]byte("is "))
	of, uuidErr := u.AppendText([]byte("is "))
	if err := errors.Join(err, appendErr, uuidErr); err != nil || string(text) != "42" || string(appended) != "is 42" || string(of) != "is "+u.String() {
		t.Errorf("%s, %s, %s, %v", text, appended, of, err)
	}
	for _, o := range [][]*MarshalOptions{nil, {{NilMapAsEmpty: true}}, {nil, {NilMapAsEmpty: true}}} {
		want := `{"a":null}`
		if o != nil {
			want = `{"a":{}}`
		}
		if text, err := MarshalExtJSON(Doc("a", M(nil)), false, o...); err != nil || string(text) != want {
			t.Errorf("with %d options: %s, %v", len(o), text, err)
		}
	}
	var list A
	if err := UnmarshalExtJSON([]byte(`[1,"x"]`), false, &list); err != nil || !reflect.DeepEqual(list, A{int32(1), "x"}) {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := oneElement("a", bsontype.Int32, "\x01").LookupErr("x"); err == nil || err.(*DecodeError).Offset != -1 {
		t.Errorf("%v", err)
	}
	long := Doc(strings.Repeat("é", 100), "x")
	if err := Unmarshal(mustMarshal(t, long), map[string]int{}); err == nil || strings.ContainsAny(err.Error(), "X\ufffd") {
		t.Errorf("%v", err)
	}
}

type refusing struct{}

func (refusing) MarshalBSON() ([]byte, error) { return nil, errSilent }
