package mongo_test

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

var mistakesInHandles = []commonMistake{
	{"no name of a collection", "empty", nameFunc("shop", "")},
	{"no name of a database", "empty", nameFunc("", "users")},
	{"a dot in the name of a database", "shop.users|Collection", nameFunc("shop.users", "users")},
	{"a client after Close", "closed|Connect", func(ctx context.Context, shop *mongo.Database) error {
		client, err := mongo.Connect(ctx, "mongodb://localhost:1")
		if err != nil {
			return err
		}
		client.Close(ctx)
		return client.Ping(ctx, nil)
	}},
	{"a context that is over", "context canceled", func(ctx context.Context, shop *mongo.Database) error {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return shop.Client().Ping(ctx, nil)
	}},
	{"a context without time", "deadline", func(ctx context.Context, shop *mongo.Database) error {
		ctx, cancel := context.WithTimeout(ctx, -time.Second)
		defer cancel()
		return shop.Client().Ping(ctx, nil)
	}},
	{"a client that is nil", "client is nil|Connect", func(ctx context.Context, _ *mongo.Database) error {
		var client *mongo.Client
		return client.Ping(ctx, nil)
	}},
	{"a cursor that is nil", "cursor is nil|Find", func(ctx context.Context, _ *mongo.Database) error {
		_, err := mongo.All[bson.D](ctx, nil)
		return err
	}},
	{"a session of another client", "another client", func(ctx context.Context, shop *mongo.Database) error {
		other, err := mongo.Connect(ctx, "mongodb://localhost:1")
		if err != nil {
			return err
		}
		defer other.Close(ctx)
		return other.UseSession(ctx, func(ctx context.Context, _ *mongo.Session) error { return shop.Client().Ping(ctx, nil) })
	}},
	{"a session that has ended", "ended|another", func(ctx context.Context, shop *mongo.Database) error {
		s, err := shop.Client().StartSession()
		if err != nil {
			return err
		}
		s.EndSession(ctx)
		return shop.Client().Ping(mongo.NewSessionContext(ctx, s), nil)
	}},
	{"a commit without a transaction", "mongo: |no transaction started|StartTransaction", inSessionFunc(func(ctx context.Context, s *mongo.Session) error {
		return s.CommitTransaction(ctx)
	})},
	{"an abort without a transaction", "mongo: |no transaction started|StartTransaction", inSessionFunc(func(ctx context.Context, s *mongo.Session) error {
		return s.AbortTransaction(ctx)
	})},
	{"a transaction in a transaction", "mongo: |in progress|commit", inSessionFunc(func(ctx context.Context, s *mongo.Session) error {
		if err := s.StartTransaction(); err != nil {
			return err
		}
		return s.StartTransaction()
	})},
	{"a commit after an abort", "mongo: |commitTransaction|abortTransaction", inSessionFunc(func(ctx context.Context, s *mongo.Session) error {
		if err := s.StartTransaction(); err != nil {
			return err
		}
		if err := s.AbortTransaction(ctx); err != nil {
			return err
		}
		return s.CommitTransaction(ctx)
	})},
	{"a transaction without a function", "function is nil", inSessionFunc(func(ctx context.Context, s *mongo.Session) error {
		return s.WithTransaction(ctx, nil)
	})},
	{"a write concern inside a transaction", "writeConcern|transaction", inSessionFunc(func(ctx context.Context, s *mongo.Session) error {
		if err := s.StartTransaction(); err != nil {
			return err
		}
		return s.Client().Database("shop").RunCommand(ctx, bson.Doc("insert", "users", "writeConcern", bson.Doc("w", 1))).Err()
	})},
	{"a stream's token that is none", "resume token", func(ctx context.Context, shop *mongo.Database) error {
		_, err := shop.Watch(ctx, mongo.Pipeline{}, &options.ChangeStream{ResumeAfter: bson.Doc("a", 1)})
		return err
	}},
	{"a stream whose events lose their _id", "_id|pipeline", func(ctx context.Context, shop *mongo.Database) error {
		stream, err := shop.Watch(ctx, mongo.Pipeline{bson.Doc("$project", bson.Doc("_id", 0))})
		if err != nil {
			return err
		}
		defer stream.Close(ctx)
		if _, err := shop.Collection("users").InsertOne(ctx, bson.D{}); err != nil {
			return err
		}
		stream.Next(ctx)
		return stream.Err()
	}},
	{"a negative timeout", "timeout|negative", func(ctx context.Context, shop *mongo.Database) error {
		return shop.Clone(&options.Database{Timeout: new(-time.Second)}).Collection("users").FindOne(ctx, bson.D{}).Err()
	}},
	{"a file that is read after Close", "closed", func(ctx context.Context, shop *mongo.Database) error {
		bucket := shop.GridFSBucket()
		id, err := bucket.UploadFromStream(ctx, "a", bytes.NewReader([]byte("a")))
		if err != nil {
			return err
		}
		stream, err := bucket.OpenDownloadStream(ctx, id)
		if err != nil {
			return err
		}
		stream.Close()
		_, err = io.ReadAll(stream)
		return err
	}},
}
