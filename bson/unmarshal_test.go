package bson

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/bsontype"
)

// TestUnmarshalValues lists encoded values and the Go values that they decode to, or the errors that must occur.
func TestUnmarshalValues(t *testing.T) {
	id := ObjectID{1}
	fails := func(text string) error { return errors.New(text) }
	wide := int64(1) << 40
	tests := map[string]struct {
		in   any
		want any // a value of the Go type, or an error with the zero value in into
		into any
	}{
		"int from int":              {int32(5), int(5), nil},
		"int from long":             {wide, int(wide), nil},
		"int from integral double":  {5.0, int(5), nil},
		"int from fraction":         {5.5, fails("lose its fraction"), int(0)},
		"int from huge double":      {1e19, fails("1e+19 does not fit into int"), int(0)},
		"int from infinity":         {math.Inf(1), fails("+Inf does not fit into int"), int(0)},
		"int from NaN":              {math.NaN(), fails("lose its fraction"), int(0)},
		"int64 from 2^63":           {float64(1 << 63), fails("does not fit into int64"), int64(0)},
		"int64 from -2^63":          {float64(-1 << 63), int64(math.MinInt64), nil},
		"int from bool":             {true, int(1), nil},
		"int from null":             {nil, int(0), nil},
		"int from undefined":        {Undefined{}, int(0), nil},
		"int from string":           {"5", fails("cannot store string in int"), int(0)},
		"int8 too large":            {int32(128), fails("128 does not fit into int8"), int8(0)},
		"int16 too small":           {int32(-40000), fails("-40000 does not fit into int16"), int16(0)},
		"int32 too large":           {int64(1) << 31, fails("2147483648 does not fit into int32"), int32(0)},
		"uint8 negative":            {int32(-1), fails("-1 does not fit into uint8"), uint8(0)},
		"uint64 negative":           {int64(-1), fails("-1 does not fit into uint64"), uint64(0)},
		"uint32":                    {int64(math.MaxUint32), uint32(math.MaxUint32), nil},
		"float64 from int":          {int32(5), 5.0, nil},
		"float32":                   {0.5, float32(0.5), nil},
		"float32 loses precision":   {0.1, fails("precision"), float32(0)},
		"bool from int":             {int32(2), true, nil},
		"bool from fraction":        {0.5, true, nil},
		"bool from zero":            {0.0, false, nil},
		"bool from string":          {"true", fails("cannot store string in bool"), false},
		"string from symbol":        {Symbol("s"), "s", nil},
		"string from binary":        {Binary{0, []byte("s")}, "s", nil},
		"string from UUID":          {Binary{4, []byte("s")}, fails("subtype 4"), ""},
		"string from ObjectID":      {id, fails("cannot store objectId in string"), ""},
		"string from null":          {nil, "", nil},
		"named string":              {"x", bsontypeName("x"), nil},
		"time from date":            {DateTime(1500), time.UnixMilli(1500).UTC(), nil},
		"time from long":            {int64(1500), time.UnixMilli(1500).UTC(), nil},
		"time from timestamp":       {Timestamp{7, 1}, time.Unix(7, 0).UTC(), nil},
		"time from string":          {"2024-05-06T07:08:09.5+02:00", time.Date(2024, 5, 6, 5, 8, 9, 5e8, time.UTC), nil},
		"time from other string":    {"yesterday", fails(`RFC 3339: "yesterday"`), time.Time{}},
		"time from null":            {nil, time.Time{}, nil},
		"bytes from binary":         {Binary{0, []byte{1}}, []byte{1}, nil},
		"bytes from old binary":     {Binary{2, []byte{1}}, []byte{1}, nil},
		"bytes from UUID":           {Binary{4, []byte{1}}, fails("cannot store binary data of subtype 4 in []uint8"), []byte(nil)},
		"bytes from string":         {"ab", []byte("ab"), nil},
		"byte array":                {Binary{0, []byte{1}}, [2]byte{1, 0}, nil},
		"byte array too short":      {Binary{0, []byte{1, 2, 3}}, fails("cannot store 3 bytes in [2]uint8"), [2]byte{}},
		"byte array from numbers":   {A{int32(1), int64(255)}, [3]byte{1, 255, 0}, nil},
		"byte array from UUID":      {Binary{4, []byte("0123456789abcdef")}, [16]byte([]byte("0123456789abcdef")), nil},
		"ObjectID from hex":         {"010000000000000000000000", id, nil},
		"ObjectID from 12 bytes":    {"abcdefghijkl", ObjectID([]byte("abcdefghijkl")), nil},
		"ObjectID from other text":  {"abc", fails("ObjectID"), ObjectID{}},
		"DateTime from long":        {int64(5), DateTime(5), nil},
		"slice":                     {A{int32(1), 2.0}, []int{1, 2}, nil},
		"empty slice":               {A{}, []int{}, nil},
		"slice from null":           {nil, []int(nil), nil},
		"slice from document":       {D{}, fails("cannot store object in []int"), []int(nil)},
		"slice of slices":           {A{A{"a"}, A{}}, [][]string{{"a"}, {}}, nil},
		"slice of pointers":         {A{int32(1), nil}, []*int{new(1), nil}, nil},
		"array":                     {A{true}, [2]bool{true, false}, nil},
		"array too short":           {A{true, false, true}, fails("more than the 2 elements of [2]bool"), [2]bool{}},
		"map":                       {D{{"a", int32(1)}}, map[string]int{"a": 1}, nil},
		"map of named strings":      {D{{"a", int32(1)}}, map[bsontypeName]int{"a": 1}, nil},
		"map of ints":               {D{{"-7", "x"}}, map[int8]string{-7: "x"}, nil},
		"map of ints, too large":    {D{{"128", "x"}}, fails(`the key "128" is not a number that fits into int8`), map[int8]string(nil)},
		"map of text":               {D{{"::1", true}}, map[netip.Addr]bool{netip.MustParseAddr("::1"): true}, nil},
		"map of any":                {D{{"a", D{{"b", nil}}}}, map[string]any{"a": D{{"b", nil}}}, nil},
		"map from array":            {A{}, fails("cannot store array in map[string]int"), map[string]int(nil)},
		"M":                         {D{{"a", int32(1)}}, M{"a": int32(1)}, nil},
		"D":                         {D{{"a", int32(1)}, {"a", "x"}}, D{{"a", int32(1)}, {"a", "x"}}, nil},
		"D from array":              {A{}, fails("cannot store array in bson.D"), D(nil)},
		"A":                         {A{"x", D{}}, A{"x", D{}}, nil},
		"[]any":                     {A{"x"}, []any{"x"}, nil},
		"A from null":               {nil, A(nil), nil},
		"struct":                    {D{{"x", int32(1)}, {"unknown", "y"}}, Inner{1}, nil},
		"struct from null":          {nil, Inner{}, nil},
		"struct from int":           {int32(1), fails("cannot store int in bson.Inner"), Inner{}},
		"pointer":                   {D{{"x", int32(1)}}, &Inner{1}, nil},
		"nil pointer":               {nil, (*Inner)(nil), nil},
		"pointer to pointer":        {int32(1), new(new(1)), nil},
		"URL":                       {"https://example.com/a", url.URL{Scheme: "https", Host: "example.com", Path: "/a"}, nil},
		"no URL":                    {"%zz", fails("invalid URL escape"), url.URL{}},
		"json.Number from long":     {int64(12), json.Number("12"), nil},
		"json.Number from double":   {1.5, json.Number("1.5"), nil},
		"json.Number from decimal":  {NewDecimal128(0x3040000000000000, 7), json.Number("7"), nil},
		"big.Int from int":          {int32(5), *big.NewInt(5), nil},
		"big.Int from decimal":      {mustDecimal(t, "12E2"), *big.NewInt(1200), nil},
		"big.Int from fraction":     {mustDecimal(t, "1.5"), fails("1.5 is not a whole number"), big.Int{}},
		"big.Int from string":       {"-12", *big.NewInt(-12), nil},
		"big.Int from other string": {"x", fails(`"x" is not a whole number`), big.Int{}},
		"text into opaque struct":   {"x", opaque{"x"}, nil},
		"bytes into opaque struct":  {Binary{0, []byte("x")}, blob{"x"}, nil},
		"text into integer":         {"!!", level(2), nil},
		"integer with text":         {int32(3), level(3), nil},
		"Raw":                       {D{{"a", nil}}, mustMarshal(t, D{{"a", nil}}), nil},
		"Raw from string":           {"a", fails("cannot store string in bson.Raw"), Raw(nil)},
		"RawValue":                  {"a", RawValue{bsontype.String, []byte("\x02\x00\x00\x00a\x00")}, nil},
		"Symbol from string":        {"a", Symbol("a"), nil},
		"MinKey from int":           {int32(1), fails("cannot store int in bson.MinKey"), MinKey{}},
		"interface with methods":    {"a", fails("cannot store string in error"), struct{ E error }{}.E},
	}
	if strconv.IntSize == 32 {
		delete(tests, "int from long")
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			doc := mustMarshal(t, D{{"v", test.in}})
			wantErr, _ := test.want.(error)
			typ := reflect.TypeOf(test.want)
			if wantErr != nil {
				if typ = reflect.TypeOf(test.into); typ == nil {
					typ = reflect.TypeFor[error]()
				}
			}
			target := reflect.New(typ)
			err := doc.Lookup("v").Unmarshal(target.Interface())
			if wantErr != nil {
				if err == nil || !strings.Contains(err.Error(), wantErr.Error()) {
					t.Fatalf("got %v, error %v, want error %v", target.Elem(), err, wantErr)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(target.Elem().Interface(), test.want) {
				t.Fatalf("got %v, error %v, want %v", target.Elem(), err, test.want)
			}
			field := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "V", Type: typ}}))
			err = Unmarshal(doc, field.Interface())
			if got := field.Elem().Field(0).Interface(); err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("in a field: got %v, error %v, want %v", got, err, test.want)
			}
		})
	}
}

