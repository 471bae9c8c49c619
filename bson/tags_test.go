package bson

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestStructTags(t *testing.T) {
	type sub struct {
		A int
		B string `bson:"bee,omitempty"`
	}
	type deepest struct {
		Z    int
		Rest map[string]any `bson:",inline"`
	}
	tests := map[string]struct {
		in   any
		want D
	}{
		"default name": {struct{ FooBar int }{1}, Doc("foobar", 1)},
		"name": {struct {
			A int `bson:"x"`
		}{1}, Doc("x", 1)},
		"only options": {struct {
			A int64 `bson:",minsize"`
		}{1}, Doc("a", int32(1))},
		"whole tag": {reflect.Zero(reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int](), Tag: "x"}})).Interface(),
			Doc("x", 0)},
		"tag of others": {struct {
			A int `json:"x"`
		}{1}, Doc("a", 1)},
		"left out": {struct {
			A, B int `bson:"-"`
		}{1, 2}, Doc()},
		"named dash": {struct {
			A int `bson:"-,"`
		}{1}, Doc("-", 1)},
		"unexported": {struct{ A, b int }{1, 2}, Doc("a", 1)},
		"long name": {struct {
			A int `bson:"a name of more than sixteen bytes"`
		}{1}, Doc("a name of more than sixteen bytes", 1)},
		"minsize too large": {struct {
			A int64 `bson:",minsize"`
		}{1 << 40}, Doc("a", int64(1<<40))},
		"minsize in a slice": {struct {
			A []uint64 `bson:",minsize"`
		}{[]uint64{1}}, Doc("a", A{1})},
		"minsize in an any": {struct {
			A any `bson:",minsize"`
		}{D{{"b", int64(1)}}}, Doc("a", Doc("b", 1))},
		"inline struct": {struct {
			S sub `bson:",inline"`
			C int
		}{sub{1, "x"}, 2}, Doc("a", 1, "bee", "x", "c", 2)},
		"inline embedded": {struct {
			sub2  int
			Inner `bson:",inline"`
		}{0, Inner{3}}, Doc("x", 3)},
		"inline pointer": {struct {
			S *sub `bson:",inline"`
		}{&sub{1, ""}}, Doc("a", 1)},
		"inline nil pointer": {struct {
			S *sub `bson:",inline"`
			C int
		}{nil, 2}, Doc("c", 2)},
		"inline map": {struct {
			C int
			M map[string]int `bson:",inline"`
		}{2, map[string]int{"x": 1}}, Doc("c", 2, "x", 1)},
		"inline D-like map": {struct {
			M M `bson:",inline"`
		}{M{"x": "y"}}, Doc("x", "y")},
		"inline nil map": {struct {
			M M `bson:",inline"`
		}{}, Doc()},
		"inline inside": {struct {
			P *struct {
				D deepest `bson:",inline"`
			} `bson:",inline"`
		}{&struct {
			D deepest `bson:",inline"`
		}{deepest{1, M{"x": 2}}}}, Doc("z", 1, "x", 2)},
		"outer name wins": {struct {
			A string
			S sub `bson:",inline"`
		}{"outer", sub{1, "x"}}, Doc("a", "outer", "bee", "x")},
		"outer after inner": {struct {
			S sub `bson:",inline"`
			A string
		}{sub{1, "x"}, "outer"}, Doc("bee", "x", "a", "outer")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			raw := mustMarshal(t, test.in)
			if want := mustMarshal(t, test.want); string(raw) != string(want) {
				t.Fatalf("got %v, want %v", raw, want)
			}
			back := reflect.New(reflect.TypeOf(test.in))
			if err := Unmarshal(raw, back.Interface()); err != nil {
				t.Fatal(err)
			}
			if again := mustMarshal(t, back.Interface()); string(again) != string(raw) {
				t.Errorf("decoded and encoded again: %v, was %v", again, raw)
			}
		})
	}
}

