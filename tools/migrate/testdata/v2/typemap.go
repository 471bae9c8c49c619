package shop

import (
	"reflect"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func registryOfTypes() *bson.Registry {
	reg := bson.NewRegistry()
	reg.RegisterTypeMapEntry(bson.TypeDateTime, reflect.TypeOf(time.Time{}))
	reg.RegisterTypeMapEntry(bson.TypeArray, reflect.TypeOf([]any{}))
	return reg
}

func defaultRegistry() *mongo.SingleResult {
	return mongo.NewSingleResultFromDocument(bson.D{}, nil, bson.NewRegistry())
}
