package mongo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Each page begins after the last document of the page before it, and an index covers the sort. Skip would read every
// document that it skips.
func ExampleCollection_Find_pagination() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	type user struct {
		ID  int `bson:"_id"`
		Age int
	}
	page := func(after *user) ([]user, error) {
		filter := bson.D{}
		if after != nil {
			filter = bson.Doc("$or", bson.A{
				bson.Doc("age", bson.Doc("$gt", after.Age)),
				bson.Doc("age", after.Age, "_id", bson.Doc("$gt", after.ID)),
			})
		}
		cursor, err := users.Find(ctx, filter, &options.Find{Sort: bson.Doc("age", 1, "_id", 1), Limit: new(int64(2))})
		if err != nil {
			return nil, err
		}
		var found []user
		return found, cursor.All(ctx, &found)
	}
	var last *user
	for {
		found, err := page(last)
		if err != nil {
			log.Fatal(err)
		}
		if len(found) == 0 {
			break
		}
		fmt.Println(found)
		last = &found[len(found)-1]
	}
	// Output:
	// [{1 36} {2 40}]
	// [{3 45}]
}

// An upsert changes the document that the filter finds, or inserts one. Two upserts of one document at the same time
// can both insert: a unique index makes the second fail with a duplicate key, and it can be sent again.
func ExampleCollection_UpdateOne_upsert() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	visit := func(name string) error {
		_, err := users.UpdateOne(ctx, bson.Doc("name", name),
			bson.Doc("$inc", bson.Doc("visits", 1), "$setOnInsert", bson.Doc("age", 0)), &options.UpdateOne{Upsert: new(true)})
		return err
	}
	for range 2 {
		err := visit("Barbara")
		if mongo.IsDuplicateKeyError(err) {
			err = visit("Barbara")
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(users.FindOne(ctx, bson.Doc("name", "Barbara"), &options.FindOne{Projection: bson.Doc("_id", 0)}).Raw())
	// Output: {"name":"Barbara","age":0,"visits":2} <nil>
}

// A number in each document counts its changes. An update names the number that it has read, and finds nothing if
// somebody was faster.
func ExampleCollection_UpdateOne_optimisticLocking() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	type user struct {
		ID      int `bson:"_id"`
		Age     int
		Version int
	}
	errChanged := errors.New("somebody else has changed the user")
	save := func(u user) error {
		result, err := users.UpdateOne(ctx, bson.Doc("_id", u.ID, "version", u.Version),
			bson.Doc("$set", bson.Doc("age", u.Age), "$inc", bson.Doc("version", 1)))
		if err == nil && result.MatchedCount == 0 {
			err = errChanged
		}
		return err
	}
	if _, err := users.InsertOne(ctx, user{ID: 4, Age: 20}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(save(user{ID: 4, Age: 21}))
	fmt.Println(save(user{ID: 4, Age: 22})) // read before the other was saved
	// Output:
	// <nil>
	// somebody else has changed the user
}

// The driver repeats reads and writes once, and transactions as a whole in WithTransaction. Code that drives a
// transaction by itself repeats it while the error has the label.
func ExampleSession_StartTransaction_transientErrors() {
	ctx := context.Background()
	server := exampleServer(mongotest.ReplicaSet(1))
	defer server.Close()
	client, err := mongo.Connect(ctx, server.URI())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(ctx)
	users := client.Database("shop").Collection("users")
	session, err := client.StartSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.EndSession(ctx)
	attempt := func() error {
		if err := session.StartTransaction(); err != nil {
			return err
		}
		if _, err := users.InsertOne(mongo.NewSessionContext(ctx, session), bson.Doc("name", "Ada")); err != nil {
			return errors.Join(err, session.AbortTransaction(ctx))
		}
		return session.CommitTransaction(ctx)
	}
	if err := server.Fail(mongotest.FailPoint{Commands: []string{"insert"}, Times: 1, Code: int(errcode.WriteConflict)}); err != nil {
		log.Fatal(err)
	}
	err = attempt()
	for fault.HasErrorLabel(err, errcode.LabelTransientTransactionError) {
		fmt.Println("once more")
		err = attempt()
	}
	fmt.Println(err)
	// Output:
	// once more
	// <nil>
}

// A program that saves the resume token with what it has done goes on, after a restart, where it was.
func ExampleCollection_Watch_resumeAfterRestart() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	positions := users.Database().Collection("positions")
	// follow handles a number of changes, as a program does until it stops.
	follow := func(changes int) error {
		var saved struct{ Token bson.Raw }
		opts := &options.ChangeStream{}
		switch err := positions.FindOne(ctx, bson.Doc("_id", "users")).Decode(&saved); {
		case err == nil:
			opts.StartAfter = saved.Token
		case !errors.Is(err, mongo.ErrNoDocuments):
			return err
		}
		stream, err := users.Watch(ctx, bson.A{}, opts)
		if err != nil {
			return err
		}
		defer stream.Close(ctx)
		if saved.Token == nil { // the first start: what follows happens while the program runs
			if _, err := users.InsertMany(ctx, []bson.D{bson.Doc("_id", 4), bson.Doc("_id", 5), bson.Doc("_id", 6)}); err != nil {
				return err
			}
		}
		for range changes {
			if !stream.Next(ctx) {
				return stream.Err()
			}
			var change struct {
				DocumentKey struct {
					ID int `bson:"_id"`
				} `bson:"documentKey"`
			}
			if err := stream.Decode(&change); err != nil {
				return err
			}
			fmt.Println("inserted", change.DocumentKey.ID)
			position := bson.Doc("$set", bson.Doc("token", stream.ResumeToken()))
			if _, err := positions.UpdateOne(ctx, bson.Doc("_id", "users"), position, &options.UpdateOne{Upsert: new(true)}); err != nil {
				return err
			}
		}
		return nil
	}
	fmt.Println(follow(1))
	fmt.Println(follow(2)) // after a restart
	// Output:
	// inserted 4
	// <nil>
	// inserted 5
	// inserted 6
	// <nil>
}

// A bucket is a file system, so net/http serves its files, ranges and types included.
func ExampleGridFSBucket_FS_http() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	if _, err := bucket.UploadFromStream(ctx, "notes/today.txt", strings.NewReader("bread, milk")); err != nil {
		log.Fatal(err)
	}
	site := httptest.NewServer(http.FileServerFS(bucket.FS(ctx)))
	defer site.Close()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, site.URL+"/notes/today.txt", nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Range", "bytes=7-")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	fmt.Println(response.Status, response.Header.Get("Content-Type"))
	fmt.Println(string(body), err)
	// Output:
	// 206 Partial Content text/plain; charset=utf-8
	// milk <nil>
}