type pointerZero struct{ N int }

func (p *pointerZero) IsZero() bool { return p.N == 5 }

func TestOmitEmptyAndOmitZero(t *testing.T) {
	type fields struct {
		Bool   bool           `bson:",omitempty"`
		Int    int            `bson:",omitempty"`
		Float  float32        `bson:",omitempty"`
		Str    string         `bson:",omitempty"`
		Slice  []int          `bson:",omitempty"`
		Map    map[int]string `bson:",omitempty"`
		Ptr    *int           `bson:",omitempty"`
		Any    any            `bson:",omitempty"`
		Time   time.Time      `bson:",omitempty"`
		PTime  *time.Time     `bson:",omitempty"`
		ID     ObjectID       `bson:",omitempty"`
		Dec    Decimal128     `bson:",omitempty"`
		Raw    Raw            `bson:",omitempty"`
		Value  RawValue       `bson:",omitempty"`
		Bin    Binary         `bson:",omitempty"`
		Zeroer pointerZero    `bson:",omitempty"`
		Empty  [0]int         `bson:",omitempty"`
		Struct Inner          `bson:",omitempty"`
		Array  [2]int         `bson:",omitempty"`
	}
	type zeros struct {
		Int    int         `bson:",omitzero"`
		Struct Inner       `bson:",omitzero"`
		Array  [2]int      `bson:",omitzero"`
		Slice  []int       `bson:",omitzero"`
		Time   time.Time   `bson:",omitzero"`
		Zeroer pointerZero `bson:",omitzero"`
		Any    any         `bson:",omitzero"`
	}
	type plain struct {
		Int int
		S   Inner
		M   map[string]int
	}
	tests := map[string]struct {
		in   any
		opts MarshalOptions
		want []string // keys
	}{
		"empty":          {fields{}, MarshalOptions{}, []string{"zeroer", "struct", "array"}},
		"empty contents": {fields{Slice: []int{}, Map: map[int]string{}, PTime: new(time.Time)}, MarshalOptions{}, []string{"zeroer", "struct", "array"}},
		"zeroer":         {fields{Zeroer: pointerZero{5}}, MarshalOptions{}, []string{"struct", "array"}},
		"zero struct":    {fields{}, MarshalOptions{OmitZeroStruct: true}, []string{"zeroer", "array"}},
		"full": {fields{true, 1, 1, "x", []int{0}, map[int]string{1: ""}, new(0), 0, time.UnixMilli(1), new(time.UnixMilli(1)), ObjectID{1}, NewDecimal128(1, 1),
			mustMarshal(t, Doc()), RawValue{0x0a, nil}, Binary{1, nil}, pointerZero{1}, [0]int{}, Inner{1}, [2]int{1}}, MarshalOptions{},
			strings.Fields("bool int float str slice map ptr any time ptime id dec raw value bin zeroer struct array")},
		"zeros":               {zeros{Zeroer: pointerZero{5}}, MarshalOptions{}, nil},
		"empty is not zero":   {zeros{Slice: []int{}, Zeroer: pointerZero{0}}, MarshalOptions{}, []string{"slice", "zeroer"}},
		"OmitEmpty":           {plain{}, MarshalOptions{OmitEmpty: true}, []string{"s"}},
		"OmitEmpty and zeros": {plain{}, MarshalOptions{OmitEmpty: true, OmitZeroStruct: true}, nil},
		"neither":             {plain{}, MarshalOptions{OmitZeroStruct: true}, []string{"int", "s", "m"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			raw, err := Marshal(test.in, &test.opts)
			if err != nil {
				t.Fatal(err)
			}
			var keys []string
			for key := range raw.All() {
				keys = append(keys, key)
			}
			if !reflect.DeepEqual(keys, test.want) {
				t.Errorf("keys %v, want %v", keys, test.want)
			}
		})
	}
}

