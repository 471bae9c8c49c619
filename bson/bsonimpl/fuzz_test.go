package bsonimpl

import (
	"reflect"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// FuzzDecode checks that generated methods decode a document as Unmarshal does.
func FuzzDecode(f *testing.F) {
	for _, text := range texts {
		doc, err := bson.ExtJSONToRaw([]byte(`{"v":`+text+`}`), false)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(doc))
	}
	decode := func(r *Reader, p *map[string][]*point) error {
		return DecodeMap(r, p, func(r *Reader, p *[]*point) error {
			return DecodeSlice(r, p, func(r *Reader, p **point) error { return DecodePointer(r, p, decodePoint) })
		})
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		got, want := box[map[string][]*point]{decode: decode}, struct{ V map[string][]*point }{}
		gotErr, wantErr := Decode(&got, doc, (*box[map[string][]*point]).decodeBSON), bson.Unmarshal(doc, &want)
		if errorText(gotErr) != errorText(wantErr) {
			t.Fatalf("%v, Unmarshal says %v", gotErr, wantErr)
		}
		if gotErr == nil && !reflect.DeepEqual(got.V, want.V) {
			t.Fatalf("%v, Unmarshal says %v", got.V, want.V)
		}
		gotText, wantText := box[label]{decode: decodeLabel}, struct{ V label }{}
		gotErr, wantErr = Decode(&gotText, doc, (*box[label]).decodeBSON), bson.Unmarshal(doc, &wantText)
		if errorText(gotErr) != errorText(wantErr) || gotErr == nil && gotText.V != wantText.V {
			t.Fatalf("%v %v, Unmarshal says %v %v", gotText.V, gotErr, wantText.V, wantErr)
		}
	})
}
