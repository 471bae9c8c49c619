package mongotest_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestImage(t *testing.T) {
	for name, want := range map[string]string{
		"mongo": "8.0.0", "mongo:latest": "8.0.0", "mongo:4": "4.4.0", "mongo:7.0.5-jammy": "7.0.0", "mongo:8": "8.2.0",
		"mongo:7.0.5@sha256:9abc": "7.0.0", "mongo@sha256:5f00": "8.0.0",
		"localhost:5000/mongo:6.0": "6.0.0", "localhost:5000/mongo": "8.0.0", "bitnami/mongodb:v5": "5.0.0",
		"mongodb/mongodb-community-server:7.0.2-ubi8": "7.0.0",
	} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.Image(name))
			client, err := mongo.Connect(t.Context(), d.URI())
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close(t.Context())
			var info struct{ Version string }
			if err := client.Database("admin").RunCommand(t.Context(), bson.Doc("buildInfo", 1)).Decode(&info); err != nil {
				t.Fatal(err)
			}
			if info.Version != want {
				t.Errorf("%s, want %s", info.Version, want)
			}
		})
	}
	for _, name := range []string{"mongo:3", "mongo:3.6"} {
		if d, err := mongotest.New(mongotest.Image(name)); err == nil {
			d.Close()
			t.Errorf("%s starts", name)
		}
	}
}