func TestStructPlanErrors(t *testing.T) {
	type recursive struct {
		R *recursive `bson:",inline"`
	}
	type a struct{ X int }
	type b struct{ X int }
	tests := map[string]struct {
		in   any
		opts MarshalOptions
		want string
	}{
		"duplicate name": {struct {
			A int
			B int `bson:"a"`
		}{}, MarshalOptions{}, `two fields are named "a"`},
		"case": {struct{ Ab, AB int }{}, MarshalOptions{}, `two fields are named "ab"`},
		"duplicate in inlined": {struct {
			A a `bson:",inline"`
			B b `bson:",inline"`
		}{}, MarshalOptions{}, `two fields are named "x"`},
		"hidden, strict": {struct {
			X int
			B b `bson:",inline"`
		}{}, MarshalOptions{ErrorOnInlineDuplicates: true}, `two fields are named "x"`},
		"inline int": {struct {
			A int `bson:",inline"`
		}{}, MarshalOptions{}, "field A is inlined, but is neither"},
		"inline pointer to int": {struct {
			A *int `bson:",inline"`
		}{}, MarshalOptions{}, "field A is inlined, but is neither"},
		"inline map of ints": {struct {
			A map[int]int `bson:",inline"`
		}{}, MarshalOptions{}, "keys of the inlined map A must be strings"},
		"two inline maps": {struct {
			A, B M `bson:",inline"`
		}{}, MarshalOptions{}, "more than one inlined map"},
		"inline recursion": {recursive{}, MarshalOptions{}, "inlined into itself"},
		"zero byte in name": {struct {
			A int "bson:\"a\\x00b\""
		}{}, MarshalOptions{}, "zero byte"},
		"map has a field's key": {struct {
			A int
			M M `bson:",inline"`
		}{1, M{"a": 2}}, MarshalOptions{}, "a: the inlined map has the key of a field"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Marshal(test.in, &test.opts); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if name == "map has a field's key" || test.opts != (MarshalOptions{}) {
				return
			}
			err := Unmarshal([]byte{5, 0, 0, 0, 0}, reflect.New(reflect.TypeOf(test.in)).Interface())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("decoding: error %v, want %q", err, test.want)
			}
		})
	}
}

func TestFieldLookup(t *testing.T) {
	type names struct {
		FooBar    int
		Exact     int `bson:"Exact"`
		A, B, C   int
		LongName1 int `bson:"a_long_name_1_with_the_same_end"`
		LongName2 int `bson:"a_long_name_2_with_the_same_end"`
	}
	var got names
	in := D{{"c", 3}, {"Foobar", 1}, {"a_long_name_2_with_the_same_end", 6}, {"exact", 99}, {"a", 4}, {"Exact", 2}, {"B", 5}, {"", 9}, {"a_long_name_1_with_the_same_end", 7},
		{strings.Repeat("X", 100), 8}}
	if err := Unmarshal(mustMarshal(t, in), &got); err != nil {
		t.Fatal(err)
	}
	want := names{FooBar: 1, Exact: 2, C: 3, A: 4, B: 5, LongName2: 6, LongName1: 7}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTruncate(t *testing.T) {
	type fields struct {
		T int     `bson:",truncate"`
		F float32 `bson:",truncate"`
		N int
	}
	var got fields
	if err := Unmarshal(mustMarshal(t, Doc("t", -1.9, "f", 0.1, "n", 2.0)), &got); err != nil || got != (fields{-1, 0.1, 2}) {
		t.Errorf("got %+v (%v)", got, err)
	}
	if err := Unmarshal(mustMarshal(t, Doc("t", 1.5, "n", 2.5)), &got); err == nil {
		t.Error("the tag of one field works on the next")
	}
	if err := Unmarshal(mustMarshal(t, Doc("n", 2.5)), &got, &UnmarshalOptions{AllowTruncatingDoubles: true}); err != nil || got.N != 2 {
		t.Errorf("with the option: %+v (%v)", got, err)
	}
}
