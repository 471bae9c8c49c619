package interop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/specdrivers/onion/tools/mongotest"
)

// failCommand sets the fail point on the server that the client's commands go to.
func failCommand(t *testing.T, c *mongo.Client, mode any, data bson.M) {
	t.Helper()
	point := bson.D{{Key: "configureFailPoint", Value: "failCommand"}, {Key: "mode", Value: mode}, {Key: "data", Value: data}}
	if err := c.Database("admin").RunCommand(t.Context(), point).Err(); err != nil {
		t.Fatal(err)
	}
}

// disableFailPoint switches the fail point off again.
func disableFailPoint(t *testing.T, c *mongo.Client) { failCommand(t, c, "off", bson.M{}) }

// once is the mode of a fail point that acts on one command.
var once = bson.M{"times": 1}

// Each retryable write takes effect once, although the server fails before or after it wrote. A standalone server takes
// no transaction numbers: there the driver does not retry, and the error reaches the caller.
func testRetryableWrites(t *testing.T, p *place) {
	ctx := t.Context()
	failures := map[string]bson.M{
		"connection closed":   {"closeConnection": true},
		"before the write":    {"errorCode": 262},
		"not primary":         {"errorCode": 10107},
		"write concern error": {"writeConcernError": bson.M{"code": 262, "errmsg": "too slow"}, "errorLabels": bson.A{"RetryableWriteError"}},
	}
	inc := bson.M{"$inc": bson.M{"n": 1}}
	writes := []struct {
		name, command string
		run           func(*mongo.Collection) error
		want          int64 // the sum of n after the write, which starts at 1
	}{
		{"insertOne", "insert", func(c *mongo.Collection) error { _, err := c.InsertOne(ctx, bson.M{"n": 1}); return err }, 2},
		{"insertMany", "insert", func(c *mongo.Collection) error {
			_, err := c.InsertMany(ctx, bson.A{bson.M{"n": 1}, bson.M{"n": 1}})
			return err
		}, 3},
		{"updateOne", "update", func(c *mongo.Collection) error { _, err := c.UpdateOne(ctx, bson.M{}, inc); return err }, 2},
		{"replaceOne", "update", func(c *mongo.Collection) error {
			_, err := c.ReplaceOne(ctx, bson.M{"x": 0}, bson.M{"n": 1}, options.Replace().SetUpsert(true))
			return err
		}, 2},
		{"deleteOne", "delete", func(c *mongo.Collection) error { _, err := c.DeleteOne(ctx, bson.M{}); return err }, 0},
		{"findOneAndUpdate", "findAndModify", func(c *mongo.Collection) error { return c.FindOneAndUpdate(ctx, bson.M{}, inc).Err() }, 2},
		{"findOneAndDelete", "findAndModify", func(c *mongo.Collection) error { return c.FindOneAndDelete(ctx, bson.M{}).Err() }, 0},
		{"bulkWrite", "update", func(c *mongo.Collection) error {
			update := mongo.NewUpdateOneModel().SetFilter(bson.M{}).SetUpdate(inc)
			_, err := c.BulkWrite(ctx, []mongo.WriteModel{update, update})
			return err
		}, 3},
		{"client bulkWrite", "bulkWrite", func(c *mongo.Collection) error {
			update := mongo.NewClientUpdateOneModel().SetFilter(bson.M{}).SetUpdate(inc)
			_, err := p.client.BulkWrite(ctx, []mongo.ClientBulkWrite{{Database: p.db.Name(), Collection: c.Name(), Model: update}})
			return err
		}, 2},
	}
	for failure, data := range failures {
		for i, w := range writes {
			if failure == "not primary" && i > 0 {
				continue // each takes half a second, until the driver checks the server again
			}
			t.Run(failure+" "+w.name, func(t *testing.T) {
				c := p.db.Collection(fmt.Sprint(failure, w.name))
				fill(t, c, bson.M{"n": 1})
				data["failCommands"] = bson.A{w.command}
				failCommand(t, p.client, once, data)
				p.d.ForgetCommands()
				err := w.run(c)
				if !p.canRetryWrites() {
					if err == nil || countReceived(p.d, w.command) != 1 {
						t.Errorf("on a standalone server: %v after %d commands", err, countReceived(p.d, w.command))
					}
					return
				}
				if err != nil || countReceived(p.d, w.command) != 2 {
					t.Errorf("%v after %d commands", err, countReceived(p.d, w.command))
				}
				var n int64
				for _, doc := range readAll[struct{ N int64 }](t)(c.Find(ctx, bson.M{})) {
					n += doc.N
				}
				if n != w.want {
					t.Errorf("the sum is %d, want %d", n, w.want)
				}
			})
		}
	}
	t.Run("updateMany is not retried", func(t *testing.T) {
		failCommand(t, p.client, once, bson.M{"failCommands": bson.A{"update"}, "errorCode": 262})
		if _, err := p.db.Collection("many").UpdateMany(ctx, bson.M{}, inc); !hasCode(err, 262) {
			t.Errorf("%v", err)
		}
	})
}

