//go:build integration && !short

package shop

import (
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func firstOnly() *options.FindOptionsBuilder {
	return options.Find().SetLimit(1).SetSort(bson.D{{Key: "a", Value: 1}})
}
