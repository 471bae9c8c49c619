package shop

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func countsWithoutContext(c *mongo.Collection) (int64, error) {
	if _, err := names(nil, c); err != nil {
		return 0, err
	}
	return c.CountDocuments(nil, bson.D{})
}

func names(ctx context.Context, c *mongo.Collection) (all []string, err error) {
	return all, c.Distinct(ctx, "name", bson.D{}).Decode(&all)
}
