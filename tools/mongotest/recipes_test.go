package mongotest_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The functions below are the recipes of README.md, which TestRecipes compares with them.

func TestRecipes(t *testing.T) {
	flat := func(text string) string {
		var b strings.Builder
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				b.WriteString(line + "\n")
			}
		}
		return b.String()
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("recipes_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(readme), "```go\n")[1:]
	if len(blocks) < 10 {
		t.Errorf("%d recipes", len(blocks))
	}
	for _, block := range blocks {
		block, _, _ = strings.Cut(block, "```")
		if !strings.Contains(flat(string(source)), flat(block)) {
			t.Errorf("README.md shows what no test runs:\n%s", block)
		}
	}
}

type store struct{ users *mongo.Collection }

func (s store) signUp(ctx context.Context, name string) error {
	_, err := s.users.InsertOne(ctx, bson.Doc("_id", name))
	return err
}

func TestRecipeFirst(t *testing.T) {
	server := mongotest.Start(t)
	client, err := mongo.Connect(t.Context(), server.URI())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(context.Background()) })
	s := store{client.Database("shop").Collection("users")}

	if err := s.signUp(t.Context(), "ada"); err != nil {
		t.Error(err)
	}
	if err := s.signUp(t.Context(), "ada"); !mongo.IsDuplicateKeyError(err) {
		t.Errorf("the second Ada: %v", err)
	}
}

func openStore(t *testing.T, server *mongotest.Deployment, opts ...*options.Client) store {
	t.Helper()
	client, err := mongo.Connect(t.Context(), server.URI(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(context.Background()) })
	return store{client.Database("shop").Collection("users")}
}

func TestRecipeVersions(t *testing.T) {
	for _, version := range []string{"4.2", "6.0", "8.0"} {
		t.Run(version, func(t *testing.T) {
			server := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.Version(version))
			if err := openStore(t, server).signUp(t.Context(), "ada"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRecipeElection(t *testing.T) {
	server := mongotest.Start(t, mongotest.ReplicaSet(3))
	s := openStore(t, server)
	if err := s.signUp(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}

	server.StepDown()

	if err := s.signUp(t.Context(), "grace"); err != nil {
		t.Errorf("after the election: %v", err)
	}
}

func TestRecipeFailPoint(t *testing.T) {
	server := mongotest.Start(t)
	s := openStore(t, server)
	if err := server.Fail(mongotest.FailPoint{Commands: []string{"insert"}, Times: 1, Code: 13}); err != nil {
		t.Fatal(err)
	}

	if err := s.signUp(t.Context(), "ada"); err == nil {
		t.Error("the insert was allowed")
	}
	if err := s.signUp(t.Context(), "ada"); err != nil {
		t.Error(err)
	}
}

func TestRecipeControl(t *testing.T) {
	t.Parallel()
	server := mongotest.Start(t, mongotest.ReplicaSet(1)) // only then are writes retried
	s := openStore(t, server)
	dropped := false
	server.Control("insert", func(mongotest.Command) mongotest.Answer {
		first := !dropped
		dropped = true
		return mongotest.Answer{Drop: first} // the connection breaks once, before the insert runs
	})

	if err := s.signUp(t.Context(), "ada"); err != nil {
		t.Errorf("the driver does not retry: %v", err)
	}
}

func TestRecipeCommands(t *testing.T) {
	server := mongotest.Start(t)
	server.DumpOnFailure(t)
	if err := server.Seed("shop.users", bson.Doc("_id", "grace")); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, server)

	if err := s.signUp(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}
	if inserts := server.Commands(mongotest.Named("insert")); len(inserts) != 1 {
		t.Errorf("%d inserts for one user", len(inserts))
	}
	if users, err := server.Documents("shop.users", nil); len(users) != 2 || err != nil {
		t.Errorf("%v, %v", users, err)
	}
}

func TestRecipeSlowServer(t *testing.T) {
	server := mongotest.Start(t)
	s := openStore(t, server)
	if err := s.signUp(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}

	server.Latency(0, 200*time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.signUp(ctx, "grace"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller waited: %v", err)
	}
}

func TestRecipePassword(t *testing.T) {
	server := mongotest.Start(t, mongotest.Auth("ada", "secret"), mongotest.RequireAuth())
	wrong := &options.Client{Auth: &options.Credential{Username: new("ada"), Password: new("guess")}}

	if err := openStore(t, server, wrong).signUp(t.Context(), "ada"); err == nil {
		t.Error("the server accepted a wrong password")
	}
	if err := openStore(t, server).signUp(t.Context(), "ada"); err != nil { // URI carries the right one
		t.Error(err)
	}
}

func TestRecipeLostServer(t *testing.T) {
	server := mongotest.Start(t, mongotest.ReplicaSet(3))
	s := openStore(t, server)
	if err := s.signUp(t.Context(), "ada"); err != nil {
		t.Fatal(err)
	}

	lost := server.Primary()
	server.Kill(lost)
	if err := s.signUp(t.Context(), "grace"); err != nil {
		t.Errorf("two of three members are not enough: %v", err)
	}
	if err := server.Restart(lost); err != nil {
		t.Fatal(err)
	}
}

func TestRecipeVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mongotest.Start(t, mongotest.InMemory())
		s := openStore(t, server, &options.Client{Dialer: server.Dialer()})
		ttl := mongo.IndexModel{Keys: bson.Doc("at", 1), Options: &options.Index{ExpireAfterSeconds: new(int32(3600))}}
		if _, err := s.users.Indexes().CreateOne(t.Context(), ttl); err != nil {
			t.Fatal(err)
		}
		if _, err := s.users.InsertOne(t.Context(), bson.Doc("at", time.Now())); err != nil {
			t.Fatal(err)
		}

		time.Sleep(2 * time.Hour) // takes no time at all

		if n, err := s.users.CountDocuments(t.Context(), bson.D{}); n != 0 || err != nil {
			t.Errorf("%d documents after two hours, %v", n, err)
		}
	})
}
