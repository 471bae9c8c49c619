package bson

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// One type per interface. Each records what it was decoded from.

type asAppender struct{ n int }

func (v *asAppender) AppendBSON(dst []byte) ([]byte, error) {
	return MarshalAppend(dst, Doc("n", v.n))
}

func (v *asAppender) DecodeBSON(doc Raw) error {
	n, ok := doc.Lookup("n").Int32OK()
	if !ok {
		return (&DecodeError{Offset: 4, Err: errors.New("no n")}).prefixPath("n")
	}
	v.n = int(n)
	return nil
}

type asValue struct{ n int }

func (v asValue) AppendBSONValue(dst []byte) (bsontype.Type, []byte, error) {
	return bsontype.Int32, wire.AppendInt32(dst, int32(v.n)), nil
}

func (v *asValue) DecodeBSONValue(raw RawValue) error {
	n, ok := raw.Int32OK()
	if !ok {
		return errors.New("not an int")
	}
	v.n = int(n)
	return nil
}

type asMarshaler struct{ n int }

func (v asMarshaler) MarshalBSON() ([]byte, error) { return Marshal(Doc("m", v.n)) }

func (v *asMarshaler) UnmarshalBSON(data []byte) error {
	n, _ := Raw(data).Lookup("m").Int32OK()
	v.n = int(n)
	return nil
}

type asValueMarshaler struct{ s string }

func (v asValueMarshaler) MarshalBSONValue() (byte, []byte, error) {
	return byte(bsontype.String), wire.AppendString(nil, v.s), nil
}

func (v *asValueMarshaler) UnmarshalBSONValue(typ byte, data []byte) error {
	if Type(typ) != bsontype.String {
		return errors.New("not a string")
	}
	v.s = string(data[4 : len(data)-1])
	return nil
}

// broken appends the bytes that the test gives it.
type broken struct {
	t    Type
	data string
	err  error
	cut  bool
}

func (v broken) AppendBSONValue(dst []byte) (bsontype.Type, []byte, error) {
	if v.cut {
		return v.t, dst[:0], v.err
	}
	return v.t, append(dst, v.data...), v.err
}

func TestTypesThatEncodeThemselves(t *testing.T) {
	type all struct {
		A  asAppender
		PA *asAppender
		NA *asAppender
		V  asValue
		SV []asValue
		MV map[string]*asValue
		M  asMarshaler
		VM asValueMarshaler
		I  any
	}
	in := all{A: asAppender{1}, PA: &asAppender{2}, V: asValue{3}, SV: []asValue{{4}}, MV: map[string]*asValue{"k": {5}}, M: asMarshaler{6},
		VM: asValueMarshaler{"7"}, I: asValue{8}}
	want := Doc("a", Doc("n", 1), "pa", Doc("n", 2), "na", nil, "v", 3, "sv", A{4}, "mv", Doc("k", 5), "m", Doc("m", 6), "vm", "7", "i", 8)
	raw := mustMarshal(t, in)
	if w := mustMarshal(t, want); string(raw) != string(w) {
		t.Fatalf("got %v, want %v", raw, w)
	}
	got := all{I: new(asValue)}
	if err := Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	in.I = &asValue{8}
	if !reflect.DeepEqual(got, in) {
		t.Errorf("got %+v, want %+v", got, in)
	}
	top := asAppender{9}
	if raw, err := Marshal(top); err != nil || raw.Lookup("n").IsZero() {
		t.Errorf("as the document: %v (%v)", raw, err)
	}
	if err := Unmarshal(mustMarshal(t, Doc("n", 4)), &top); err != nil || top.n != 4 {
		t.Errorf("as the document: %v (%v)", top, err)
	}
}

func TestErrorsOfTypesThatDecodeThemselves(t *testing.T) {
	var into struct {
		A asAppender
		V asValue
		L []*asAppender
	}
	tests := map[string]struct {
		in     D
		want   string
		offset int
	}{
		"own path and offset": {Doc("l", A{Doc("x", 1)}), "bson: l.0.n: no n", 18},
		"plain error":         {Doc("v", "x"), "bson: v: not an int", 7},
		"no document":         {Doc("a", 1), "bson: a: cannot store int in bson.asAppender", 7},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := Unmarshal(mustMarshal(t, test.in), &into)
			e, ok := errors.AsType[*DecodeError](err)
			if !ok || !strings.HasPrefix(err.Error(), test.want) || e.Offset != test.offset {
				t.Errorf("error %v, want %s at %d", err, test.want, test.offset)
			}
		})
	}
	into.A.n = 3
	if err := Unmarshal(mustMarshal(t, Doc("a", nil)), &into); err != nil || into.A.n != 0 {
		t.Errorf("null left %v (%v)", into.A, err)
	}
}

func TestAppendedBytesAreChecked(t *testing.T) {
	failure := errors.New("own failure")
	tests := map[string]struct {
		in   any
		want string
	}{
		"error":           {broken{err: failure}, "bson: a: own failure"},
		"too short":       {broken{t: bsontype.Int32, data: "xx"}, "bson: a: the int is cut off or states a wrong length"},
		"too long":        {broken{t: bsontype.Boolean, data: "\x01\x01"}, "bson: a: *bson.broken appended 1 bytes after the bool"},
		"unknown type":    {broken{t: 0x33}, "bson: a: unknown type 0x33"},
		"no type":         {broken{}, "bson: a: unknown type 0x00"},
		"less than given": {broken{t: bsontype.Null, cut: true}, "bson: a: *bson.broken removed what others had appended"},
		"no value":        {noValue{}, "bson: a: bson.noValue returned no value"},
		"no document":     {noDocument{}, "bson: a: the document states a length of 1684234849 bytes and has 8"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Marshal(struct{ A any }{test.in})
			if err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
			if name == "error" && !errors.Is(err, failure) {
				t.Error("the own error is not wrapped")
			}
		})
	}
}

type noValue struct{}

func (noValue) MarshalBSONValue() (byte, []byte, error) { return 0, nil, nil }

type noDocument struct{}

func (noDocument) MarshalBSON() ([]byte, error) { return []byte("abcdefgh"), nil }

type mapKey struct{ a, b string }

func (k mapKey) MarshalKey() (string, error) { return k.a + "/" + k.b, nil }

func (k *mapKey) UnmarshalKey(key string) error {
	var ok bool
	if k.a, k.b, ok = strings.Cut(key, "/"); !ok {
		return errors.New("no slash")
	}
	return nil
}

func TestMapKeysThatEncodeThemselves(t *testing.T) {
	in := map[mapKey]int{{"a", "b"}: 1}
	raw := mustMarshal(t, in)
	if raw.Lookup("a/b").IsZero() {
		t.Errorf("encoded as %v", raw)
	}
	var got map[mapKey]int
	if err := Unmarshal(raw, &got); err != nil || !reflect.DeepEqual(got, in) {
		t.Errorf("got %v (%v), want %v", got, err, in)
	}
	if err := Unmarshal(mustMarshal(t, Doc("ab", 1)), &got); err == nil || !strings.HasPrefix(err.Error(), "bson: ab: no slash") {
		t.Errorf("error %v, want one about the slash", err)
	}
}
