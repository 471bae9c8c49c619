package shop

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func quorumOfMajority(ctx context.Context, coll *mongo.Collection) error {
	model := mongo.IndexModel{Keys: bson.D{{Key: "a", Value: 1}}}
	_, err := coll.Indexes().CreateOne(ctx, model, options.CreateIndexes().SetCommitQuorumMajority())
	return err
}

func quorumOfMembers() *options.CreateIndexesOptionsBuilder {
	opts := options.CreateIndexes()
	opts.SetCommitQuorumVotingMembers()
	return opts
}
