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
	return mongodb.Run(ctx, "mongo:8.0.4", mongodb.WithUsername("root"), mongodb.WithPassword("pass"), mongodb.WithReplicaSet("rs0"),
		testcontainers.WithLogger(log.Default()), testcontainers.WithWaitStrategy("ready"))
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

func images(ctx context.Context, t *testing.T) {
	for _, tc := range []struct {
		image string
		opts  []testcontainers.ContainerCustomizer
	}{
		{image: "mongo:7"},
		{image: "mongo:7", opts: []testcontainers.ContainerCustomizer{mongodb.WithReplicaSet("rs")}},
		{
			image: "mongodb/mongodb-community-server:8.0.4-ubi9",
			opts: []testcontainers.ContainerCustomizer{
				mongodb.WithReplicaSet("rs"),
				mongodb.WithUsername("tester"),
				mongodb.WithPassword("testerpass"),
			},
		},
	} {
		container, err := mongodb.Run(ctx, tc.image, tc.opts...)
		testcontainers.CleanupContainer(t, container)
		if err != nil {
			t.Error(err)
		}
	}
}

func image(ctx context.Context, name string, guarded bool) (*mongodb.MongoDBContainer, error) {
	var opts []testcontainers.ContainerCustomizer
	if guarded {
		opts = append(opts, mongodb.WithUsername("root"), mongodb.WithPassword("pass"))
	}
	return mongodb.Run(ctx, name, opts...)
}

func other(ctx context.Context, container *mongodb.MongoDBContainer) (string, error) {
	return container.Host(ctx)
}
