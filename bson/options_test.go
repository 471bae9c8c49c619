package bson

import (
	"reflect"
	"testing"
	"time"
)

func TestMarshalOptions(t *testing.T) {
	type tagged struct {
		A int `json:"x,omitempty"`
		B int `json:"y" bson:"z"`
		C int `json:"-"`
	}
	type nils struct {
		S []int
		M map[string]int
		B []byte
		D D
		N any
	}
	tests := map[string]struct {
		in   any
		opts []*MarshalOptions
		want D
	}{
		"json tags":          {tagged{B: 1, C: 2}, []*MarshalOptions{{UseJSONStructTags: true}}, Doc("z", 1)},
		"no json tags":       {tagged{B: 1, C: 2}, nil, Doc("a", 0, "z", 1, "c", 2)},
		"nil slices":         {nils{}, []*MarshalOptions{{NilSliceAsEmpty: true}}, Doc("s", A{}, "m", nil, "b", nil, "d", D{}, "n", nil)},
		"nil maps":           {nils{}, []*MarshalOptions{{NilMapAsEmpty: true}}, Doc("s", nil, "m", D{}, "b", nil, "d", nil, "n", nil)},
		"nil bytes":          {nils{}, []*MarshalOptions{{NilByteSliceAsEmpty: true}}, Doc("s", nil, "m", nil, "b", []byte{}, "d", nil, "n", nil)},
		"options add up":     {nils{}, []*MarshalOptions{{NilSliceAsEmpty: true}, nil, {NilMapAsEmpty: true}}, Doc("s", A{}, "m", D{}, "b", nil, "d", D{}, "n", nil)},
		"minimal integers":   {Doc("a", int64(1), "b", []uint64{2}), []*MarshalOptions{{IntMinSize: true}}, Doc("a", 1, "b", A{2})},
		"keys by fmt.Sprint": {map[float64]bool{1.5: true}, []*MarshalOptions{{StringifyMapKeysWithFmt: true}}, Doc("1.5", true)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Marshal(test.in, test.opts...)
			if want := mustMarshal(t, test.want); err != nil || string(got) != string(want) {
				t.Errorf("got %v (%v), want %v", got, err, want)
			}
		})
	}
	if _, err := Marshal(Doc("a", Doc("b", 1)), &MarshalOptions{MaxDepth: 1}); err == nil {
		t.Error("the second level was accepted")
	}
	if _, err := Marshal(Doc("a", Doc("b", 1)), &MarshalOptions{MaxDepth: 2}); err != nil {
		t.Error(err)
	}
}

