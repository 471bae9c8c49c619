package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

func TestDataOutlivesTheProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.json")
	for _, args := range []string{"", "-topology replicaset -nodes 1 -auth ada:secret"} {
		t.Run(args, func(t *testing.T) {
			os.Remove(file)
			start := func() (*child, *mongo.Database) {
				server := launch(t, exec.Command(buildProgram(t), append(strings.Fields(args), "-data", file)...))
				client, err := mongo.Connect(t.Context(), server.line)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { client.Close(context.Background()) })
				return server, client.Database("shop")
			}
			server, db := start()
			fill(t, db)
			server.stop(t, os.Interrupt)
			first, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			server, db = start()
			checkFilled(t, db)
			server.stop(t, os.Interrupt)
			second, err := os.ReadFile(file)
			if err != nil || string(first) != string(second) {
				t.Errorf("it is not the same the second time: %v\n%s\n%s", err, first, second)
			}
		})
	}
}

func fill(t *testing.T, db *mongo.Database) {
	t.Helper()
	ctx := t.Context()
	if err := db.CreateCollection(ctx, "logs", &options.CreateCollection{Capped: new(true), Size: new(int64(4096))}); err != nil {
		t.Fatal(err)
	}
	orders := db.Collection("orders")
	var docs []bson.D
	for i := range 2500 {
		docs = append(docs, bson.Doc("_id", int64(i), "at", bson.NewDateTimeFromTime(time.Unix(1e9, 0)), "total", 1.5))
	}
	if _, err := orders.InsertMany(ctx, docs); err != nil {
		t.Fatal(err)
	}
	if _, err := orders.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.Doc("total", -1), Options: &options.Index{Unique: new(false), Name: new("by total")}}); err != nil {
		t.Fatal(err)
	}
	if err := db.CreateView(ctx, "big", "orders", []bson.D{bson.Doc("$match", bson.Doc("_id", bson.Doc("$gte", 2000)))}); err != nil {
		t.Fatal(err)
	}
}

func checkFilled(t *testing.T, db *mongo.Database) {
	t.Helper()
	ctx := t.Context()
	for name, want := range map[string]int64{"orders": 2500, "big": 500, "logs": 0} {
		if n, err := db.Collection(name).CountDocuments(ctx, bson.D{}); err != nil || n != want {
			t.Errorf("%s has %d documents, %v", name, n, err)
		}
	}
	raw, err := db.Collection("orders").FindOne(ctx, bson.Doc("_id", 7)).Raw()
	if want := `{"_id":7,"at":{"$date":"2001-09-09T01:46:40Z"},"total":1.5}`; err != nil || raw.String() != want {
		t.Errorf("%s, %v", raw, err)
	}
	specs, err := db.Collection("orders").Indexes().ListSpecifications(ctx)
	if err != nil || len(specs) != 2 || specs[1].Name != "by total" {
		t.Errorf("indexes %+v, %v", specs, err)
	}
	raw, err = db.RunCommand(ctx, bson.Doc("collStats", "logs")).Raw()
	if capped, _ := raw.Lookup("capped").BooleanOK(); err != nil || !capped {
		t.Errorf("logs: %s, %v", raw, err)
	}
}

func TestDataThatMakesNoSense(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":       {"{\"a\":1,\n", "data.json:1: "},
		"no database":   {"\n{\"create\": \"a\"}\n", "data.json:2: there is no $db"},
		"no collection": {`{"document": {}, "$db": "a"}`, "names its collection"},
		"no command":    {`{"explode": 1, "$db": "a"}`, "explode"},
		"twice":         {`{"insert": "c", "document": {"_id": 1}, "$db": "a"}` + "\n" + `{"insert": "c", "document": {"_id": 1}, "$db": "a"}`, "duplicate key"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "data.json")
			if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			code, out, complaint := runToEnd(t, "-data", file)
			if code == 0 || out != "" || !strings.Contains(complaint, c.want) {
				t.Errorf("%d %q %q", code, out, complaint)
			}
			if kept, err := os.ReadFile(file); err != nil || string(kept) != c.text {
				t.Errorf("the file is not what it was: %v", err)
			}
		})
	}
}
