package bson_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
)

// keys is a type that a program wrote for the official driver. It keeps the keys of its document as strings.
type keys map[string]bool

func (k *keys) UnmarshalBSON(data []byte) error {
	elements, err := bson.Raw(data).Elements()
	*k = keys{}
	for _, e := range elements {
		(*k)[e.Key] = true
	}
	return err
}

func TestKeysOfElementsOutliveTheDocument(t *testing.T) {
	doc, err := bson.Marshal(bson.Doc("inside", bson.Doc("local", 1, "aws", 2)))
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Inside keys }
	if err := bson.Unmarshal(doc, &got); err != nil {
		t.Fatal(err)
	}
	clear(doc)
	if !got.Inside["local"] || !got.Inside["aws"] {
		t.Errorf("%v", got.Inside)
	}
}

func TestRawRefusesAnExtJSONArray(t *testing.T) {
	var doc bson.Raw
	if err := bson.UnmarshalExtJSON([]byte(`[1, 2]`), false, &doc); err == nil {
		t.Errorf("it becomes %v", doc)
	}
	var list bson.RawArray
	if err := bson.UnmarshalExtJSON([]byte(`[1, 2]`), false, &list); err != nil {
		t.Error(err)
	}
}