func TestUnmarshalOptions(t *testing.T) {
	local := time.FixedZone("test", 3600)
	defer func(l *time.Location) { time.Local = l }(time.Local)
	time.Local = local
	type tagged struct {
		A int `json:"x"`
	}
	type holder struct{ X any }
	type beside struct {
		M M
		X any
	}
	likeParent := UnmarshalOptions{DefaultDocument: DocumentLikeParent}
	tests := map[string]struct {
		in   D
		into any // a pointer
		opts UnmarshalOptions
		want any
	}{
		"json tags":           {Doc("x", 1), new(tagged), UnmarshalOptions{UseJSONStructTags: true}, tagged{1}},
		"no json tags":        {Doc("x", 1), new(tagged), UnmarshalOptions{}, tagged{}},
		"D":                   {Doc("a", A{Doc()}), new(any), UnmarshalOptions{}, Doc("a", A{D{}})},
		"M":                   {Doc("a", A{Doc("b", Doc())}), new(any), UnmarshalOptions{DefaultDocument: DocumentM}, M{"a": A{M{"b": M{}}}}},
		"map":                 {Doc("a", Doc()), new(any), UnmarshalOptions{DefaultDocument: DocumentMap}, map[string]any{"a": map[string]any{}}},
		"Raw":                 {Doc("a", Doc()), new(D), UnmarshalOptions{DefaultDocument: DocumentRaw}, Doc("a", Raw{5, 0, 0, 0, 0})},
		"M inside D":          {Doc("a", Doc()), new(D), UnmarshalOptions{DefaultDocument: DocumentM}, Doc("a", M{})},
		"M like its parent":   {Doc("a", A{Doc("b", Doc())}), new(M), likeParent, M{"a": A{M{"b": M{}}}}},
		"map like its parent": {Doc("a", Doc()), new(map[string]any), likeParent, map[string]any{"a": map[string]any{}}},
		"D like its parent":   {Doc("a", Doc("b", Doc())), new(D), likeParent, Doc("a", Doc("b", D{}))},
		"D in a struct":       {Doc("x", Doc("b", Doc())), new(holder), likeParent, holder{Doc("b", D{})}},
		"D next to an M":      {Doc("m", Doc("b", Doc()), "x", Doc()), new(beside), likeParent, beside{M{"b": M{}}, D{}}},
		"binary as slice":     {Doc("a", Binary{0, []byte{1}}, "b", Binary{4, []byte{2}}), new(D), UnmarshalOptions{BinaryAsSlice: true}, Doc("a", []byte{1}, "b", Binary{4, []byte{2}})},
		"ObjectID as text":    {Doc("a", ObjectID{1}), new(map[string]string), UnmarshalOptions{ObjectIDAsHexString: true}, map[string]string{"a": "010000000000000000000000"}},
		"local time":          {Doc("a", DateTime(5)), new(map[string]time.Time), UnmarshalOptions{UseLocalTimeZone: true}, map[string]time.Time{"a": time.UnixMilli(5)}},
		"zero structs":        {Doc(), &Inner{5}, UnmarshalOptions{ZeroStructs: true}, Inner{}},
		"keep structs":        {Doc(), &Inner{5}, UnmarshalOptions{}, Inner{5}},
		"zero maps":           {Doc("b", 1), &map[string]int{"a": 1}, UnmarshalOptions{ZeroMaps: true}, map[string]int{"b": 1}},
		"zero M":              {Doc("b", "x"), &M{"a": 1}, UnmarshalOptions{ZeroMaps: true}, M{"b": "x"}},
		"keep maps":           {Doc("b", 1), &map[string]int{"a": 1}, UnmarshalOptions{}, map[string]int{"a": 1, "b": 1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := Unmarshal(mustMarshal(t, test.in), test.into, &test.opts)
			if got := reflect.ValueOf(test.into).Elem().Interface(); err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %#v (%v), want %#v", got, err, test.want)
			}
		})
	}
	field := struct{ At time.Time }{}
	if err := Unmarshal(mustMarshal(t, Doc("at", DateTime(5))), &field, &UnmarshalOptions{UseLocalTimeZone: true}); err != nil || field.At.Location() != local {
		t.Errorf("in a field the time is %v (%v), want it in %v", field.At, err, local)
	}
}

func TestAllowInvalidUTF8(t *testing.T) {
	odd := D{{"\xff", "\xff"}, {"r", Regex{"\xff", ""}}, {"l", []string{"\xff"}}, {"s", struct{ S string }{"\xff"}}, {"m", map[string]int{"\xff": 1}}}
	for i := range odd {
		if _, err := Marshal(odd[i : i+1]); err == nil {
			t.Errorf("%#v is encoded without the option", odd[i])
		}
	}
	raw, err := Marshal(odd, &MarshalOptions{AllowInvalidUTF8: true})
	if err != nil {
		t.Fatal(err)
	}
	var back D
	if err := Unmarshal(raw, &back, &UnmarshalOptions{AllowInvalidUTF8: true}); err != nil || back[0].Key != "\xff" || back[0].Value != "\xff" {
		t.Errorf("got %#v (%v)", back, err)
	}
	doc := mustMarshal(t, Doc("k", "abc"))
	for _, at := range []int{5, 11} {
		bad := append(Raw(nil), doc...)
		bad[at] = 0xff
		for _, into := range []any{new(D), new(M), new(map[string]string), new(struct{ K string })} {
			_, isStruct := into.(*struct{ K string })
			if err := Unmarshal(bad, into); err == nil && (!isStruct || at != 5) {
				t.Errorf("%T: byte %d is accepted without the option", into, at)
			}
			if err := Unmarshal(bad, into, &UnmarshalOptions{AllowInvalidUTF8: true}); err != nil {
				t.Errorf("%T: byte %d is refused with the option: %v", into, at, err)
			}
		}
	}
}
