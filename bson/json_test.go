package bson

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"
	"time"
)

func TestDocumentsAsJSON(t *testing.T) {
	tests := map[string]struct {
		in   any
		want string
	}{
		"in order":         {Doc("b", 1, "a", "x\"y", "c", A{true, nil, 1.5}), `{"b":1,"a":"x\"y","c":[true,null,1.5]}`},
		"nil":              {D(nil), `null`},
		"empty":            {D{}, `{}`},
		"nested":           {M{"z": Doc("b", M{"y": 1, "x": []any{}}), "a": map[string]any(nil)}, `{"a":null,"z":{"b":{"x":[],"y":1}}}`},
		"own MarshalJSON":  {Doc("id", ObjectID{0xab}, "at", DateTime(0), "t", time.UnixMilli(0).UTC(), "n", (*time.Time)(nil)), `{"id":"ab0000000000000000000000","at":"1970-01-01T00:00:00Z","t":"1970-01-01T00:00:00Z","n":null}`},
		"extended JSON":    {Doc("ts", Timestamp{1, 2}, "inf", math.Inf(1)), `{"ts":{"$timestamp":{"t":1,"i":2}},"inf":{"$numberDouble":"Infinity"}}`},
		"struct in a D":    {Doc("s", Inner{1}), `{"s":{"x":1}}`},
		"D in a struct":    {struct{ D D }{Doc("a", 1)}, `{"D":{"a":1}}`},
		"date in a struct": {struct{ At DateTime }{5}, `{"At":"1970-01-01T00:00:00.005Z"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := json.Marshal(test.in); err != nil || string(got) != test.want {
				t.Errorf("got %s (%v), want %s", got, err, test.want)
			}
		})
	}
	if _, err := Doc("a", A{func() {}}).MarshalJSON(); err == nil || err.Error() != "bson: a.0: there is no BSON type for func(): leave the field out, with the tag `bson:\"-\"`" {
		t.Errorf("error %v does not say where", err)
	}
	loop := M{}
	loop["m"] = loop
	if _, err := Doc("a", loop).MarshalJSON(); !errors.Is(err, ErrMaxDepth) {
		t.Errorf("error %v, want one about depth", err)
	}
}

func TestDocumentsFromJSON(t *testing.T) {
	var got struct {
		D    D
		Null D
		At   DateTime
	}
	got.Null = D{}
	in := `{"D":{"b":1,"a":[{"$oid":"010000000000000000000000"},2.5]},"Null":null,"At":"1970-01-01T00:00:01Z"}`
	if err := json.Unmarshal([]byte(in), &got); err != nil {
		t.Fatal(err)
	}
	if want := Doc("b", int32(1), "a", A{ObjectID{1}, 2.5}); !reflect.DeepEqual(got.D, want) || got.Null != nil || got.At != 1000 {
		t.Errorf("got %+v", got)
	}
}