// TestUnmarshalIntoAny checks that every type comes back unchanged.
func TestUnmarshalIntoAny(t *testing.T) {
	id := ObjectID{1}
	for _, want := range []any{
		1.5, "text", "", D{}, D{{"a", D{{"b", A{}}}}}, A{}, A{A{A{int32(1)}}, nil}, Binary{0, []byte{1}}, Binary{2, []byte{1}}, Binary{9, []byte{}},
		Undefined{}, id, true, false, DateTime(-1), nil, Regex{"a", "i"}, DBPointer{"a", id}, JavaScript("f"), Symbol("s"),
		CodeWithScope{"f", D{{"a", nil}}}, int32(-7), int32(1000), Timestamp{1, 2}, int64(5), NewDecimal128(1, 2), MinKey{}, MaxKey{},
	} {
		doc := mustMarshal(t, D{{"v", want}})
		var d D
		if err := Unmarshal(doc, &d); err != nil || !reflect.DeepEqual(d, D{{"v", want}}) {
			t.Errorf("D: got %#v (%v), want %#v", d, err, want)
		}
		var m M
		if err := Unmarshal(doc, &m); err != nil || !reflect.DeepEqual(m, M{"v": want}) {
			t.Errorf("M: got %#v (%v), want %#v", m, err, want)
		}
		var s struct{ V any }
		if err := Unmarshal(doc, &s); err != nil || !reflect.DeepEqual(s.V, want) {
			t.Errorf("any field: got %#v (%v), want %#v", s.V, err, want)
		}
		var whole any
		if err := Unmarshal(doc, &whole); err != nil || !reflect.DeepEqual(whole, D{{"v", want}}) {
			t.Errorf("any: got %#v (%v), want %#v", whole, err, want)
		}
	}
}

