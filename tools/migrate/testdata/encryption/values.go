package vault

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func collection(ctx context.Context, ce *mongo.ClientEncryption, db *mongo.Database, fields bson.D) (*mongo.Collection, error) {
	coll, _, err := ce.CreateEncryptedCollection(ctx, db, "people",
		options.CreateCollection().SetEncryptedFields(fields), "local", nil)
	return coll, err
}

func between(ctx context.Context, ce *mongo.ClientEncryption, opts *options.EncryptOptionsBuilder) (bson.M, error) {
	var query bson.M
	err := ce.EncryptExpression(ctx, bson.M{"$and": bson.A{bson.M{"age": bson.M{"$gte": 6}}}}, &query, opts)
	return query, err
}

func found(ctx context.Context, ce *mongo.ClientEncryption, people *mongo.Collection, expr bson.D) (*mongo.Cursor, error) {
	var filter bson.D
	if err := ce.EncryptExpression(ctx, expr, &filter, options.Encrypt().SetAlgorithm("Range").SetQueryType("range")); err != nil {
		return nil, err
	}
	return people.Find(ctx, filter)
}

func text() *options.EncryptOptionsBuilder {
	return options.Encrypt().SetAlgorithm("String").SetStringOptions(options.String().SetCaseSensitive(true).
		SetDiacriticSensitive(true).SetPrefix(options.PrefixOptions{StrMinQueryLength: 2, StrMaxQueryLength: 10}))
}

func suffixes() *options.StringOptionsBuilder {
	return options.String().SetSuffix(options.SuffixOptions{StrMinQueryLength: 2, StrMaxQueryLength: 10}).
		SetSubstring(options.SubstringOptions{StrMaxLength: 60, StrMinQueryLength: 2, StrMaxQueryLength: 10})
}

func automatic(opts *options.ClientOptions) map[string]any {
	aeOpts := opts.AutoEncryptionOptions
	return aeOpts.SchemaMap
}

func hasEncryption(opts *options.ClientOptions) bool { return opts.AutoEncryptionOptions != nil }

func collectionWithFields(ctx context.Context, ce *mongo.ClientEncryption, db *mongo.Database) (bson.M, error) {
	_, fields, err := ce.CreateEncryptedCollection(ctx, db, "people", options.CreateCollection(), "local", nil)
	return fields, err
}
