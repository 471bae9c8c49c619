package mongootel_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/mongootel"
	"github.com/specdrivers/onion/tools/mongotest"
)

// traced is a client whose spans are kept in memory.
type traced struct {
	*mongo.Client
	provider *sdk.TracerProvider
	exporter *tracetest.InMemoryExporter
}

func connect(t *testing.T, d *mongotest.Deployment, o options.Tracing) *traced {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	c := &traced{provider: sdk.NewTracerProvider(sdk.WithSyncer(exporter)), exporter: exporter}
	o.Tracer = mongootel.New(c.provider)
	client, err := mongo.Connect(t.Context(), d.URI(), &options.Client{Tracing: &o})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(context.Background()) })
	c.Client = client
	return c
}

// tree lists the spans that ended, in the order of their start, indented by depth.
func (c *traced) tree() string {
	spans := c.exporter.GetSpans()
	slices.SortStableFunc(spans, func(a, b tracetest.SpanStub) int { return a.StartTime.Compare(b.StartTime) })
	depth := map[trace.SpanID]int{}
	var out strings.Builder
	for _, s := range spans {
		if s.Parent.IsValid() {
			depth[s.SpanContext.SpanID()] = depth[s.Parent.SpanID()] + 1
		}
		out.WriteString(strings.Repeat("  ", depth[s.SpanContext.SpanID()]) + s.Name + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// named returns the spans with a name.
func (c *traced) named(name string) []tracetest.SpanStub {
	return slices.DeleteFunc(c.exporter.GetSpans(), func(s tracetest.SpanStub) bool { return s.Name != name })
}

func values(s tracetest.SpanStub) map[string]string {
	out := map[string]string{}
	for _, a := range s.Attributes {
		out[string(a.Key)] = a.Value.Emit()
	}
	return out
}

// expect compares attributes; the value "*" stands for any, and "" for an attribute that must not be there.
func expect(t *testing.T, s tracetest.SpanStub, want map[string]string) {
	t.Helper()
	got := values(s)
	for key, value := range want {
		if have, ok := got[key]; value == "*" && !ok || value != "*" && have != value {
			t.Errorf("%s: %s is %q, want %q", s.Name, key, have, value)
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s: unexpected attribute %s", s.Name, key)
		}
	}
	if s.SpanKind != trace.SpanKindClient {
		t.Errorf("%s is of kind %s", s.Name, s.SpanKind)
	}
}

func fail(t *testing.T, d *mongotest.Deployment, times int, data bson.D) {
	t.Helper()
	client, err := mongo.Connect(t.Context(), d.URI())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	command := bson.Doc("configureFailPoint", "failCommand", "mode", bson.Doc("times", times), "data", data)
	if err := client.Database("admin").RunCommand(t.Context(), command).Err(); err != nil {
		t.Fatal(err)
	}
}

func TestOperationOverCommand(t *testing.T) {
	c := connect(t, mongotest.Start(t), options.Tracing{QueryTextMaxLength: new(1000)})
	ctx, outer := c.provider.Tracer("application").Start(t.Context(), "request")
	err := c.Database("shop").Collection("users").FindOne(ctx, bson.Doc("x", 1)).Err()
	outer.End()
	if err != mongo.ErrNoDocuments {
		t.Fatal(err)
	}
	if got, want := c.tree(), "request\n  find shop.users\n    find"; got != want {
		t.Errorf("spans\n%s\nwant\n%s", got, want)
	}
	expect(t, c.named("find shop.users")[0], map[string]string{
		"db.system.name": "mongodb", "db.namespace": "shop", "db.collection.name": "users", "db.operation.name": "find",
		"db.operation.summary": "find shop.users",
	})
	command := c.named("find")[0]
	expect(t, command, map[string]string{
		"db.system.name": "mongodb", "db.namespace": "shop", "db.collection.name": "users", "db.command.name": "find",
		"db.query.summary": "find shop.users", "server.address": "127.0.0.1", "server.port": "*", "network.transport": "tcp",
		"db.mongodb.driver_connection_id": "*", "db.mongodb.server_connection_id": "*", "db.mongodb.lsid": "*", "db.query.text": "*",
	})
	text := values(command)["db.query.text"]
	if !strings.Contains(text, `"find":"users"`) || strings.Contains(text, "lsid") || strings.Contains(text, "$db") {
		t.Errorf("db.query.text is %s", text)
	}
	if scope := command.InstrumentationScope; scope.Name != "github.com/specdrivers/onion/runtime/mongo" || scope.Version == "" {
		t.Errorf("the scope is %+v", scope)
	}
}

func TestRetriesAndErrors(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	c := connect(t, d, options.Tracing{})
	users := c.Database("shop").Collection("users")
	fail(t, d, 1, bson.Doc("failCommands", []string{"find"}, "errorCode", 89))
	if err := users.FindOne(t.Context(), bson.D{}).Err(); err != mongo.ErrNoDocuments {
		t.Fatal(err)
	}
	commands := c.named("find")
	if len(commands) != 2 || commands[0].Parent.SpanID() != commands[1].Parent.SpanID() {
		t.Fatalf("spans\n%s", c.tree())
	}
	first, second := values(commands[0]), values(commands[1])
	if first["db.response.status_code"] != "89" || first["exception.message"] == "" || first["exception.stacktrace"] == "" ||
		first["exception.type"] != "fault.CommandError" || commands[0].Status.Code != codes.Error || len(commands[0].Events) != 1 {
		t.Errorf("the first try: %v, %v", first, commands[0].Status)
	}
	if _, failed := second["exception.message"]; failed || commands[1].Status.Code == codes.Error {
		t.Errorf("the second try: %v", second)
	}
	if op := c.named("find shop.users")[0]; op.Status.Code == codes.Error {
		t.Errorf("the operation: %v", op.Status)
	}
	c.exporter.Reset()
	if err := c.Database("shop").RunCommand(t.Context(), bson.Doc("nothing", 1)).Err(); err == nil {
		t.Fatal("no error")
	}
	op := values(c.named("runCommand shop")[0])
	if op["exception.message"] == "" || op["db.response.status_code"] != "" || op["db.collection.name"] != "" {
		t.Errorf("the operation: %v", op)
	}
}

// TestOneSpanAnOperation checks operations that take several commands, and the names that methods share.
func TestOneSpanAnOperation(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	users := func(c *traced) *mongo.Collection { return c.Database("shop").Collection("users") }
	for _, test := range []struct {
		name string
		run  func(ctx context.Context, c *traced) error
		want string
	}{
		{"bulkWrite", func(ctx context.Context, c *traced) error {
			_, err := users(c).BulkWrite(ctx, []mongo.WriteModel{
				&mongo.InsertOneModel{Document: bson.D{}}, &mongo.DeleteOneModel{Filter: bson.Doc("x", 1)},
			})
			return err
		}, "bulkWrite shop.users\n  insert\n  delete"},
		{"insertMany", func(ctx context.Context, c *traced) error {
			_, err := users(c).InsertMany(ctx, []bson.D{{}, {}})
			return err
		}, "insert shop.users\n  insert"},
		{"countDocuments", func(ctx context.Context, c *traced) error {
			_, err := users(c).CountDocuments(ctx, bson.D{})
			return err
		}, "aggregate shop.users\n  aggregate"},
		{"estimatedDocumentCount", func(ctx context.Context, c *traced) error {
			_, err := users(c).EstimatedDocumentCount(ctx)
			return err
		}, "count shop.users\n  count"},
		{"findOneAndDelete", func(ctx context.Context, c *traced) error {
			return users(c).FindOneAndDelete(ctx, bson.Doc("none", 1)).Err()
		}, "findAndModify shop.users\n  findAndModify"},
		{"createIndexes", func(ctx context.Context, c *traced) error {
			_, err := users(c).CreateIndex(ctx, mongo.IndexModel{Keys: bson.Doc("x", 1)})
			return err
		}, "createIndexes shop.users\n  createIndexes"},
		{"ping", func(ctx context.Context, c *traced) error { return c.Ping(ctx, nil) }, "ping admin\n  ping"},
		{"listDatabases", func(ctx context.Context, c *traced) error {
			_, err := c.ListDatabaseNames(ctx, bson.D{})
			return err
		}, "listDatabases admin\n  listDatabases"},
		{"a sensitive command", func(ctx context.Context, c *traced) error {
			return c.Database("shop").RunCommand(ctx, bson.Doc("createUser", "ada", "pwd", "secret", "roles", bson.A{})).Err()
		}, "runCommand shop"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connect(t, d, options.Tracing{})
			if err := test.run(t.Context(), c); err != nil && err != mongo.ErrNoDocuments {
				t.Fatal(err)
			}
			if got := c.tree(); got != test.want {
				t.Errorf("spans\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestCursors(t *testing.T) {
	c := connect(t, mongotest.Start(t), options.Tracing{})
	users := c.Database("shop").Collection("users")
	if _, err := users.InsertMany(t.Context(), []bson.D{{}, {}, {}}); err != nil {
		t.Fatal(err)
	}
	c.exporter.Reset()
	cursor, err := users.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(2))})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mongo.All[bson.Raw](t.Context(), cursor); err != nil {
		t.Fatal(err)
	}
	if got, want := c.tree(), "find shop.users\n  find\ngetMore shop.users\n  getMore"; got != want {
		t.Errorf("spans\n%s\nwant\n%s", got, want)
	}
	find, more := values(c.named("find")[0]), values(c.named("getMore")[0])
	if id := find["db.mongodb.cursor_id"]; id == "" || id != more["db.mongodb.cursor_id"] || more["db.collection.name"] != "users" {
		t.Errorf("find has %v, getMore has %v", find, more)
	}
}

func TestTransactions(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"commit", "transaction\n  insert shop.users\n    insert\n  insert shop.users\n    insert\n  commitTransaction admin\n    commitTransaction\nfind shop.users\n  find"},
		{"abort", "transaction\n  insert shop.users\n    insert\n  insert shop.users\n    insert\n  abortTransaction admin\n    abortTransaction\nfind shop.users\n  find"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1)), options.Tracing{})
			users := c.Database("shop").Collection("users")
			err := c.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
				if err := s.StartTransaction(); err != nil {
					return err
				}
				for range 2 {
					if _, err := users.InsertOne(ctx, bson.D{}); err != nil {
						return err
					}
				}
				end := s.CommitTransaction
				if test.name == "abort" {
					end = s.AbortTransaction
				}
				if err := end(ctx); err != nil {
					return err
				}
				return users.FindOne(ctx, bson.D{}).Err()
			})
			if err != nil && err != mongo.ErrNoDocuments {
				t.Fatal(err)
			}
			if got := c.tree(); got != test.want {
				t.Errorf("spans\n%s\nwant\n%s", got, test.want)
			}
			expect(t, c.named("transaction")[0], map[string]string{"db.system.name": "mongodb"})
			if got := values(c.named("insert")[0])["db.mongodb.txn_number"]; got != "1" {
				t.Errorf("db.mongodb.txn_number is %q", got)
			}
		})
	}
}

