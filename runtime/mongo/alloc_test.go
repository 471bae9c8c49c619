package mongo_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// The allocations that the driver makes for one operation, at most. The server of these tests makes none.
const (
	budgetPing      = 5
	budgetInsertOne = 10
	budgetFindOne   = 12
	budgetUpdateOne = 14
	budgetSession   = 2 // more, for an operation in an explicit session

	// A bulk write of a thousand models may make one allocation for ten models, and one for each _id that it generates.
	bulkModels          = 1000
	budgetBulkWrite     = bulkModels / 10
	budgetBulkGenerated = bulkModels/10 + bulkModels
)

func TestAllocationBudgets(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	client := cannedClient(t)
	users := client.Database("shop").Collection("users")
	ctx := t.Context()
	filter := bson.D{{Key: "name", Value: "Ada"}}
	update := bson.D{{Key: "$set", Value: bson.D{{Key: "age", Value: 37}}}}
	session, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.EndSession(ctx)
	inSession := mongo.NewSessionContext(ctx, session)
	bulk := func(models []mongo.WriteModel) func() error {
		return func() error {
			_, err := users.BulkWrite(ctx, models)
			return err
		}
	}
	tests := []struct {
		name   string
		budget float64
		run    func() error
	}{
		{"bulkWrite of updates", budgetBulkWrite, bulk(repeated(func(i int) mongo.WriteModel {
			return &mongo.UpdateOneModel{Filter: filter, Update: bson.Doc("$set", bson.Doc("age", i))}
		}))},
		{"bulkWrite of inserts", budgetBulkWrite, bulk(repeated(func(i int) mongo.WriteModel {
			return &mongo.InsertOneModel{Document: bson.Doc("_id", bson.NewObjectID(), "age", i)}
		}))},
		{"bulkWrite of inserts without an _id", budgetBulkGenerated, bulk(repeated(func(i int) mongo.WriteModel {
			return &mongo.InsertOneModel{Document: bson.Doc("age", i)}
		}))},
		{"ping", budgetPing, func() error { return client.Ping(ctx, nil) }},
		{"insertOne", budgetInsertOne, func() error {
			_, err := users.InsertOne(ctx, user{Name: "Ada", Age: 36})
			return err
		}},
		{"updateOne", budgetUpdateOne, func() error {
			_, err := users.UpdateOne(ctx, filter, update)
			return err
		}},
		{"insertOne in a session", budgetInsertOne + budgetSession, func() error {
			_, err := users.InsertOne(inSession, user{Name: "Ada", Age: 36})
			return err
		}},
		{"findOne", budgetFindOne, func() error {
			var u user
			return users.FindOne(ctx, filter).Decode(&u)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var failed error
			runs := 500
			if tt.budget >= budgetBulkWrite {
				runs = 20 // each is a thousand writes
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

func repeated(model func(i int) mongo.WriteModel) []mongo.WriteModel {
	models := make([]mongo.WriteModel, bulkModels)
	for i := range models {
		models[i] = model(i)
	}
	return models
}

func BenchmarkOperations(b *testing.B) {
	client := cannedClient(b)
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
func cannedClient(tb testing.TB) *mongo.Client {
	tb.Helper()
	client, err := mongo.Connect(tb.Context(), "mongodb://canned:1/?replicaSet=rs&serverMonitoringMode=poll",
		&options.Client{Dialer: cannedDialer{}})
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
	buffer  [512]byte
}

var (
	cannedHello = canned("helloOk", true, "isWritablePrimary", true, "setName", "rs", "hosts", bson.A{"canned:1"},
		"me", "canned:1", "minWireVersion", 0, "maxWireVersion", 25, "logicalSessionTimeoutMinutes", 30,
		"maxBsonObjectSize", 16777216, "maxMessageSizeBytes", 48000000, "maxWriteBatchSize", 100000, "ok", 1)
	cannedFind = canned("cursor", bson.Doc("firstBatch", bson.A{bson.Doc("_id", bson.ObjectID{1}, "name", "Ada", "age", 36)},
		"id", int64(0), "ns", "shop.users"), "ok", 1.0)
	cannedInsert = canned("n", 1, "ok", 1.0)
	cannedOK     = canned("ok", 1.0)
)

func canned(kv ...any) []byte {
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
	var reply []byte
	switch op := binary.LittleEndian.Uint32(msg[12:]); {
	case op == 2013 && bytes.Contains(msg[:64], []byte("\x02find\x00")):
		reply = cannedFind
	case op == 2013 && (bytes.Contains(msg[:64], []byte("\x02insert\x00")) || bytes.Contains(msg[:64], []byte("\x02update\x00"))):
		reply = cannedInsert
	case op == 2013 && bytes.Contains(msg[:64], []byte("\x10ping\x00")), bytes.Contains(msg, []byte("endSessions")):
		reply = cannedOK
	default:
		reply = cannedHello
	}
	c.reply = append(c.buffer[:0], reply...)
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
