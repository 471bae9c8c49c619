package bson_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
)

// TestReusedDecodersForgetCodecs decodes into two types under changing options. A decoder is used again, and what it
// remembers of the document before must not count when the type or the options differ.
func TestReusedDecodersForgetCodecs(t *testing.T) {
	type named struct {
		A int `json:"b"`
	}
	type other struct {
		A float64 `json:"b"`
	}
	tenfold, err := bson.NewCodecs(bson.NewCodec(
		func(n int) (int64, error) { return int64(n / 10), nil },
		func(n int64) (int, error) { return int(n * 10), nil },
	))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := bson.Marshal(bson.Doc("a", 1, "b", 2))
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		name string
		o    *bson.UnmarshalOptions
		want int
	}{
		{"no options", nil, 1},
		{"JSON tags", &bson.UnmarshalOptions{UseJSONStructTags: true}, 2},
		{"codecs", &bson.UnmarshalOptions{Codecs: tenfold}, 10},
		{"an option that keeps the codecs", &bson.UnmarshalOptions{ZeroMaps: true}, 1},
		{"empty options", &bson.UnmarshalOptions{}, 1},
	}
	for range 3 {
		for _, before := range steps {
			for _, step := range steps {
				var n named
				var o other
				if err := bson.Unmarshal(doc, &o, before.o); err != nil {
					t.Fatal(err)
				}
				if err := bson.Unmarshal(doc, &n, before.o); err != nil || n.A != before.want {
					t.Errorf("%s: got %d, %v, want %d", before.name, n.A, err, before.want)
				}
				if err := bson.Unmarshal(doc, &n, step.o); err != nil || n.A != step.want {
					t.Errorf("%s behind %s: got %d, %v, want %d", step.name, before.name, n.A, err, step.want)
				}
			}
		}
	}
}
