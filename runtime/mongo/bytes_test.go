package mongo_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest"
)

// TestBytesAreDocuments checks that bytes stand for a document that is encoded already, wherever a document is expected.
func TestBytesAreDocuments(t *testing.T) {
	c := connect(t, mongotest.Start(t)).Database("shop").Collection("orders")
	encode := func(doc bson.D) []byte {
		raw, err := bson.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	filter := encode(bson.Doc("n", 1))
	steps := []struct {
		name string
		run  func() error
	}{
		{"insertOne", func() error { _, err := c.InsertOne(t.Context(), encode(bson.Doc("n", 1))); return err }},
		{"insertMany", func() error { _, err := c.InsertMany(t.Context(), [][]byte{encode(bson.Doc("_id", 2))}); return err }},
		{"updateOne", func() error {
			_, err := c.UpdateOne(t.Context(), filter, encode(bson.Doc("$set", bson.Doc("a", true))))
			return err
		}},
		{"replaceOne", func() error {
			_, err := c.ReplaceOne(t.Context(), filter, encode(bson.Doc("n", 1, "b", true)))
			return err
		}},
	}
	for _, s := range steps {
		if err := s.run(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
	var got bson.D
	if err := c.FindOne(t.Context(), filter).Decode(&got); err != nil || len(got) != 3 || got[2].Key != "b" {
		t.Errorf("found %v, %v", got, err)
	}
	if err := c.FindOne(t.Context(), []byte("no document")).Err(); err == nil || !strings.Contains(err.Error(), "the filter") {
		t.Errorf("broken bytes: %v", err)
	}
}
