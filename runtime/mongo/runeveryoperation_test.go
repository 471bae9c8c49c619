package mongo_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// prepare stores what the operations read.
func prepare(t *testing.T, client *mongo.Client) {
	t.Helper()
	db := client.Database("shop")
	var docs []bson.D
	for i := range 10 {
		docs = append(docs, bson.Doc("_id", i, "text", "x"))
	}
	if _, err := db.Collection("ten").InsertMany(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	stream, err := db.GridFSBucket().OpenUploadStreamWithID(t.Context(), fileID, "big")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Write(pattern(2 << 20)); err != nil {
		t.Fatal(err)
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
}

const fileID = "the file"

var small = &options.Find{BatchSize: new(int32(3))}

// everyOperation has the kinds of operations that a connection serves.
var everyOperation = map[string]func(ctx context.Context, client *mongo.Client) error{
	"ping": func(ctx context.Context, client *mongo.Client) error { return client.Ping(ctx, nil) },
	"insertOne": func(ctx context.Context, client *mongo.Client) error {
		_, err := tenDocuments(client).InsertOne(ctx, bson.Doc("text", "y"))
		return err
	},
	"insertOne, unacknowledged": func(ctx context.Context, client *mongo.Client) error {
		quiet := tenDocuments(client).Clone(&options.Collection{WriteConcern: &options.WriteConcern{W: 0}})
		_, err := quiet.InsertOne(ctx, bson.Doc("text", "y"))
		return err
	},
	"insertMany": func(ctx context.Context, client *mongo.Client) error {
		_, err := tenDocuments(client).InsertMany(ctx, []bson.D{bson.Doc("text", "y"), bson.Doc("text", "z")})
		return err
	},
	"insertOne, a large one": func(ctx context.Context, client *mongo.Client) error {
		_, err := tenDocuments(client).InsertOne(ctx, bson.Doc("text", string(make([]byte, 1<<20))))
		return err
	},
	"a duplicate key": func(ctx context.Context, client *mongo.Client) error {
		_, err := tenDocuments(client).InsertOne(ctx, bson.Doc("_id", 1))
		return err
	},
	"a hint that panics": func(ctx context.Context, client *mongo.Client) error {
		return recoverPanic(func() error {
			_, err := tenDocuments(client).DeleteOne(ctx, bson.D{}, &options.DeleteOne{Hint: panickingDocument(func() { panic("spoilt") })})
			return err
		})
	},
	"a hint that ends its goroutine": func(ctx context.Context, client *mongo.Client) error {
		return runInGoroutine(func() error {
			update := bson.Doc("$set", bson.Doc("a", 1))
			_, err := tenDocuments(client).UpdateOne(ctx, bson.D{}, update, &options.UpdateOne{Hint: panickingDocument(runtime.Goexit)})
			return err
		})
	},
	"a comment that cannot be encoded": func(ctx context.Context, client *mongo.Client) error {
		cursor, err := tenDocuments(client).Find(ctx, bson.D{}, &options.Find{Comment: panickingDocument(func() {})})
		if err == nil {
			err = cursor.Close(ctx)
		}
		return err
	},
	"find": func(ctx context.Context, client *mongo.Client) error {
		cursor, err := tenDocuments(client).Find(ctx, bson.D{}, small)
		if err != nil {
			return err
		}
		_, err = mongo.All[bson.Raw](ctx, cursor)
		return err
	},
	"find, closed early": func(ctx context.Context, client *mongo.Client) error {
		cursor, err := tenDocuments(client).Find(ctx, bson.D{}, small)
		if err != nil {
			return err
		}
		cursor.Next(ctx)
		return cursor.Close(ctx)
	},
	"find, exhaust": func(ctx context.Context, client *mongo.Client) error {
		cursor, err := tenDocuments(client).Find(ctx, bson.D{}, exhaust)
		if err != nil {
			return err
		}
		defer cursor.Close(context.Background())
		for range 5 {
			cursor.Next(ctx)
		}
		return cursor.Err()
	},
	"findOne": func(ctx context.Context, client *mongo.Client) error {
		return tenDocuments(client).FindOne(ctx, bson.D{}).Err()
	},
	"updateOne": func(ctx context.Context, client *mongo.Client) error {
		_, err := tenDocuments(client).UpdateOne(ctx, bson.D{}, bson.Doc("$set", bson.Doc("a", 1)))
		return err
	},
	"updateMany": func(ctx context.Context, client *mongo.Client) error {
		_, err := tenDocuments(client).UpdateMany(ctx, bson.D{}, bson.Doc("$set", bson.Doc("a", 1)))
		return err
	},
	"replaceOne": func(ctx context.Context, client *mongo.Client) error {
		_, err := tenDocuments(client).ReplaceOne(ctx, bson.D{}, bson.Doc("a", 1))
		return err
	},
	"deleteOne": func(ctx context.Context, client *mongo.Client) error {
		_, err := tenDocuments(client).DeleteOne(ctx, bson.Doc("text", "none"))
		return err
	},
	"findOneAndUpdate": func(ctx context.Context, client *mongo.Client) error {
		return tenDocuments(client).FindOneAndUpdate(ctx, bson.D{}, bson.Doc("$set", bson.Doc("a", 2))).Err()
	},
	"aggregate": func(ctx context.Context, client *mongo.Client) error {
		cursor, err := tenDocuments(client).Aggregate(ctx, mongo.Pipeline{}, &options.Aggregate{BatchSize: new(int32(3))})
		if err != nil {
			return err
		}
		_, err = mongo.All[bson.Raw](ctx, cursor)
		return err
	},
	"countDocuments": func(ctx context.Context, client *mongo.Client) error {
		_, err := tenDocuments(client).CountDocuments(ctx, bson.D{})
		return err
	},
	"distinct": func(ctx context.Context, client *mongo.Client) error {
		return tenDocuments(client).Distinct(ctx, "text", bson.D{}).Err()
	},
	"bulkWrite": func(ctx context.Context, client *mongo.Client) error {
		_, err := tenDocuments(client).BulkWrite(ctx, []mongo.WriteModel{
			&mongo.InsertOneModel{Document: bson.Doc("text", "b")},
			&mongo.UpdateManyModel{Filter: bson.D{}, Update: bson.Doc("$set", bson.Doc("a", 3))},
			&mongo.DeleteOneModel{Filter: bson.Doc("text", "none")},
		})
		return err
	},
	"runCommand": func(ctx context.Context, client *mongo.Client) error {
		return client.Database("shop").RunCommand(ctx, bson.Doc("ping", 1)).Err()
	},
	"runCommand, unknown": func(ctx context.Context, client *mongo.Client) error {
		return client.Database("shop").RunCommand(ctx, bson.Doc("unheardOf", 1)).Err()
	},
	"listCollectionNames": func(ctx context.Context, client *mongo.Client) error {
		_, err := client.Database("shop").ListCollectionNames(ctx, bson.D{})
		return err
	},
	"upload": func(ctx context.Context, client *mongo.Client) error {
		_, err := client.Database("shop").GridFSBucket().UploadFromStream(ctx, "other", bytes.NewReader(pattern(1<<20)))
		return err
	},
	"download": func(ctx context.Context, client *mongo.Client) error {
		_, err := client.Database("shop").GridFSBucket().DownloadToStream(ctx, fileID, io.Discard)
		return err
	},
	"watch": func(ctx context.Context, client *mongo.Client) error {
		stream, err := tenDocuments(client).Watch(ctx, mongo.Pipeline{})
		if err != nil {
			return err
		}
		stream.TryNext(ctx)
		return errors.Join(stream.Err(), stream.Close(ctx))
	},
	"transaction": func(ctx context.Context, client *mongo.Client) error {
		return client.UseSession(ctx, func(ctx context.Context, s *mongo.Session) error {
			return s.WithTransaction(ctx, func(ctx context.Context) error {
				_, err := tenDocuments(client).InsertOne(ctx, bson.Doc("text", "t"))
				return err
			})
		})
	},
	"transaction, aborted": func(ctx context.Context, client *mongo.Client) error {
		return client.UseSession(ctx, func(ctx context.Context, s *mongo.Session) error {
			if err := s.StartTransaction(); err != nil {
				return err
			}
			if _, err := tenDocuments(client).InsertOne(ctx, bson.Doc("text", "t")); err != nil {
				return err
			}
			return s.AbortTransaction(ctx)
		})
	},
}

func tenDocuments(client *mongo.Client) *mongo.Collection {
	return client.Database("shop").Collection("ten")
}

// panickingDocument is a document whose encoding goes wrong.
type panickingDocument func()

func (s panickingDocument) MarshalBSON() ([]byte, error) { s(); return nil, errors.New("spoilt") }

var errPanic = errors.New("it panicked")

func recoverPanic(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	return f()
}

// runInGoroutine runs f on a goroutine that it may end.
func runInGoroutine(f func() error) (err error) {
	var done sync.WaitGroup
	done.Go(func() { err = f() })
	done.Wait()
	return err
}

// waysOut are the ways in which an operation ends.
var waysOut = []struct {
	name string
	take func(t *testing.T, s *scene, operation func(ctx context.Context) error, check func(what any))
}{
	{"by itself", func(t *testing.T, _ *scene, operation func(ctx context.Context) error, check func(what any)) {
		check(operation(t.Context()))
	}},
	{"cancelled", func(t *testing.T, _ *scene, operation func(ctx context.Context) error, check func(what any)) {
		cancelAtEachLook(t, operation, func(n int64, err error) { check(n) })
	}},
	{"a late reply", func(t *testing.T, s *scene, operation func(ctx context.Context) error, check func(what any)) {
		s.failOperations("alwaysOn", bson.Doc("blockConnection", true, "blockTimeMS", 200))
		defer s.failOperations(nil, nil)
		for _, after := range []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, 500 * time.Millisecond} {
			ctx, cancel := context.WithTimeout(t.Context(), after)
			err := operation(ctx)
			cancel()
			check(err)
		}
	}},
	{"a server error", func(t *testing.T, s *scene, operation func(ctx context.Context) error, check func(what any)) {
		s.failOperations("alwaysOn", bson.Doc("errorCode", 8))
		defer s.failOperations(nil, nil)
		check(operation(t.Context()))
	}},
	{"a retry", func(t *testing.T, s *scene, operation func(ctx context.Context) error, check func(what any)) {
		s.failOperations(oneTime, bson.Doc("errorCode", 11600, "errorLabels", bson.A{"RetryableWriteError"}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := operation(ctx)
		s.failOperations(nil, nil)
		check(err)
	}},
	{"a lost connection", func(t *testing.T, s *scene, operation func(ctx context.Context) error, check func(what any)) {
		s.failOperations(oneTime, bson.Doc("closeConnection", true))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := operation(ctx)
		s.failOperations(nil, nil)
		check(err)
	}},
}

// oneTime is the mode of a fail point that a retry survives. Without it a retry under timeoutMS may never end in
// virtual time.
var oneTime = bson.Doc("times", 1)

// failOperations makes the commands of the operations fail. With data that are nil they succeed again.
func (s *scene) failOperations(mode any, data bson.D) {
	s.t.Helper()
	if err := s.d.EndFail(); err != nil {
		s.t.Fatal(err)
	}
	if data == nil {
		return
	}
	command := bson.Doc("configureFailPoint", "failCommand", "mode", mode, "data", append(bson.Doc("failCommands", bson.A{
		"ping", "insert", "find", "getMore", "update", "delete", "findAndModify", "aggregate", "distinct", "bulkWrite",
		"listCollections", "commitTransaction", "abortTransaction", "killCursors",
	}), data...))
	for i := range s.d.Hosts() {
		if err := s.d.SetFailPoint(i, command); err != nil {
			s.t.Fatal(err)
		}
	}
}
