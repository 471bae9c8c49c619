package bson

import (
	"reflect"
	"testing"
)

func TestDBRefDecodes(t *testing.T) {
	id, err := ObjectIDFromHex("60a6fe9a54f4180c86309efa")
	if err != nil {
		t.Fatal(err)
	}
	one := int32(1)
	// DBRef, "Decoding", prose tests 1 to 3.
	tests := []struct {
		text string
		want DBRef
	}{
		{`{"$ref":"coll0","$id":{"$oid":"60a6fe9a54f4180c86309efa"}}`, DBRef{Ref: "coll0", ID: id}},
		{`{"$ref":"coll0","$id":1}`, DBRef{Ref: "coll0", ID: one}},
		{`{"$ref":"coll0","$id":null}`, DBRef{Ref: "coll0"}},
		{`{"$ref":"coll0","$id":1,"$db":"db0"}`, DBRef{Ref: "coll0", ID: one, DB: "db0"}},
		{`{"$ref":"coll0","$id":1,"$db":"db0","foo":"bar"}`, DBRef{"coll0", one, "db0", D{{"foo", "bar"}}}},
		{`{"$ref":"coll0","$id":1,"foo":true,"bar":false}`, DBRef{"coll0", one, "", D{{"foo", true}, {"bar", false}}}},
		{`{"$ref":"coll0","$id":1,"meta":{"foo":1,"bar":2}}`,
			DBRef{"coll0", one, "", D{{"meta", D{{"foo", one}, {"bar", int32(2)}}}}}},
		{`{"$ref":"coll0","$id":1,"$foo":"bar"}`, DBRef{"coll0", one, "", D{{"$foo", "bar"}}}},
		{`{"$ref":"coll0","$id":1,"foo.bar":0}`, DBRef{"coll0", one, "", D{{"foo.bar", int32(0)}}}},
		{`{"$id":1,"$ref":"coll0"}`, DBRef{Ref: "coll0", ID: one}},
		{`{"$db":"db0","$ref":"coll0","$id":1}`, DBRef{Ref: "coll0", ID: one, DB: "db0"}},
		{`{"foo":1,"$id":1,"$ref":"coll0"}`, DBRef{"coll0", one, "", D{{"foo", one}}}},
		{`{"foo":1,"$ref":"coll0","$id":1,"$db":"db0"}`, DBRef{"coll0", one, "db0", D{{"foo", one}}}},
		{`{"foo":1,"$ref":"coll0","$id":1,"$db":"db0","bar":1}`, DBRef{"coll0", one, "db0", D{{"foo", one}, {"bar", one}}}},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			var got struct{ V DBRef }
			if err := UnmarshalExtJSON([]byte(`{"v":`+tt.text+`}`), false, &got); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.V, tt.want) {
				t.Errorf("got %+v, want %+v", got.V, tt.want)
			}
		})
	}
}

func TestDBRefDoesNotDecode(t *testing.T) {
	// DBRef, "Decoding", prose tests 4 and 5.
	for _, text := range []string{
		`{"$ref":"coll0"}`, `{"$id":{"$oid":"60a6fe9a54f4180c86309efa"}}`, `{"$db":"db0"}`,
		`{"$ref":true,"$id":1}`, `{"$ref":"coll0","$id":1,"$db":1}`, `1`,
	} {
		var got struct{ V DBRef }
		if err := UnmarshalExtJSON([]byte(`{"v":`+text+`}`), false, &got); err == nil {
			t.Errorf("%s decodes into %+v", text, got.V)
		}
	}
}

func TestDBRefEncodes(t *testing.T) {
	// DBRef, "Encoding": the order of the fields.
	tests := []struct {
		ref  DBRef
		want string
	}{
		{DBRef{Ref: "coll0", ID: int32(1)}, `{"$ref":"coll0","$id":1}`},
		{DBRef{Ref: "coll0"}, `{"$ref":"coll0","$id":null}`},
		{DBRef{Ref: "coll0", ID: int32(1), DB: "db0"}, `{"$ref":"coll0","$id":1,"$db":"db0"}`},
		{DBRef{"coll0", int32(1), "db0", D{{"foo", "bar"}, {"$x", nil}}},
			`{"$ref":"coll0","$id":1,"$db":"db0","foo":"bar","$x":null}`},
		{DBRef{"coll0", int32(1), "", D{{"foo", true}}}, `{"$ref":"coll0","$id":1,"foo":true}`},
	}
	for _, tt := range tests {
		got, err := MarshalExtJSON(D{{"v", tt.ref}, {"p", &tt.ref}}, false)
		if want := `{"v":` + tt.want + `,"p":` + tt.want + `}`; err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	if got, err := Marshal(DBRef{Ref: "c", ID: make(chan int)}); err == nil {
		t.Errorf("a channel encodes as %x", got)
	}
}
