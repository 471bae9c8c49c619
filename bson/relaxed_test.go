package bson_test

import (
	"encoding/json"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// Extended JSON, "Format and Method Names": methods without a parameter for the format print relaxed extended JSON.
func TestTextsOfDocumentsAreRelaxed(t *testing.T) {
	doc := bson.Doc("i", int32(1), "l", int64(2), "d", 1.5)
	raw, err := bson.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"i":1,"l":2,"d":1.5}`
	if got := bson.Raw(raw).String(); got != want {
		t.Errorf("String of a Raw: %s, want %s", got, want)
	}
	if got := doc.String(); got != want {
		t.Errorf("String of a D: %s, want %s", got, want)
	}
	if got, err := json.Marshal(doc); err != nil || string(got) != want {
		t.Errorf("JSON of a D: %s, %v, want %s", got, err, want)
	}
}
