package mongo_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

var cannedHelloWithoutSessions = cannedReply("helloOk", true, "isWritablePrimary", true, "setName", "rs", "hosts", bson.A{"canned:1"},
	"me", "canned:1", "minWireVersion", 0, "maxWireVersion", 25, "ok", 1)

// forgetfulDialer is a primary that breaks the connection of the first insert. Connections that are made afterwards
// lead to a server without sessions.
type forgetfulDialer struct{ inserts atomic.Int32 }

func (d *forgetfulDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	return &forgetfulConn{
		cannedConn: &cannedConn{arrived: make(chan struct{}, 1), closed: make(chan struct{})},
		dialer:     d, without: d.inserts.Load() > 0,
	}, nil
}

type forgetfulConn struct {
	*cannedConn
	dialer  *forgetfulDialer
	without bool
}

func (c *forgetfulConn) Write(msg []byte) (int, error) {
	if bytes.Contains(msg, []byte("\x02insert\x00")) {
		c.dialer.inserts.Add(1)
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.cannedConn.Write(msg)
	if c.without && bytes.Contains(c.reply, []byte("logicalSessionTimeoutMinutes")) {
		responseTo := [4]byte(c.reply[8:12])
		c.reply = append(c.buffer[:0], cannedHelloWithoutSessions...)
		copy(c.reply[8:12], responseTo[:])
	}
	return n, err
}

func TestWriteIsNotRetriedWhereItCouldBeDoubled(t *testing.T) {
	t.Parallel()
	d := &forgetfulDialer{}
	r := &recorder{}
	client, err := mongo.Connect(t.Context(), "mongodb://canned:1/?replicaSet=rs&serverMonitoringMode=poll",
		&options.Client{Dialer: d, CommandMonitor: r.monitor()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	_, err = client.Database("shop").Collection("things").InsertOne(t.Context(), bson.Doc("_id", 1))
	if !mongo.IsNetworkError(err) || !mongo.HasErrorLabel(err, "RetryableWriteError") {
		t.Errorf("err = %v, want that of the first try", err)
	}
	if n := d.inserts.Load(); n != 1 {
		t.Errorf("insert was sent %d times", n)
	}
	r.check(t)
}

// Retryable Writes, prose test 1.
func TestStorageEngineWithoutRetryableWritesSaysWhatToDo(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, _ := connectRecorded(t, d)
	d.Control("insert", func(mongotest.Command) mongotest.Answer {
		return mongotest.Answer{Reply: encodeReply(t, "ok", 0, "code", 20, "errmsg", "Transaction numbers are only allowed on a replica set member or mongos")}
	})
	_, err := client.Database("shop").Collection("things").InsertOne(t.Context(), bson.Doc("x", 1))
	want := "This MongoDB deployment does not support retryable writes. Please add retryWrites=false to your connection string."
	if e, ok := errors.AsType[mongo.CommandError](err); !ok || e.Message != want || e.Code != 20 {
		t.Errorf("got %v", err)
	}
}
