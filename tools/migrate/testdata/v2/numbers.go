package shop

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

type blob []byte

func stored(b blob) int { return len(b) }

// blobs has bytes that go where their type matters.
func blobs(v any) (bson.M, error) {
	b, err := bson.Marshal(v)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]any{"blob": b})
	if err != nil {
		return nil, err
	}
	fmt.Println(stored(b), bytes.Equal(b, text), fmt.Sprint(b))
	return bson.M{"blob": b, "list": bson.A{b}, "one": bson.D{{Key: "b", Value: b}}}, nil
}

var registryOfAll = bson.NewRegistry()

func encodedInFull(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := bson.NewEncoder(bson.NewDocumentWriter(&out))
	enc.SetRegistry(registryOfAll)
	return out.Bytes(), enc.Encode(v)
}

func numberedOptions(n int) (*options.FindOptionsBuilder, *options.FindOneAndUpdateOptionsBuilder) {
	return options.Find().SetCursorType(2), options.FindOneAndUpdate().SetReturnDocument(options.ReturnDocument(n)).SetUpsert(1 == n)
}
