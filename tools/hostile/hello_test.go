package hostile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/hostile"
)

// A server whose hello says something absurd is either not used, or used as if it had not said it.
func TestHellos(t *testing.T) {
	many := make(bson.A, 40_000)
	for i := range many {
		many[i] = fmt.Sprintf("h%d.example:27017", i)
	}
	strange := bson.A{"", ":", "h\n:1", "h\x00:1", "[::1", "h:99999999", strings.Repeat("h", 100_000) + ":1", 7, nil, bson.D{}}
	replicaSet := func(hosts bson.A) bson.D {
		return bson.Doc("setName", "rs", "hosts", hosts, "isWritablePrimary", true, "me", "elsewhere:1")
	}
	deep := bson.Doc("end", 1)
	for range 900 {
		deep = bson.Doc("d", deep)
	}
	var list []attack
	for _, tt := range []struct {
		name  string
		hello bson.D
		ok    bool
	}{
		{"ok is NaN", bson.Doc("ok", math.NaN()), false},
		{"ok is infinite", bson.Doc("ok", math.Inf(1)), false},
		{"ok is text", bson.Doc("ok", "1"), false},
		{"ok is missing", bson.Doc("ok", nil), false},
		{"not ok", bson.Doc("ok", 0, "code", 1, "errmsg", "no"), false},
		{"not ok, with a megabyte of text", bson.Doc("ok", 0, "errmsg", strings.Repeat("no ", 1<<19)), false},
		{"not ok, with many labels", bson.Doc("ok", 0, "errmsg", "no", "errorLabels", many), false},
		{"40,000 hosts", replicaSet(many), false},
		{"strange hosts", replicaSet(strange), false},
		{"hosts are a number", replicaSet(nil), false},
		{"setName is a number", bson.Doc("setName", 7), true},
		{"a server that is too old", bson.Doc("maxWireVersion", 2), false},
		{"a server that is too new", bson.Doc("minWireVersion", 9999, "maxWireVersion", 9999), false},
		{"a negative wire version", bson.Doc("maxWireVersion", -1), false},
		{"a wire version beyond int32", bson.Doc("maxWireVersion", int64(math.MaxInt64)), false},
		{"a lowest wire version below zero", bson.Doc("minWireVersion", math.MinInt32), true},
		{"a lowest wire version beyond int32", bson.Doc("minWireVersion", int64(1)<<62), true},
		{"wire versions that are no numbers", bson.Doc("minWireVersion", math.NaN(), "maxWireVersion", "25"), false},
		{"a setVersion beyond int32", bson.Doc("setVersion", int64(math.MinInt64)), true},
		{"the greatest sizes", sizes(int64(math.MaxInt64)), true},
		{"the greatest int32 sizes", sizes(math.MaxInt32), true},
		{"negative sizes", sizes(-1), true},
		{"sizes that are not a number", sizes(math.NaN()), true},
		{"sizes that are text", sizes("16777216"), true},
		{"no time for sessions", bson.Doc("logicalSessionTimeoutMinutes", math.MinInt32), true},
		{"all time for sessions", bson.Doc("logicalSessionTimeoutMinutes", int64(math.MaxInt64)), true},
		{"compressors that nobody knows", bson.Doc("compression", bson.A{"lzma", 7, nil, strings.Repeat("x", 1<<20)}), true},
		{"compressors that are text", bson.Doc("compression", "zlib"), true},
		{"mechanisms that are numbers", bson.Doc("saslSupportedMechs", bson.A{1, 2}), true},
		{"a speculative reply that nobody asked for", bson.Doc("speculativeAuthenticate", bson.Doc("ok", 1, "done", true)), true},
		{"a topologyVersion without a counter", bson.Doc("topologyVersion", bson.Doc("processId", bson.NewObjectID())), true},
		{"a topologyVersion from the end of time", bson.Doc("topologyVersion",
			bson.Doc("processId", bson.NewObjectID(), "counter", int64(math.MaxInt64))), true},
		{"a write in the far future", bson.Doc("lastWrite", bson.Doc("lastWriteDate", bson.DateTime(math.MaxInt64))), true},
		{"a clusterTime without a time", bson.Doc("$clusterTime", bson.D{}), true},
		{"a clusterTime of another type", bson.Doc("$clusterTime", 7), true},
		{"a service that is none", bson.Doc("serviceId", 7), true},
		{"nested 900 deep", bson.Doc("x", deep), true},
		{"a megabyte of text", bson.Doc("x", strings.Repeat("x", 1<<20)), true},
		{"many fields", manyFields(), true},
	} {
		list = append(list, attack{name: tt.name, command: "none", hello: tt.hello, ok: tt.ok, slow: !tt.ok})
	}
	attackAll(t, list)
}