// TestEnvironment is prose test 1, and covers options combined with the environment.
func TestEnvironment(t *testing.T) {
	d := mongotest.Start(t)
	for _, test := range []struct {
		name, variable string
		enabled        *bool
		want           bool
	}{
		{"a tracer is enough", "", nil, true},
		{"off by the environment", "false", nil, false},
		{"on by the environment", "true", nil, true},
		{"on in another spelling", "YES", nil, true},
		{"anything else is off", "on", nil, false},
		{"an option comes before the environment", "true", new(false), false},
		{"an option turns it on, too", "0", new(true), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("OTEL_GO_INSTRUMENTATION_MONGODB_ENABLED", test.variable)
			c := connect(t, d, options.Tracing{Enabled: test.enabled})
			if err := c.Ping(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if got := len(c.exporter.GetSpans()) > 0; got != test.want {
				t.Errorf("traced is %t", got)
			}
		})
	}
}

// TestQueryText is prose test 2, and covers truncation.
func TestQueryText(t *testing.T) {
	d := mongotest.Start(t)
	for _, test := range []struct {
		name, variable string
		option         *int
		want           string
	}{
		{"nothing asks for it", "", nil, ""},
		{"the environment asks", "1024", nil, `{"ping":1}`},
		{"the option asks", "", new(1024), `{"ping":1}`},
		{"the option comes first", "1024", new(0), ""},
		{"no number", "all", nil, ""},
		{"it is cut", "", new(5), `{"pin...`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("OTEL_GO_INSTRUMENTATION_MONGODB_ENABLED", "true")
			t.Setenv("OTEL_GO_INSTRUMENTATION_MONGODB_QUERY_TEXT_MAX_LENGTH", test.variable)
			c := connect(t, d, options.Tracing{QueryTextMaxLength: test.option})
			if err := c.Ping(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if got := values(c.named("ping")[0])["db.query.text"]; got != test.want {
				t.Errorf("db.query.text is %q, want %q", got, test.want)
			}
		})
	}
}