// TestUnmarshalKeepsNothingOfTheInput overwrites the input after decoding.
func TestUnmarshalKeepsNothingOfTheInput(t *testing.T) {
	type target struct {
		S   string
		B   []byte
		D   D
		Any any
		M   map[string]string
		Raw Raw
		V   RawValue
		Bin Binary
	}
	long := strings.Repeat("long ", 100)
	want := target{
		S: "short", B: []byte("bytes"), D: D{{"k", long}, {"b", Binary{0, []byte{7}}}}, Any: A{"x", "y"}, M: map[string]string{"a": long},
		Raw: mustMarshal(t, Doc("r", "s")), V: RawValue{bsontype.Boolean, []byte{1}}, Bin: Binary{5, []byte(long)},
	}
	doc := mustMarshal(t, want)
	var got target
	var d D
	if err := errors.Join(Unmarshal(doc, &got), Unmarshal(doc, &d)); err != nil {
		t.Fatal(err)
	}
	before := mustMarshal(t, d)
	clear(doc)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the struct changed with the input: %v", got)
	}
	if after := mustMarshal(t, d); string(after) != string(before) {
		t.Errorf("D changed with the input: %v", after)
	}
}

// TestUnmarshalSharesNoRoom appends to decoded slices: none may have capacity in another's memory.
func TestUnmarshalSharesNoRoom(t *testing.T) {
	doc := mustMarshal(t, Doc("a", Doc("x", 1), "b", A{1}, "c", Binary{0, []byte("c")}, "d", A{2}, "e", Doc("y", 2), "f", Binary{0, []byte("f")}))
	var d D
	if err := Unmarshal(doc, &d); err != nil {
		t.Fatal(err)
	}
	before := mustMarshal(t, d)
	for _, e := range d {
		switch v := e.Value.(type) {
		case D:
			_ = append(v, E{"new", 1})
		case A:
			_ = append(v, "new")
		case Binary:
			_ = append(v.Data, 'n')
		}
	}
	if after := mustMarshal(t, d); string(after) != string(before) {
		t.Errorf("appending to one part changed another: %v, was %v", after, before)
	}
}