func sizes(n any) bson.D {
	return bson.Doc("maxBsonObjectSize", n, "maxMessageSizeBytes", n, "maxWriteBatchSize", n)
}

func manyFields() bson.D {
	var fields bson.D
	for i := range 50_000 {
		fields = append(fields, bson.E{Key: fmt.Sprint("f", i), Value: i})
	}
	return fields
}

// Text that is not UTF-8 does not make a server unusable.
func TestAHelloWithTextThatIsNotUTF8(t *testing.T) {
	attackAll(t, []attack{{name: "beside ok: 1", command: "hello", ok: true, reply: func(r hostile.Request) []byte {
		return breakUTF8(hostile.Message(r, hostile.Hello(bson.Doc("comment", "??")...)))
	}}, {name: "in errmsg", command: "hello", slow: true, wants: "no\uFFFD(", reply: func(r hostile.Request) []byte {
		return breakUTF8(hostile.Message(r, bson.Doc("ok", 0, "code", 1, "errmsg", "no??")))
	}}})
}

// breakUTF8 replaces "??" with bytes that are not UTF-8.
func breakUTF8(msg []byte) []byte { return bytes.ReplaceAll(msg, []byte("??"), []byte{0xc3, 0x28}) }

// A document that is malformed anywhere inside is not a hello.
func TestBrokenHellos(t *testing.T) {
	whole, err := bson.Marshal(hostile.Hello())
	if err != nil {
		t.Fatal(err)
	}
	var list []attack
	for _, tt := range []struct {
		name string
		raw  []byte
	}{
		{"a type that does not exist", bytes.Replace(whole, []byte("\x10ok\x00"), []byte("\x77ok\x00"), 1)},
		{"a boolean of seven", bytes.Replace(whole, []byte("helloOk\x00\x01"), []byte("helloOk\x00\x07"), 1)},
		{"a length beyond the message", append([]byte{255, 255, 255, 0}, whole[4:]...)},
		{"a length of four", append([]byte{4, 0, 0, 0}, whole[4:]...)},
		{"an element without an end", append(bytes.Clone(whole[:len(whole)-1]), 'x')},
	} {
		list = append(list, attack{name: tt.name, command: "hello", slow: true,
			reply: func(r hostile.Request) []byte { return hostile.Raw(r, tt.raw) }})
	}
	list = append(list, attack{name: "OP_MSG with another body", command: "hello", slow: true,
		reply: func(r hostile.Request) []byte {
			return hostile.Frame(r, wire.OpMsg, append([]byte{0, 0, 0, 0, 1, 255, 0, 0, 0}, whole...))
		}})
	attackAll(t, list)
}

// A server with tiny limits gets writes one by one, or the write fails: the driver does not send empty batches for ever.
func TestTinySizes(t *testing.T) {
	update := &mongo.UpdateOneModel{Filter: bson.D{}, Update: bson.Doc("$set", bson.Doc("a", 1))}
	models := []mongo.WriteModel{&mongo.InsertOneModel{Document: bson.Doc("a", 1)}, update, update, &mongo.DeleteOneModel{Filter: bson.D{}}}
	many := func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.InsertMany(ctx, []bson.D{{}, {}, {}})
		return err
	}
	bulk := func(ctx context.Context, c *mongo.Collection) error {
		_, err := c.BulkWrite(ctx, models)
		return err
	}
	client := func(ctx context.Context, c *mongo.Collection) error {
		var writes []mongo.ClientBulkWrite
		for _, m := range models {
			writes = append(writes, mongo.ClientBulkWrite{Database: "db", Collection: "c", Model: m})
		}
		_, err := c.Database().Client().BulkWrite(ctx, writes)
		return err
	}
	for _, size := range []int{1, 4, 16, 47, 60, 100, 200} {
		for _, field := range []string{"maxBsonObjectSize", "maxMessageSizeBytes"} {
			for name, run := range map[string]operation{"an insert": insert, "many inserts": many, "a bulk write": bulk, "a bulk write on the client": client} {
				t.Run(fmt.Sprintf("%s with %s of %d", name, field, size), func(t *testing.T) {
					a := attack{command: "none", hello: bson.Doc(field, size), run: run, slow: true}
					if err := a.carryOut(t); errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("it goes on until the deadline: %v", err)
					}
				})
			}
		}
	}
}
