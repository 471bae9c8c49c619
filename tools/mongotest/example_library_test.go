package mongotest_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A test can store documents before the first client connects.
func ExampleDeployment_Seed() {
	ctx := context.Background()
	d, client, end := startConnected()
	defer end()
	if err := d.Seed("shop.users", bson.Doc("_id", 1, "name", "Ada"), bson.Doc("_id", 2, "name", "Grace")); err != nil {
		log.Fatal(err)
	}
	n, err := client.Database("shop").Collection("users").CountDocuments(ctx, bson.D{})
	fmt.Println(n, err)
	// Output: 2 <nil>
}

// Extended JSON comes as an array, or one document after the other.
func ExampleDeployment_SeedJSON() {
	d, _, end := startConnected()
	defer end()
	err := d.SeedJSON("shop.users", `
		{"_id": 1, "born": {"$date": "1970-01-01T00:00:01Z"}}
		{"_id": 2}`)
	docs, _ := d.Documents("shop.users", bson.Doc("born", bson.Doc("$exists", true)))
	fmt.Println(err, docs)
	// Output: <nil> [{"_id":1,"born":{"$date":"1970-01-01T00:00:01Z"}}]
}

// SeedDir loads a folder of files, such as one that mongodump wrote.
func ExampleDeployment_SeedDir() {
	folder, err := os.MkdirTemp("", "seed")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := os.WriteFile(filepath.Join(folder, "shop.users.json"), []byte(`[{"_id": 1}, {"_id": 2}]`), 0o644); err != nil {
		log.Fatal(err)
	}
	d, _, end := startConnected()
	defer end()
	fmt.Println(d.SeedDir(folder), d.Namespaces())
	// Output: <nil> [shop.users]
}

// A test can read the stored documents without a client.
func ExampleDeployment_Documents() {
	d, client, end := startConnected()
	defer end()
	if _, err := client.Database("shop").Collection("users").InsertOne(context.Background(), bson.Doc("_id", "ada")); err != nil {
		log.Fatal(err)
	}
	docs, err := d.Documents("shop.users", nil)
	fmt.Println(docs, err)
	// Output: [{"_id":"ada"}] <nil>
}

// One deployment can serve many tests.
func ExampleDeployment_Reset() {
	d, _, end := startConnected()
	defer end()
	if err := d.Seed("shop.users", bson.Doc("_id", 1)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Reset(), d.Namespaces())
	// Output: <nil> []
}

// A failing test logs what was stored and which commands arrived.
func ExampleDeployment_Dump() {
	d, _, end := startConnected()
	defer end()
	if err := d.Seed("shop.users", bson.Doc("_id", 1, "name", "Ada")); err != nil {
		log.Fatal(err)
	}
	d.Dump(os.Stdout)
	// Output:
	// shop.users: 1 documents
	//   {"_id":1,"name":"Ada"}
}

// A test can set a fail point without sending a command.
func ExampleDeployment_Fail() {
	ctx := context.Background()
	d, client, end := startConnected()
	defer end()
	users := client.Database("shop").Collection("users")
	if err := d.Fail(mongotest.FailPoint{Commands: []string{"insert"}, Times: 1, Code: int(errcode.Unauthorized)}); err != nil {
		log.Fatal(err)
	}
	_, err := users.InsertOne(ctx, bson.Doc("_id", 1))
	fmt.Println(fault.HasErrorCode(err, errcode.Unauthorized))
	_, err = users.InsertOne(ctx, bson.Doc("_id", 1))
	fmt.Println(err)
	// Output:
	// true
	// <nil>
}

// Filters leave monitoring out.
func ExampleApplication() {
	d, client, end := startConnected()
	defer end()
	if err := client.Database("shop").Collection("users").FindOne(context.Background(), bson.D{}).Err(); err != mongo.ErrNoDocuments {
		log.Fatal(err)
	}
	for _, c := range d.Commands(mongotest.Application(), mongotest.On("shop")) {
		fmt.Println(c.Name)
	}
	// Output: find
}

// A test can wait for a command that a goroutine of the application sends.
func ExampleDeployment_WaitFor() {
	d, client, end := startConnected()
	defer end()
	go func() {
		_, _ = client.Database("shop").Collection("users").InsertOne(context.Background(), bson.Doc("_id", 1))
	}()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := d.WaitFor(ctx, mongotest.Named("insert"))
	fmt.Println(c.DB, err)
	// Output: shop <nil>
}

