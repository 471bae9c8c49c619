package shop

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// new is not the builtin: a pointer to an option needs another maker here.
func new() *options.FindOptionsBuilder { return options.Find().SetLimit(5) }

func named(ctx context.Context, c *mongo.Collection, name string) (*mongo.Cursor, error) {
	return c.Find(ctx, struct{}{}, new(), options.Find().SetBatchSize(10).SetComment(name))
}
