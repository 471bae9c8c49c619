package bson

import (
	"reflect"
	"testing"
	"time"
)

type inner struct {
	Street string
	Zip    int32 `bson:"zip,omitempty"`
}

type everything struct {
	ID     ObjectID `bson:"_id"`
	Name   string
	Age    int
	Big    int64
	Small  int64 `bson:"small,minsize"`
	Ratio  float64
	On     bool
	At     time.Time
	Tags   []string
	Nums   []int32
	Addr   inner
	Addrs  []inner
	Ptr    *inner
	Nil    *inner
	Any    any
	M      map[string]int
	Data   []byte
	Nested D
	Arr    [3]int8
	Raw    Raw
}

func fullStruct() everything {
	raw, _ := Marshal(D{{"x", int32(1)}})
	return everything{
		ID: NewObjectID(), Name: "Ada", Age: 36, Big: 1 << 40, Small: 7, Ratio: 1.5, On: true, At: time.UnixMilli(1234567).UTC(),
		Tags: []string{"a", "b"}, Nums: []int32{1, 2}, Addr: inner{"Main", 1}, Addrs: []inner{{"X", 0}, {"Y", 2}}, Ptr: &inner{"P", 3},
		Any: D{{"k", A{int32(1), "two", nil}}}, M: map[string]int{"a": 1, "b": 2}, Data: []byte{1, 2, 3},
		Nested: D{{"a", D{{"b", 1.5}}}}, Arr: [3]int8{1, 2, 3}, Raw: raw,
	}
}

func TestStructRoundTrip(t *testing.T) {
	want := fullStruct()
	raw, err := Marshal(&want)
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Validate(); err != nil {
		t.Fatal(err)
	}
	var got everything
	if err := Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	var d D
	if err := Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	again, err := Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := Unmarshal(again, &d); err != nil {
		t.Fatal(err)
	}
	got = everything{}
	if err := Unmarshal(again, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("by way of D: got %+v, want %+v", got, want)
	}
}
