package shop

import (
	"context"
	"testing"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/event"
	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/mongo/integration/mtest"
	"go.mongodb.org/mongo-driver/mongo/options"
)

type user struct {
	ID   primitive.ObjectID `bson:"_id"`
	Name string
}

func TestMain(m *testing.M) {
	if err := mtest.Setup(); err != nil {
		panic(err)
	}
	m.Run()
}

func TestFind(t *testing.T) {
	mt := mtest.New(t, mtest.NewOptions().ClientType(mtest.Mock))

	mt.Run("success", func(mt *mtest.T) {
		mt.AddMockResponses(
			mtest.CreateCursorResponse(1, "shop.users", mtest.FirstBatch, bson.D{{"_id", primitive.NewObjectID()}, {"name", "Ada"}}),
			mtest.CreateCursorResponse(0, "shop.users", mtest.NextBatch),
		)
		users, err := all(mt.Coll)
		if err != nil || len(users) != 1 {
			mt.Fatalf("%v, %v", users, err)
		}
		mt.ClearMockResponses()
	})
	mt.Run("errors", func(mt *mtest.T) {
		mt.AddMockResponses(
			bson.D{{"ok", 0}},
			mtest.CreateCommandErrorResponse(mtest.CommandError{Code: 13, Message: "no", Name: "Unauthorized"}),
			mtest.CreateWriteErrorsResponse(mtest.WriteError{Index: 0, Code: 11000, Message: "duplicate key error"}),
			mtest.CreateSuccessResponse(bson.E{Key: "n", Value: 1}),
		)
	})
	mt.RunOpts("options", mtest.NewOptions().CollectionName("users").ClientOptions(options.Client().SetAppName("shop")), options1)
}

func options1(mt *mtest.T) {
	var started *event.CommandStartedEvent = mt.GetStartedEvent()
	if started != nil && started.CommandName != "find" {
		mt.Error(started)
	}
	mt.FilterStartedEvents(func(e *event.CommandStartedEvent) bool { return e.CommandName == "find" })
}

func all(coll *mongo.Collection) ([]user, error) {
	var users []user
	cursor, err := coll.Find(context.Background(), bson.D{})
	if err != nil {
		return nil, err
	}
	return users, cursor.All(context.Background(), &users)
}