// Interceptions act on the requests that a filter matches, as often as the test asks.
func ExampleDeployment_Intercept() {
	ctx := context.Background()
	d, client, end := startConnected()
	defer end()
	finish := d.Intercept(mongotest.Named("count"), 0, func(mongotest.Command) mongotest.Answer {
		reply, err := bson.Marshal(bson.Doc("ok", 1, "n", 42))
		if err != nil {
			log.Fatal(err)
		}
		return mongotest.Answer{Reply: reply}
	})
	users := client.Database("shop").Collection("users")
	fmt.Println(users.EstimatedDocumentCount(ctx))
	fmt.Println(users.EstimatedDocumentCount(ctx))
	finish()
	fmt.Println(users.EstimatedDocumentCount(ctx))
	// Output:
	// 42 <nil>
	// 42 <nil>
	// 0 <nil>
}

// Time passes for the server alone.
func ExampleDeployment_Advance() {
	ctx := context.Background()
	d, client, end := startConnected()
	defer end()
	sessions := client.Database("shop").Collection("sessions")
	ttl := mongo.IndexModel{Keys: bson.Doc("at", 1), Options: &options.Index{ExpireAfterSeconds: new(int32(3600))}}
	if _, err := sessions.Indexes().CreateOne(ctx, ttl); err != nil {
		log.Fatal(err)
	}
	if _, err := sessions.InsertOne(ctx, bson.Doc("at", time.Now())); err != nil {
		log.Fatal(err)
	}
	d.Advance(2 * time.Hour)
	fmt.Println(sessions.CountDocuments(ctx, bson.D{}))
	// Output: 0 <nil>
}

