package mongo_test

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// callDialer opens connections to the canned server that count their calls.
type callDialer struct {
	mu    sync.Mutex
	conns []*callConn
}

func (d *callDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	nc, _ := cannedDialer{}.DialContext(ctx, network, address)
	c := &callConn{Conn: nc}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conns = append(d.conns, c)
	return c, nil
}

// busiest returns the numbers of calls of the connection with the most writes. The other connections belong to the
// monitors.
func (d *callDialer) busiest() (writes, reads int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.conns {
		if w := c.writes.Load(); w > writes {
			writes, reads = w, c.reads.Load()
		}
	}
	return writes, reads
}

type callConn struct {
	net.Conn
	writes, reads atomic.Int64
}

func (c *callConn) Write(b []byte) (int, error) { c.writes.Add(1); return c.Conn.Write(b) }
func (c *callConn) Read(b []byte) (int, error)  { c.reads.Add(1); return c.Conn.Read(b) }

// An operation makes two calls on its connection: one Write, and one Read unless the reply is long.
func TestTwoCallsOnTheConnectionPerOperation(t *testing.T) {
	d := &callDialer{}
	client := cannedClient(t, &options.Client{Dialer: d})
	users := client.Database("shop").Collection("users")
	ctx := t.Context()
	structs := make([]user, many)
	open, err := users.Find(ctx, bson.D{}, &options.Find{Comment: "open"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		run  func() error
	}{
		{"ping", func() error { return client.Ping(ctx, nil) }},
		{"findOne", func() error { return users.FindOne(ctx, bson.D{}).Err() }},
		{"insertOne", func() error { _, err := users.InsertOne(ctx, bson.D{}); return err }},
		{"insertMany", func() error { _, err := users.InsertMany(ctx, structs); return err }},
		{"updateOne", func() error { _, err := users.UpdateOne(ctx, bson.D{}, bson.Doc("$set", bson.Doc("a", 1))); return err }},
		{"deleteOne", func() error { _, err := users.DeleteOne(ctx, bson.D{}); return err }},
		{"bulkWrite", func() error {
			_, err := users.BulkWrite(ctx, []mongo.WriteModel{&mongo.InsertOneModel{Document: bson.D{}}})
			return err
		}},
		{"getMore", func() error { open.Next(ctx); open.Next(ctx); return open.Err() }}, // the find has brought the first document
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			writes, reads := d.busiest()
			if err := tt.run(); err != nil {
				t.Fatal(err)
			}
			nowWrites, nowReads := d.busiest()
			if nowWrites-writes != 1 || nowReads-reads != 1 {
				t.Errorf("operation %d: %d calls of Write and %d of Read", i, nowWrites-writes, nowReads-reads)
			}
		})
	}
}
