package mongo_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// The most allocations that one operation may make. They include the driver's own and those that a program cannot
// avoid. Two are for the context, which can be cancelled. The server of these tests allocates nothing.
const (
	budgetPing      = 3
	budgetInsertOne = 5
	budgetFindOne   = 8
	budgetUpdateOne = 6
	budgetGetMore   = 4
	budgetSession   = 2  // additional, in an explicit session
	budgetTxn       = 3  // additional, in a transaction
	budgetTraced    = 11 // additional, with a tracer whose spans allocate nothing; without a tracer there are none

	// A bulk write of a thousand models may make one allocation for ten models, and one for each _id that it generates.
	many                = 1000
	budgetBulkWrite     = many / 10
	budgetBulkGenerated = many/10 + many

	budgetInsertMany = many + 50 // an _id for each document
	budgetReadMany   = many + 10 // the texts of a document share their memory
)

func TestAllocationBudgets(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	client := cannedClient(t, nil)
	users := client.Database("shop").Collection("users")
	ctx := t.Context()
	filter := bson.D{{Key: "name", Value: "Ada"}}
	update := bson.D{{Key: "$set", Value: bson.D{{Key: "age", Value: 37}}}}
	insertOne := func(ctx context.Context) func() error {
		return func() error {
			_, err := users.InsertOne(ctx, user{Name: "Ada", Age: 36})
			return err
		}
	}
	bulk := func(models []mongo.WriteModel) func() error {
		return func() error {
			_, err := users.BulkWrite(ctx, models)
			return err
		}
	}
	open, err := users.Find(ctx, filter, &options.Find{Comment: "open"})
	if err != nil {
		t.Fatal(err)
	}
	runAllocationTests(t, []allocationTest{
		{"bulkWrite of updates", budgetBulkWrite, bulk(repeatModel(func(i int) mongo.WriteModel {
			return &mongo.UpdateOneModel{Filter: filter, Update: bson.Doc("$set", bson.Doc("age", i))}
		}))},
		{"bulkWrite of inserts", budgetBulkWrite, bulk(repeatModel(func(i int) mongo.WriteModel {
			return &mongo.InsertOneModel{Document: bson.Doc("_id", bson.NewObjectID(), "age", i)}
		}))},
		{"bulkWrite of inserts without an _id", budgetBulkGenerated, bulk(repeatModel(func(i int) mongo.WriteModel {
			return &mongo.InsertOneModel{Document: bson.Doc("age", i)}
		}))},
		{"ping", budgetPing, func() error { return client.Ping(ctx, nil) }},
		{"insertOne", budgetInsertOne, insertOne(ctx)},
		{"insertOne in a session", budgetInsertOne + budgetSession, insertOne(sessionContext(t, client))},
		{"insertOne in a transaction", budgetInsertOne + budgetTxn, insertOne(transactionContext(t, client))},
		{"updateOne", budgetUpdateOne, func() error {
			_, err := users.UpdateOne(ctx, filter, update)
			return err
		}},
		{"findOne", budgetFindOne, func() error {
			var u user
			return users.FindOne(ctx, filter).Decode(&u)
		}},
		{"getMore", budgetGetMore, func() error {
			if !open.Next(ctx) {
				return errors.New("the cursor has ended")
			}
			return nil
		}},
	})
}

func TestAllocationBudgetsOfManyDocuments(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	users := cannedClient(t, nil).Database("shop").Collection("users")
	ctx := t.Context()
	structs, documents, list := make([]user, many), make([]bson.D, many), make([]any, many)
	for i := range structs {
		structs[i] = user{Name: "Ada", Age: i}
		documents[i] = bson.D{{Key: "name", Value: "Ada"}, {Key: "age", Value: i}}
		list[i] = structs[i]
	}
	insert := func(documents any) func() error {
		return func() error {
			_, err := users.InsertMany(ctx, documents)
			return err
		}
	}
	read := func(decode func(*mongo.Cursor) error) func() error {
		return func() error {
			cursor, err := users.Find(ctx, bson.D{}, &options.Find{Comment: "many"})
			if err != nil {
				return err
			}
			return decode(cursor)
		}
	}
	runAllocationTests(t, []allocationTest{
		{"insertMany of structs", budgetInsertMany, insert(structs)},
		{"insertMany of bson.D", budgetInsertMany, insert(documents)},
		{"insertMany of any", budgetInsertMany, insert(list)},
		{"read with All", budgetReadMany, read(func(c *mongo.Cursor) error {
			all, err := mongo.All[user](ctx, c)
			return wantThousand(len(all), err)
		})},
		{"read with Each", budgetReadMany, read(func(c *mongo.Cursor) error {
			n := 0
			for _, err := range mongo.Each[user](ctx, c) {
				if n++; err != nil {
					return err
				}
			}
			return wantThousand(n, nil)
		})},
		{"read with Cursor.All", budgetReadMany, read(func(c *mongo.Cursor) error {
			var all []user
			err := c.All(ctx, &all)
			return wantThousand(len(all), err)
		})},
	})
}