// The deployment uses a certificate of its own.
func ExampleTLS() {
	d, err := mongotest.New(mongotest.TLS())
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	client, err := mongo.Connect(context.Background(), d.URI(), &options.Client{TLSConfig: &tls.Config{RootCAs: d.RootCAs()}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close(context.Background())
	fmt.Println(client.Ping(context.Background(), nil))
	// Output: <nil>
}

// Search indexes have the states that applications wait for.
func ExampleSearchIndexes() {
	ctx := context.Background()
	_, client, end := startConnected(mongotest.SearchIndexes())
	defer end()
	db := client.Database("shop")
	if err := db.CreateCollection(ctx, "users"); err != nil {
		log.Fatal(err)
	}
	definition := bson.Doc("mappings", bson.Doc("dynamic", true))
	command := bson.Doc("createSearchIndexes", "users", "indexes", bson.A{bson.Doc("name", "names", "definition", definition)})
	if err := db.RunCommand(ctx, command).Err(); err != nil {
		log.Fatal(err)
	}
	for state := ""; state != "READY"; {
		list, err := db.Collection("users").Aggregate(ctx, []bson.D{bson.Doc("$listSearchIndexes", bson.D{})})
		if err != nil {
			log.Fatal(err)
		}
		for index, err := range mongo.Each[struct{ Name, Status string }](ctx, list) {
			if err != nil {
				log.Fatal(err)
			}
			state = index.Status
		}
	}
	fmt.Println("READY")
	// Output: READY
}

// A lagging member catches up by itself.
func ExampleDeployment_CatchUp() {
	d, _, end := startConnected(mongotest.ReplicaSet(3))
	defer end()
	d.Lag(1, 1<<30) // its replication stops
	if err := d.Seed("shop.users", bson.Doc("_id", 1)); err != nil {
		log.Fatal(err)
	}
	d.CatchUp(1, 1000)
	fmt.Println(d.Nodes()[1].Role)
	// Output: secondary
}

func TestSeedRefuses(t *testing.T) {
	d := mongotest.Start(t)
	for name, err := range map[string]error{
		"a name without a database":   d.Seed("users", bson.D{}),
		"a value that is no document": d.Seed("shop.users", 1),
		"the same _id twice":          d.Seed("shop.users", bson.Doc("_id", 1), bson.Doc("_id", 1)),
		"half a document":             d.SeedJSON("shop.users", `{"a": 1`),
		"text":                        d.SeedJSON("shop.users", `a`),
		"a folder that is missing":    d.SeedDir(filepath.Join(t.TempDir(), "missing")),
	} {
		if err == nil {
			t.Errorf("%s is no error", name)
		}
	}
}

// SeedDir restores documents, options and indexes from a dump.
func TestSeedDirOfADump(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, data []byte) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var dump []byte
	for i := range 3 {
		dump = append(dump, marshal(t, bson.Doc("_id", i, "u", i))...)
	}
	write("shop/users.bson", dump)
	write("shop/users.metadata.json", []byte(`{"options":{"collation":{"locale":"en"}},"indexes":[{"v":2,"key":{"_id":1},"name":"_id_"},`+
		`{"v":2,"key":{"u":1},"name":"u_1","unique":true}],"uuid":"x","collectionName":"users"}`))
	write("shop/system.users.bson", dump)
	write("README.txt", []byte("nothing"))
	d := mongotest.Start(t)
	if err := d.SeedDir(folder); err != nil {
		t.Fatal(err)
	}
	docs, err := d.Documents("shop.users", nil)
	if len(docs) != 3 || err != nil || len(d.Namespaces()) != 1 {
		t.Errorf("%v, %v in %v", docs, err, d.Namespaces())
	}
	c := connectRaw(t, d, 0)
	runCases(t, c, []wireCase{
		{"the index", "shop", `{'insert':'users','documents':[{'_id':9,'u':1}]}`, 0, "writeErrors 0 code=11000"},
		{"the collation", "shop", `{'listCollections':1}`, 0, "cursor firstBatch 0 options collation locale='en'"},
	})
}

// failedTest is a test that has failed.
type failedTest struct {
	cleanup func()
	log     strings.Builder
}

func (f *failedTest) Cleanup(fn func())               { f.cleanup = fn }
func (f *failedTest) Failed() bool                    { return true }
func (f *failedTest) Logf(format string, args ...any) { fmt.Fprintf(&f.log, format, args...) }

func TestDumpOnFailure(t *testing.T) {
	d := mongotest.Start(t)
	var f failedTest
	d.DumpOnFailure(&f)
	connectRaw(t, d, 0).runInDB(insertA)
	f.cleanup()
	for _, want := range []string{`db.c: 1 documents`, `{"_id":"a"}`, `db {"insert":"c"`} {
		if !strings.Contains(f.log.String(), want) {
			t.Errorf("%q is not in\n%s", want, f.log.String())
		}
	}
}

// Advance ends sessions, transactions and idle cursors too.
func TestAdvanceEndsWhatIsOld(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	c := connectRaw(t, d, 0)
	c.runInDB(fourDocuments)
	id := c.open(`{find:'c',batchSize:1}`)
	checkRefused(t, c.runInTransaction(begin(insertB, 1)), 0)
	d.Advance(2 * time.Minute)
	checkRefused(t, c.runInTransaction(statement(commit, 1)), errcode.NoSuchTransaction)
	d.Advance(time.Hour)
	checkRefused(t, c.runInDB(getMore(id, "")), errcode.CursorNotFound)
	reply := c.runAdmin("aggregate", 1, "pipeline", bson.A{bson.Doc("$listLocalSessions", bson.Doc("allUsers", true))}, "cursor", bson.D{})
	checkSame(t, "sessions", reply.Lookup("cursor", "firstBatch"), `[]`)
}

// Search indexes are refused without the option, and duplicates are refused with it.
func TestSearchIndexCommands(t *testing.T) {
	const create = `{'createSearchIndexes':'c','indexes':[{'name':'n','definition':{'mappings':{}}}]}`
	runCases(t, connectRaw(t, mongotest.Start(t), 0), []wireCase{{"without the option", "db", create, errcode.SearchNotEnabled, "Atlas"}})
	c := connectRaw(t, mongotest.Start(t, mongotest.SearchIndexes()), 0)
	runCases(t, c, []wireCase{
		{"no collection", "db", create, 26, "does not exist"},
		{"a collection", "db", `{'create':'c'}`, 0, ""},
		{"made", "db", create, 0, "indexesCreated 0 name='n'"},
		{"made twice", "db", create, 68, "Duplicate Index: n"},
		{"changed", "db", `{'updateSearchIndex':'c','name':'n','definition':{'mappings':{'dynamic':true}}}`, 0, ""},
		{"listed", "db", `{'aggregate':'c','cursor':{},'pipeline':[{'$listSearchIndexes':{'name':'n'}}]}`, 0, "cursor firstBatch 0 latestDefinition={'mappings':{'dynamic':true}}"},
		{"dropped", "db", `{'dropSearchIndex':'c','name':'n'}`, 0, ""},
		{"dropped twice", "db", `{'dropSearchIndex':'c','name':'n'}`, 27, "not found"},
	})
}
