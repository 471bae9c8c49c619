package mongodebug_test

import (
	"context"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongodebug"
	"github.com/specdrivers/onion/tools/mongotest"
)

// BenchmarkFindOne compares a client that a page watches with one that nothing watches.
func BenchmarkFindOne(b *testing.B) {
	for name, connect := range map[string]func(context.Context, string) (*mongo.Client, error){
		"alone": func(ctx context.Context, uri string) (*mongo.Client, error) { return mongo.Connect(ctx, uri) },
		"watched": func(ctx context.Context, uri string) (*mongo.Client, error) {
			return new(mongodebug.Page).Connect(ctx, uri)
		},
	} {
		b.Run(name, func(b *testing.B) {
			d := mongotest.Start(b, mongotest.NoCommands())
			client, err := connect(b.Context(), d.URI())
			if err != nil {
				b.Fatal(err)
			}
			defer client.Close(context.Background())
			c := client.Database("shop").Collection("orders")
			if _, err := c.InsertOne(b.Context(), bson.Doc("_id", 1)); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := c.FindOne(b.Context(), bson.Doc("_id", 1)).Err(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