// The driver tries a read again on each topology.
func testRetryableReads(t *testing.T, p *place) {
	ctx := t.Context()
	c := p.db.Collection("read")
	fill(t, c, bson.M{"x": 1})
	reads := map[string]func() error{
		"find":            func() error { return c.FindOne(ctx, bson.M{}).Err() },
		"aggregate":       func() error { _, err := c.CountDocuments(ctx, bson.M{}); return err },
		"count":           func() error { _, err := c.EstimatedDocumentCount(ctx); return err },
		"distinct":        func() error { return c.Distinct(ctx, "x", bson.M{}).Err() },
		"listIndexes":     func() error { _, err := c.Indexes().List(ctx); return err },
		"listCollections": func() error { _, err := p.db.ListCollectionNames(ctx, bson.M{}); return err },
		"listDatabases":   func() error { _, err := p.client.ListDatabaseNames(ctx, bson.M{}); return err },
	}
	for command, read := range reads {
		for _, data := range []bson.M{{"closeConnection": true}, {"errorCode": 262}} {
			data["failCommands"] = bson.A{command}
			failCommand(t, p.client, once, data)
			p.d.ForgetCommands()
			if err := read(); err != nil || countReceived(p.d, command) != 2 {
				t.Errorf("%s %v: %v after %d commands", command, data, err, countReceived(p.d, command))
			}
		}
	}
	failCommand(t, p.client, once, bson.M{"failCommands": bson.A{"find"}, "errorCode": 8})
	if err := c.FindOne(ctx, bson.M{}).Err(); !hasCode(err, 8) {
		t.Errorf("an error that is not retried: %v", err)
	}
	failCommand(t, p.client, bson.M{"times": 2}, bson.M{"failCommands": bson.A{"find"}, "errorCode": 11600})
	if err := c.FindOne(ctx, bson.M{}).Err(); !hasCode(err, 11600) {
		t.Errorf("a read that fails twice: %v", err)
	}
}

