package shop

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/bsontype"
	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/mongo/options"
)

func connectJSONTags(ctx context.Context, uri string) (*mongo.Client, error) {
	structcodec, _ := bsoncodec.NewStructCodec(bsoncodec.JSONFallbackStructTagParser)
	rb := bson.NewRegistryBuilder()
	rb.RegisterDefaultEncoder(reflect.Struct, structcodec)
	rb.RegisterDefaultDecoder(reflect.Struct, structcodec)
	return mongo.Connect(ctx, options.Client().SetRegistry(rb.Build()).ApplyURI(uri))
}

func registryJSONTags() (*bsoncodec.Registry, error) {
	codec, err := bsoncodec.NewStructCodec(bsoncodec.JSONFallbackStructTagParser)
	if err != nil {
		return nil, fmt.Errorf("codec: %w", err)
	}
	return bson.NewRegistryBuilder().
		RegisterDefaultEncoder(reflect.Struct, codec).
		RegisterDefaultDecoder(reflect.Struct, codec).
		RegisterTypeMapEntry(bsontype.DateTime, reflect.TypeOf(time.Time{})).
		Build(), nil
}

type model struct {
	Name string `json:"name"`
}

func registryJSONTagsOfOneType() *bsoncodec.Registry {
	codec, _ := bsoncodec.NewStructCodec(bsoncodec.JSONFallbackStructTagParser)
	return bson.NewRegistryBuilder().RegisterTypeEncoder(reflect.TypeOf(model{}), codec).Build()
}