func TestComment(t *testing.T) {
	d := mongotest.Start(t)
	c := connect(t, d, options.Tracing{SpanComment: new(true)})
	users := c.Database("shop").Collection("users")
	users.FindOne(t.Context(), bson.D{})
	users.FindOne(t.Context(), bson.D{}, &options.FindOne{Comment: "mine"})
	var comments []string
	for _, command := range d.Commands() {
		if command.Name == "find" {
			comment, _ := command.Body.Lookup("comment").StringOK()
			comments = append(comments, comment)
		}
	}
	op := c.named("find shop.users")[0].SpanContext
	want := []string{"00-" + op.TraceID().String() + "-" + op.SpanID().String() + "-01", "mine"}
	if !slices.Equal(comments, want) {
		t.Errorf("comments %q, want %q", comments, want)
	}
}

// A write error in a reply that is ok fails for the caller, so the operation's span records it. The command has
// succeeded, so its span does not.
func TestWriteErrorsAreOfTheOperation(t *testing.T) {
	c := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1)), options.Tracing{})
	users := c.Database("shop").Collection("users")
	if _, err := users.InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func() error{
		"InsertOne":  func() error { _, err := users.InsertOne(t.Context(), bson.Doc("_id", 1)); return err },
		"InsertMany": func() error { _, err := users.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1)}); return err },
		"BulkWrite": func() error {
			_, err := users.BulkWrite(t.Context(), []mongo.WriteModel{&mongo.InsertOneModel{Document: bson.Doc("_id", 1)}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.exporter.Reset()
			if err := write(); !mongo.IsDuplicateKeyError(err) {
				t.Fatalf("err = %v", err)
			}
			for _, span := range c.exporter.GetSpans() {
				_, failed := values(span)["exception.message"]
				if operation := !span.Parent.IsValid(); failed != operation || operation != (span.Status.Code == codes.Error) {
					t.Errorf("%s: failed: %t, %v", span.Name, failed, span.Status)
				}
			}
		})
	}
}