// One of two routers fails every command but does not look down. The driver retries on the other router.
func TestOfficialDriverRetriesOnTheOtherRouter(t *testing.T) {
	d := mongotest.Start(t, mongotest.Sharded(2))
	broken := connectOfficialTo(t, "mongodb://"+d.Hosts()[0]+"/?directConnection=true")
	failCommand(t, broken, "alwaysOn", bson.M{"failCommands": bson.A{"insert", "find"}, "errorCode": 262})
	// The test waits until the driver knows both routers. The threshold keeps a slow one from losing every command.
	known := make(chan struct{})
	both := sync.OnceFunc(func() { close(known) })
	c := connectOfficial(t, d, func(o *options.ClientOptions) {
		o.SetLocalThreshold(time.Minute).SetServerMonitor(&event.ServerMonitor{
			TopologyDescriptionChanged: func(e *event.TopologyDescriptionChangedEvent) {
				routers := 0
				for _, s := range e.NewDescription.Servers {
					if s.Kind == "Mongos" {
						routers++
					}
				}
				if routers == 2 {
					both()
				}
			},
		})
	}).Database("routers").Collection("c")
	<-known
	for i := range 20 {
		must[*mongo.InsertOneResult](t)(c.InsertOne(t.Context(), bson.M{"_id": i}))
		if err := c.FindOne(t.Context(), bson.M{"_id": i}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if inserts, finds := countReceived(d, "insert"), countReceived(d, "find"); inserts == 20 || finds == 20 {
		t.Errorf("%d inserts and %d finds: none went to the broken router first", inserts, finds)
	}
}

// The errors that reach the caller have the labels that the topology's servers and the driver add.
func testErrorLabels(t *testing.T, p *place) {
	ctx := t.Context()
	c := p.db.Collection("labels")
	insert := func() error { _, err := c.InsertOne(ctx, bson.M{"x": 1}); return err }
	cases := []struct {
		name  string
		data  bson.M
		label bool // RetryableWriteError is on the error that comes out, where writes are retried
	}{
		{"a state change", bson.M{"errorCode": 91}, true},
		{"a network error", bson.M{"closeConnection": true}, true},
		{"another error", bson.M{"errorCode": 8}, false},
		{"no labels wanted", bson.M{"errorCode": 91, "errorLabels": bson.A{}}, false},
	}
	for _, tc := range cases {
		tc.data["failCommands"] = bson.A{"insert"}
		failCommand(t, p.client, bson.M{"times": 2}, tc.data)
		err := insert()
		disableFailPoint(t, p.client)
		var labeled mongo.LabeledError
		if !errors.As(err, &labeled) {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		closed := tc.data["closeConnection"] == true // the driver labels network errors, the server all others
		if has := labeled.HasErrorLabel("RetryableWriteError"); has != (tc.label && (p.canRetryWrites() || closed)) {
			t.Errorf("%s: RetryableWriteError is on it: %t: %v", tc.name, has, err)
		}
		if mongo.IsNetworkError(err) != closed {
			t.Errorf("%s: a network error: %t", tc.name, mongo.IsNetworkError(err))
		}
	}
	failCommand(t, p.client, once, bson.M{"failCommands": bson.A{"insert"}, "errorCode": 8, "errorLabels": bson.A{"Mine"}})
	var failed mongo.CommandError
	if err := insert(); !errors.As(err, &failed) || !slices.Equal(failed.Labels, []string{"Mine"}) {
		t.Errorf("a label of the fail point: %v, %v", err, failed.Labels)
	}
}

func testCommandErrors(t *testing.T, p *place) {
	ctx := t.Context()
	c := p.db.Collection("errors")
	fill(t, c, bson.M{"_id": 1, "s": "x"})
	run := func(cmd bson.D) error { return p.db.RunCommand(ctx, cmd).Err() }
	cases := []struct {
		name, codeName string
		code           int
		err            func() error
	}{
		{"an unknown command", "CommandNotFound", 59, func() error { return run(bson.D{{Key: "nothing", Value: 1}}) }},
		{"an unknown query operator", "BadValue", 2, func() error { return c.FindOne(ctx, bson.M{"x": bson.M{"$nothing": 1}}).Err() }},
		{"an unknown stage", "Location40324", 40324, func() error { _, err := c.Aggregate(ctx, mongo.Pipeline{{{Key: "$nothing", Value: 1}}}); return err }},
		{"an unknown expression", "InvalidPipelineOperator", 168, func() error {
			return c.FindOne(ctx, bson.M{"$expr": bson.M{"$nothing": 1}}).Err()
		}},
		{"an unknown expression in $project", "Location31325", 31325, func() error {
			_, err := c.Aggregate(ctx, mongo.Pipeline{{{Key: "$project", Value: bson.M{"x": bson.M{"$nothing": 1}}}}})
			return err
		}},
		{"a missing collection", "NamespaceNotFound", 26, func() error {
			return run(bson.D{{Key: "collMod", Value: "missing"}, {Key: "validationLevel", Value: "off"}})
		}},
		{"a field of the wrong type", "TypeMismatch", 14, func() error { return run(bson.D{{Key: "find", Value: "errors"}, {Key: "filter", Value: 1}}) }},
		{"a name that cannot be", "InvalidNamespace", 73, func() error { return run(bson.D{{Key: "find", Value: ""}}) }},
	}
	for _, tc := range cases {
		err := tc.err()
		var failed mongo.CommandError
		if !errors.As(err, &failed) || int(failed.Code) != tc.code || failed.Name != tc.codeName {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	writes := map[int]any{
		66: bson.M{"$set": bson.M{"_id": 2}}, 14: bson.M{"$inc": bson.M{"s": 1}}, 40: bson.M{"$set": bson.M{"a": 1}, "$inc": bson.M{"a": 1}},
		9: bson.M{"$nothing": bson.M{"a": 1}}, 28: bson.M{"$set": bson.M{"s.a": 1}}, 2: bson.M{"$push": bson.M{"s": 1}},
	}
	for code, update := range writes {
		if _, err := c.UpdateByID(ctx, 1, update); !hasCode(err, code) {
			t.Errorf("update %v: %v, want %d", update, err, code)
		}
	}
}

// A write concern that is not met is an error in addition to the write's result.
func testWriteConcernErrors(t *testing.T, p *place) {
	ctx := t.Context()
	if !p.isSet() {
		// A router and a single server have no member to wait for here; a majority of one is met.
		c := p.db.Collection("concern", options.Collection().SetWriteConcern(writeconcern.Majority()))
		must[*mongo.InsertOneResult](t)(c.InsertOne(ctx, bson.M{"x": 1}))
		return
	}
	for code, w := range map[int]any{100: 5, 79: "nowhere"} {
		c := p.db.Collection("concern", options.Collection().SetWriteConcern(&writeconcern.WriteConcern{W: w}))
		_, err := c.InsertOne(ctx, bson.M{"w": w})
		var failed mongo.WriteException
		if !errors.As(err, &failed) || failed.WriteConcernError == nil || failed.WriteConcernError.Code != code {
			t.Errorf("w %v: %v", w, err)
		}
		if n := must[int64](t)(c.CountDocuments(ctx, bson.M{"w": w})); n != 1 {
			t.Errorf("w %v: the write is there %d times", w, n)
		}
	}
	behind := (p.d.Primary() + 1) % 3
	p.d.Lag(behind, 1)
	defer p.d.Lag(behind, 0)
	err := p.db.RunCommand(ctx, bson.D{{Key: "insert", Value: "concern"}, {Key: "documents", Value: bson.A{bson.M{"x": 1}}},
		{Key: "writeConcern", Value: bson.M{"w": 3, "wtimeout": 30}}}).Err()
	if !hasCode(err, 64) {
		t.Errorf("w 3 with a member that lags: %v", err)
	}
}

// A client's timeout ends operations that the server delays, and tells the server how long it may take.
func testTimeouts(t *testing.T, p *place) {
	within := func(limit time.Duration) *mongo.Collection {
		client := connectOfficial(t, p.d, func(o *options.ClientOptions) { o.SetTimeout(limit) })
		return client.Database(p.db.Name()).Collection("slow")
	}
	c, hurried := within(time.Minute), within(100*time.Millisecond)
	fill(t, c, bson.M{"x": 1})
	p.d.ForgetCommands()
	if err := c.FindOne(t.Context(), bson.M{}).Err(); err != nil {
		t.Fatal(err)
	}
	if ms := commandsNamed(p.d, "find")[0].Body.Lookup("maxTimeMS"); ms.IsZero() {
		t.Error("find has no maxTimeMS")
	}
	failCommand(t, p.client, "alwaysOn", bson.M{"failCommands": bson.A{"find", "insert"}, "blockConnection": true, "blockTimeMS": time.Hour.Milliseconds()})
	for name, run := range map[string]func() error{
		"find":   func() error { return hurried.FindOne(t.Context(), bson.M{}).Err() },
		"insert": func() error { _, err := hurried.InsertOne(t.Context(), bson.M{"x": 2}); return err },
	} {
		started := time.Now()
		if err := run(); !mongo.IsTimeout(err) {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(started); took > 30*time.Second {
			t.Errorf("%s took %s", name, took)
		}
	}
	disableFailPoint(t, p.client)
	failCommand(t, p.client, once, bson.M{"failCommands": bson.A{"find"}, "errorCode": 50})
	if err := c.FindOne(t.Context(), bson.M{}).Err(); !mongo.IsTimeout(err) || !hasCode(err, 50) {
		t.Errorf("MaxTimeMSExpired: %v", err)
	}
}

// A network error clears the connection's pool, and no other error does.
func testPoolEvents(t *testing.T, p *place) {
	var mu sync.Mutex
	seen := map[string]int{}
	services := 0
	watched := connectOfficial(t, p.d, func(o *options.ClientOptions) {
		o.SetPoolMonitor(&event.PoolMonitor{Event: func(e *event.PoolEvent) {
			mu.Lock()
			defer mu.Unlock()
			seen[e.Type]++
			if e.Type == event.ConnectionPoolCleared && e.ServiceID != nil {
				services++
			}
		}})
	})
	count := func(name string) int {
		mu.Lock()
		defer mu.Unlock()
		return seen[name]
	}
	c := watched.Database(p.db.Name()).Collection("pool")
	must[*mongo.InsertOneResult](t)(c.InsertOne(context.Background(), bson.M{"x": 1}))
	if count(event.ConnectionReady) == 0 || count(event.ConnectionPoolCleared) != 0 {
		t.Errorf("events = %v", seen)
	}
	failCommand(t, p.client, once, bson.M{"failCommands": bson.A{"find"}, "errorCode": 8})
	if err := c.FindOne(t.Context(), bson.M{}).Err(); err == nil || count(event.ConnectionPoolCleared) != 0 {
		t.Errorf("after an error of a command: %v, %v", err, seen)
	}
	failCommand(t, p.client, once, bson.M{"failCommands": bson.A{"find"}, "closeConnection": true})
	if err := c.FindOne(t.Context(), bson.M{}).Err(); err != nil || count(event.ConnectionPoolCleared) != 1 {
		t.Errorf("after a closed connection: %v, %v", err, seen)
	}
	if wanted := p.shape == "loadbalanced"; (services == 1) != wanted {
		t.Errorf("%d pools of a service were cleared", services)
	}
	failCommand(t, p.client, once, bson.M{"failCommands": bson.A{"insert"}, "errorCode": 91})
	_, err := c.InsertOne(t.Context(), bson.M{"x": 1})
	if (err == nil) != p.canRetryWrites() || count(event.ConnectionPoolCleared) != 2 {
		t.Errorf("after a shutdown error: %v, %v", err, seen)
	}
}