func TestUnmarshalReusesWhatIsThere(t *testing.T) {
	doc := mustMarshal(t, Doc("s", A{Doc("x", 1), Doc()}, "m", Doc("b", 2), "p", Doc("x", 3), "i", Doc("x", 4)))
	type target struct {
		S    []Inner
		M    map[string]int
		P    *Inner
		I    any
		Keep string
	}
	room := make([]Inner, 3)
	room[1].X = 9
	p, i := &Inner{7}, &Inner{8}
	got := target{S: room, M: map[string]int{"a": 1}, P: p, I: i, Keep: "kept"}
	if err := Unmarshal(doc, &got); err != nil {
		t.Fatal(err)
	}
	want := target{S: []Inner{{1}, {0}}, M: map[string]int{"a": 1, "b": 2}, P: &Inner{3}, I: &Inner{4}, Keep: "kept"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got.P != p || got.I != i || &got.S[0] != &room[0] {
		t.Error("pointers or the slice were replaced")
	}
	m := M{"old": 1}
	if err := Unmarshal(doc, m); err != nil || len(m) != 5 {
		t.Errorf("a map that is not in a pointer became %v (%v)", m, err)
	}
}

func TestUnmarshalErrors(t *testing.T) {
	type order struct{ Price int }
	type customer struct {
		Orders []order
		ByName map[string]order
		Ptr    *order
		Any    any
	}
	valid := mustMarshal(t, Doc())
	var self any
	self = &self
	type cyclic *cyclic
	deep := D{}
	for range 20 {
		deep = D{{"d", A{deep}}}
	}
	badBool := mustMarshal(t, Doc("any", Doc("list", A{1, true})))
	badBool[len(badBool)-4] = 3
	tests := map[string]struct {
		data   []byte
		into   any
		opts   UnmarshalOptions
		want   string
		offset int
	}{
		"path through slices": {mustMarshal(t, Doc("orders", A{Doc(), Doc("price", "x")})), new(customer), UnmarshalOptions{},
			"bson: orders.1.price: cannot store string in int", 38},
		"path through maps": {mustMarshal(t, Doc("byname", Doc("a.b", Doc("price", 1.5)))), new(customer), UnmarshalOptions{},
			"bson: byname.a.b.price: the double would lose", 32},
		"path through pointers": {mustMarshal(t, Doc("ptr", Doc("price", A{}))), new(customer), UnmarshalOptions{},
			"bson: ptr.price: cannot store array in int", 20},
		"path through any":     {badBool, new(customer), UnmarshalOptions{}, "bson: any.list.1: a bool is neither 0 nor 1", 33},
		"path through D":       {badBool, new(D), UnmarshalOptions{}, "bson: any.list.1: a bool is neither 0 nor 1", 33},
		"path through M":       {badBool, new(M), UnmarshalOptions{}, "bson: any.list.1: a bool is neither 0 nor 1", 33},
		"nil":                  {valid, nil, UnmarshalOptions{}, "bson: cannot decode into nil", -1},
		"no pointer":           {valid, customer{}, UnmarshalOptions{}, "bson: cannot decode into a bson.customer, which is neither pointer nor map", -1},
		"nil pointer":          {valid, (*customer)(nil), UnmarshalOptions{}, "bson: cannot decode into a nil *bson.customer", -1},
		"nil map":              {valid, M(nil), UnmarshalOptions{}, "bson: cannot decode into a nil bson.M", -1},
		"document into string": {valid, new(string), UnmarshalOptions{}, "bson: cannot store object in string", 0},
		"cut off":              {valid[:4], new(D), UnmarshalOptions{}, "bson: a document of 4 bytes is too short", 0},
		"cut off for a struct": {valid[:4], new(customer), UnmarshalOptions{}, "bson: a document of 4 bytes is too short", 0},
		"trailing byte":        {append(valid[:5:5], 0), new(customer), UnmarshalOptions{}, "bson: the document states a length of 5 bytes and has 6", 0},
		"any in itself":        {valid, self, UnmarshalOptions{}, "nested too deeply", 0},
		"pointer to itself":    {valid, new(cyclic), UnmarshalOptions{}, "nested too deeply", 0},
		"too deep for D":       {mustMarshal(t, deep), new(D), UnmarshalOptions{MaxDepth: 10}, "bson: d.0.d.0.d.0.d.0.d.0: nested too deeply", 70},
		"too deep for any":     {mustMarshal(t, deep), new(any), UnmarshalOptions{MaxDepth: 10}, "bson: d.0.d.0.d.0.d.0.d.0: nested too deeply", 70},
		"duplicate in D":       {mustMarshal(t, D{{"a", 1}, {"a", 2}}), new(D), UnmarshalOptions{RejectDuplicateKeys: true}, "bson: a: the key occurs twice", 0},
		"duplicate in struct": {mustMarshal(t, Doc("ptr", D{{"a", 1}, {"a", 2}})), new(customer), UnmarshalOptions{RejectDuplicateKeys: true},
			"bson: ptr.a: the key occurs twice", 9},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := Unmarshal(test.data, test.into, &test.opts)
			var e *DecodeError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), test.want) || e.Offset != test.offset {
				t.Errorf("error %v, want %s at %d", err, test.want, test.offset)
			}
		})
	}
}

func TestTypeErrorSaysWhatDidNotFit(t *testing.T) {
	var into struct{ N int }
	err := Unmarshal(mustMarshal(t, Doc("n", "x")), &into)
	e, ok := errors.AsType[*TypeError](err)
	if !ok || e.From != bsontype.String || e.To != reflect.TypeFor[int]() {
		t.Errorf("error %v, want a TypeError from string to int", err)
	}
}
