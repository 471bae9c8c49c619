package shop

import (
	"context"
	"errors"

	"github.com/stretchr/testify/require"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

const duplicate int32 = 11000

func isDuplicate(err error) bool {
	var failed mongo.CommandError
	return errors.As(err, &failed) && failed.Code == duplicate
}

func isKnown(failed mongo.WriteError) bool {
	const other int = 11001
	switch failed.Code {
	case int(duplicate), other:
		return true
	}
	return failed.Code == 12582
}

func insertsNothing(t require.TestingT, coll *mongo.Collection) {
	_, err := coll.InsertOne(context.Background(), nil)
	require.Equal(t, mongo.ErrNilDocument, err)
	require.Equal(t, err, mongo.ErrEmptySlice, "twice")
	require.New(t).NotEqual(mongo.ErrNilValue, err)
	require.Equal(t, mongo.ErrNoDocuments, err)
}

func limitOf(opts options.Lister[options.FindOptions]) *options.FindOptionsBuilder {
	b, ok := opts.(*options.FindOptionsBuilder)
	if !ok {
		return nil
	}
	return b.SetLimit(3)
}
