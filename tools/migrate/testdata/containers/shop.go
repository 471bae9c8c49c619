package shop

import (
	"context"
	"log"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/modules/mongodb"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func testShop(t *testing.T) {
	ctx := context.Background()
	container, err := mongodb.Run(ctx, "mongo:6")
	testcontainers.CleanupContainer(t, container)
	if err != nil {
		t.Fatal(err)
	}
	uri, err := container.ConnectionString(ctx)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Database("shop").Collection("users").InsertOne(ctx, bson.D{}); err != nil {
		t.Fatal(err)
	}
}

func guarded(ctx context.Context) (*mongodb.MongoDBContainer, error) {
	return mongodb.Run(ctx, "mongo:8.0.4", mongodb.WithUsername("root"), mongodb.WithPassword("pass"), mongodb.WithReplicaSet("rs0"))
}

func terminate(ctx context.Context, container *mongodb.MongoDBContainer) {
	defer func() {
		if err := testcontainers.TerminateContainer(container); err != nil {
			log.Print(err)
		}
	}()
	defer container.Terminate(ctx)
	if err := container.Terminate(ctx); err != nil {
		log.Print(err)
	}
}