func wantThousand(n int, err error) error {
	if err == nil && n != many {
		err = fmt.Errorf("%d documents, want %d", n, many)
	}
	return err
}

// Monitors, loggers and tracers that listen to nothing cost nothing.
func TestListenersThatWantNothingDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1}))
	insertOne := func(o *options.Client) func() error {
		users := cannedClient(t, o).Database("shop").Collection("users")
		return func() error {
			_, err := users.InsertOne(t.Context(), user{Name: "Ada", Age: 36})
			return err
		}
	}
	off := &options.Tracing{Tracer: silentTracer{}, Enabled: new(false)}
	runAllocationTests(t, []allocationTest{
		{"a logger", budgetInsertOne, insertOne(&options.Client{Logger: quiet})},
		{"tracing that is off", budgetInsertOne, insertOne(&options.Client{Tracing: off})},
		{"a tracer", budgetInsertOne + budgetTraced, insertOne(&options.Client{Tracing: &options.Tracing{Tracer: silentTracer{}}})},
	})
}

// silentTracer makes spans that allocate nothing, so that a test counts only the driver's allocations.
type silentTracer struct{}

func (silentTracer) Start(context.Context, string, time.Time, []options.SpanAttribute) options.Span {
	return silentTracer{}
}
func (silentTracer) Context(ctx context.Context) context.Context { return ctx }
func (silentTracer) Traceparent() string                         { return "" }
func (silentTracer) SetAttributes([]options.SpanAttribute)       {}
func (silentTracer) End(error)                                   {}

type allocationTest struct {
	name   string
	budget float64
	run    func() error
}

func runAllocationTests(t *testing.T, tests []allocationTest) {
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var failed error
			runs := 500
			if tt.budget >= many/10 {
				runs = 20 // each is a thousand documents
			}
			allocs := testing.AllocsPerRun(runs, func() {
				if err := tt.run(); err != nil {
					failed = err
				}
			})
			if failed != nil {
				t.Fatal(failed)
			}
			if allocs > tt.budget {
				t.Errorf("%v allocations, the budget is %v", allocs, tt.budget)
			}
			t.Logf("%v allocations", allocs)
		})
	}
}

func sessionContext(t *testing.T, client *mongo.Client) context.Context {
	session, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.EndSession(context.Background()) })
	return mongo.NewSessionContext(t.Context(), session)
}

func transactionContext(t *testing.T, client *mongo.Client) context.Context {
	ctx := sessionContext(t, client)
	if err := mongo.SessionFromContext(ctx).StartTransaction(); err != nil {
		t.Fatal(err)
	}
	return ctx
}

func repeatModel(model func(i int) mongo.WriteModel) []mongo.WriteModel {
	models := make([]mongo.WriteModel, many)
	for i := range models {
		models[i] = model(i)
	}
	return models
}

