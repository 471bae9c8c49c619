package interop

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
)

const withTransactions = "replicaset sharded"

// runInTransaction runs f in a transaction. The transaction is aborted unless f ends it.
func (o oddPlace) runInTransaction(f func(ctx context.Context, s *mongo.Session) (any, error), opts ...options.Lister[options.TransactionOptions]) (any, error) {
	s, err := o.client.StartSession()
	if err != nil {
		return nil, err
	}
	defer s.EndSession(o.t.Context())
	if err := s.StartTransaction(opts...); err != nil {
		return nil, err
	}
	return f(mongo.NewSessionContext(o.t.Context(), s), s)
}

// oddSessions are uses of transactions.
var oddSessions = []oddUse{
	{name: "own writes are seen, and by nobody else", only: withTransactions, want: `6 5 5`, run: func(o oddPlace) (any, error) {
		return o.runInTransaction(func(ctx context.Context, s *mongo.Session) (any, error) {
			if _, err := o.c.InsertOne(ctx, parseDocument(`{'_id':70}`)); err != nil {
				return nil, err
			}
			in, err := o.c.CountDocuments(ctx, bson.D{})
			out, outside := o.c.CountDocuments(o.t.Context(), bson.D{})
			aborted := s.AbortTransaction(ctx)
			after, err2 := o.c.CountDocuments(o.t.Context(), bson.D{})
			return fmt.Sprint(in, " ", out, " ", after), errors.Join(err, outside, aborted, err2)
		})
	}},
	{name: "a write conflict", only: withTransactions, code: 112, run: func(o oddPlace) (any, error) {
		return o.runInTransaction(func(ctx context.Context, s *mongo.Session) (any, error) {
			if _, err := o.c.UpdateOne(ctx, parseDocument(`{'_id':1}`), parseDocument(`{'$set':{'z':1}}`)); err != nil {
				return nil, err
			}
			return o.runInTransaction(func(ctx context.Context, s *mongo.Session) (any, error) {
				_, err := o.c.UpdateOne(ctx, parseDocument(`{'_id':1}`), parseDocument(`{'$set':{'z':2}}`))
				if failed, ok := err.(mongo.LabeledError); !ok || !failed.HasErrorLabel("TransientTransactionError") {
					return nil, fmt.Errorf("%v without a label", err)
				}
				return nil, err
			})
		})
	}},
	{name: "a duplicate ends a transaction", only: withTransactions, code: 251, run: func(o oddPlace) (any, error) {
		return o.runInTransaction(func(ctx context.Context, s *mongo.Session) (any, error) {
			if _, err := o.c.InsertOne(ctx, parseDocument(`{'_id':1}`)); !mongo.IsDuplicateKeyError(err) {
				return nil, err
			}
			return nil, s.CommitTransaction(ctx)
		})
	}},
	{name: "two commits", only: withTransactions, want: `6`, run: func(o oddPlace) (any, error) {
		return o.runInTransaction(func(ctx context.Context, s *mongo.Session) (any, error) {
			if _, err := o.c.InsertOne(ctx, parseDocument(`{'_id':71}`)); err != nil {
				return nil, err
			}
			if err := errors.Join(s.CommitTransaction(ctx), s.CommitTransaction(ctx)); err != nil {
				return nil, err
			}
			return o.c.CountDocuments(o.t.Context(), bson.D{})
		})
	}},
	{name: "a snapshot", only: withTransactions, want: `5`, run: func(o oddPlace) (any, error) {
		return o.runInTransaction(func(ctx context.Context, s *mongo.Session) (any, error) {
			if err := o.c.FindOne(ctx, bson.D{}).Err(); err != nil {
				return nil, err
			}
			fill(o.t, o.c, parseDocument(`{'_id':72}`))
			return o.c.CountDocuments(ctx, bson.D{})
		}, options.Transaction().SetReadConcern(readconcern.Snapshot()))
	}},
	{name: "a collection made in a transaction", only: withTransactions, want: `1`, run: func(o oddPlace) (any, error) {
		return o.runInTransaction(func(ctx context.Context, s *mongo.Session) (any, error) {
			if err := o.db.CreateCollection(ctx, o.c.Name()+"t"); err != nil {
				return nil, err
			}
			if _, err := o.db.Collection(o.c.Name()+"t").InsertOne(ctx, parseDocument(`{'_id':1}`)); err != nil {
				return nil, err
			}
			if err := s.CommitTransaction(ctx); err != nil {
				return nil, err
			}
			return o.db.Collection(o.c.Name()+"t").CountDocuments(o.t.Context(), bson.D{})
		})
	}},
	{name: "count, which transactions lack", only: withTransactions, code: 263, run: func(o oddPlace) (any, error) {
		return o.runInTransaction(func(ctx context.Context, s *mongo.Session) (any, error) {
			return nil, o.db.RunCommand(ctx, bson.D{{Key: "count", Value: o.c.Name()}}).Err()
		})
	}},
	{name: "$out, which transactions lack", only: withTransactions, code: 263, run: func(o oddPlace) (any, error) {
		return o.runInTransaction(func(ctx context.Context, s *mongo.Session) (any, error) {
			_, err := o.c.Aggregate(ctx, parseArray(`[{'$out':'x'}]`))
			return nil, err
		})
	}},
	{name: "an index on a collection that has documents", only: withTransactions, code: 263, run: func(o oddPlace) (any, error) {
		return o.runInTransaction(func(ctx context.Context, s *mongo.Session) (any, error) {
			if err := o.c.FindOne(ctx, bson.D{}).Err(); err != nil {
				return nil, err
			}
			return o.c.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: parseDocument(`{'s':1}`)})
		})
	}},
	{name: "a cursor goes on in its transaction", only: withTransactions, want: `5`, run: func(o oddPlace) (any, error) {
		return o.runInTransaction(func(ctx context.Context, s *mongo.Session) (any, error) {
			cursor, err := o.c.Find(ctx, bson.D{}, options.Find().SetBatchSize(2))
			if err != nil {
				return nil, err
			}
			var docs []bson.D
			err = cursor.All(ctx, &docs)
			return len(docs), errors.Join(err, s.CommitTransaction(ctx))
		})
	}},
	{name: "a transaction on a standalone", only: "standalone", code: 20, run: func(o oddPlace) (any, error) {
		return o.runInTransaction(func(ctx context.Context, s *mongo.Session) (any, error) {
			return o.c.InsertOne(ctx, parseDocument(`{'_id':73}`))
		})
	}},
}