func BenchmarkOperations(b *testing.B) {
	client := cannedClient(b, nil)
	users := client.Database("shop").Collection("users")
	filter := bson.D{{Key: "name", Value: "Ada"}}
	b.Run("ping", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := client.Ping(b.Context(), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("insertOne", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := users.InsertOne(b.Context(), user{Name: "Ada", Age: 36}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("findOne", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var u user
			if err := users.FindOne(b.Context(), filter).Decode(&u); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// cannedClient connects to a primary that exists only as a net.Conn.
func cannedClient(tb testing.TB, o *options.Client) *mongo.Client {
	tb.Helper()
	client, err := mongo.Connect(tb.Context(), "mongodb://canned:1/?replicaSet=rs&serverMonitoringMode=poll",
		&options.Client{Dialer: cannedDialer{}}, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { client.Close(context.Background()) })
	return client
}

type cannedDialer struct{}

func (cannedDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	return &cannedConn{arrived: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

// cannedConn answers each request with fixed bytes, without a goroutine and without allocating.
type cannedConn struct {
	reply   []byte
	arrived chan struct{}
	closed  chan struct{}
	buffer  []byte
}

var (
	cannedHello = cannedReply("helloOk", true, "isWritablePrimary", true, "setName", "rs", "hosts", bson.A{"canned:1"},
		"me", "canned:1", "minWireVersion", 0, "maxWireVersion", 25, "logicalSessionTimeoutMinutes", 30,
		"maxBsonObjectSize", 16777216, "maxMessageSizeBytes", 48000000, "maxWriteBatchSize", 100000, "ok", 1)
	cannedUser    = bson.Doc("_id", bson.ObjectID{1}, "name", "Ada", "age", 36)
	cannedReplies = map[string][]byte{
		"find":    cannedCursor(0, "firstBatch", 1),
		"getMore": cannedCursor(7, "nextBatch", 1),
		"insert":  cannedReply("ok", 1.0), "update": cannedReply("n", 1, "ok", 1.0), "delete": cannedReply("n", 1, "ok", 1.0),
		"ping": cannedReply("ok", 1.0), "endSessions": cannedReply("ok", 1.0), "abortTransaction": cannedReply("ok", 1.0),
	}
	cannedOpen, cannedMany = cannedCursor(7, "firstBatch", 1), cannedCursor(0, "firstBatch", many) // the comment of a command chooses between them
)

func cannedCursor(id int64, batch string, n int) []byte {
	docs := make(bson.A, n)
	for i := range docs {
		docs[i] = cannedUser
	}
	return cannedReply("cursor", bson.Doc(batch, docs, "id", id, "ns", "shop.users"), "ok", 1.0)
}

func cannedReply(kv ...any) []byte {
	body, err := bson.Marshal(bson.Doc(kv...))
	if err != nil {
		panic(err)
	}
	msg := make([]byte, 21, 21+len(body))
	binary.LittleEndian.PutUint32(msg, uint32(21+len(body)))
	binary.LittleEndian.PutUint32(msg[12:], 2013)
	return append(msg, body...)
}

func (c *cannedConn) Write(msg []byte) (int, error) {
	reply := cannedHello
	if binary.LittleEndian.Uint32(msg[12:]) == 2013 {
		name := msg[26 : 26+bytes.IndexByte(msg[26:], 0)] // the command's name follows the header, the kind of section, the length and the type
		if known, ok := cannedReplies[string(name)]; ok {
			reply = known
		}
		if bytes.Equal(name, []byte("find")) {
			switch {
			case bytes.Contains(msg, []byte("comment\x00\x05\x00\x00\x00open")):
				reply = cannedOpen
			case bytes.Contains(msg, []byte("comment\x00\x05\x00\x00\x00many")):
				reply = cannedMany
			}
		}
	}
	c.buffer = append(c.buffer[:0], reply...)
	c.reply = c.buffer
	copy(c.reply[8:12], msg[4:8]) // responseTo
	c.arrived <- struct{}{}
	return len(msg), nil
}

func (c *cannedConn) Read(dst []byte) (int, error) {
	if len(c.reply) == 0 {
		select {
		case <-c.arrived:
		case <-c.closed:
			return 0, io.EOF
		}
	} else {
		select {
		case <-c.arrived:
		default:
		}
	}
	n := copy(dst, c.reply)
	c.reply = c.reply[n:]
	return n, nil
}

func (c *cannedConn) Close() error                   { close(c.closed); return nil }
func (*cannedConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (*cannedConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (*cannedConn) SetDeadline(time.Time) error      { return nil }
func (*cannedConn) SetReadDeadline(time.Time) error  { return nil }
func (*cannedConn) SetWriteDeadline(time.Time) error { return nil }
