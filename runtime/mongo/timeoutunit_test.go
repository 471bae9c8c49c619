package mongo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// More prose tests of Client Side Operations Timeout, and the tests that it calls unit tests, in virtual time.

func TestCSOTProse1MultiBatchInserts(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		s.block(bson.Doc("times", 2), 1010*time.Millisecond, "", "insert")
		var events recorder
		client := s.connect("timeoutMS=2000", &options.Client{CommandMonitor: events.monitor()})
		defer client.Close(context.Background())
		padding := bytes.Repeat([]byte{'x'}, 1<<20)
		var documents []bson.D
		for range 50 {
			documents = append(documents, bson.Doc("a", string(padding)))
		}
		began := time.Now()
		_, err := client.Database("db").Collection("coll").InsertMany(t.Context(), documents)
		wantTimeout(t, err, began, 2*time.Second)
		if n := len(events.commands("insert")); n != 2 {
			t.Errorf("%d inserts, want 2", n)
		}
	}, mongotest.Standalone())
}

func TestCSOTProse3ClientEncryption(t *testing.T) {
	type vault struct {
		e       *mongo.ClientEncryption
		command string
	}
	var key bson.UUID
	var encrypted bson.Binary
	deterministic := func() *options.Encrypt {
		return &options.Encrypt{KeyID: &key, Algorithm: options.AlgorithmDeterministic}
	}
	for _, tt := range []struct {
		name, command string
		prepare, call func(ctx context.Context, v vault) error
	}{
		{"createDataKey", "insert", func(context.Context, vault) error { return nil }, func(ctx context.Context, v vault) error {
			_, err := v.e.CreateDataKey(ctx, "local")
			return err
		}},
		{"encrypt", "find", func(ctx context.Context, v vault) (err error) {
			key, err = v.e.CreateDataKey(ctx, "local")
			return err
		}, func(ctx context.Context, v vault) error {
			_, err := v.e.Encrypt(ctx, "hello", deterministic())
			return err
		}},
		{"decrypt", "find", func(ctx context.Context, v vault) (err error) {
			if key, err = v.e.CreateDataKey(ctx, "local"); err == nil {
				encrypted, err = v.e.Encrypt(ctx, "hello", deterministic())
			}
			return err
		}, func(ctx context.Context, v vault) error {
			_, err := v.e.Decrypt(ctx, encrypted)
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				var events recorder
				open := func() (vault, func()) {
					client := s.connect("timeoutMS=10", &options.Client{CommandMonitor: events.monitor()})
					e, err := mongo.NewClientEncryption(client, &options.ClientEncryption{
						KeyVaultNamespace: "keyvault.datakeys", KMSProviders: localKMS(),
					})
					if err != nil {
						t.Fatal(err)
					}
					return vault{e, tt.command}, func() { e.Close(t.Context()); client.Close(context.Background()) }
				}
				v, end := open()
				if err := tt.prepare(t.Context(), v); err != nil {
					t.Fatal(err)
				}
				end()
				v, end = open()
				defer end()
				before := len(events.commands(tt.command))
				s.block(once, 15*time.Millisecond, "", tt.command)
				began := time.Now()
				wantTimeout(t, tt.call(t.Context(), v), began, 10*time.Millisecond)
				sent := events.commands(tt.command)[before:]
				if len(sent) != 1 || sent[0].DatabaseName != "keyvault" {
					t.Errorf("%s was sent %d times", tt.command, len(sent))
				}
			}, mongotest.ReplicaSet(1))
		})
	}
}

// The first three of the unit tests: which limit ends the wait for a connection.
func TestCSOTUnitWaitQueue(t *testing.T) {
	for _, tt := range []struct {
		name, query string
		want        time.Duration
	}{
		{"timeoutMS has waitQueueTimeoutMS ignored", "timeoutMS=300&waitQueueTimeoutMS=10", 300 * time.Millisecond},
		{"what is left of timeoutMS applies", "timeoutMS=200", 200 * time.Millisecond},
		{"waitQueueTimeoutMS applies without timeoutMS", "waitQueueTimeoutMS=100", 100 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client := s.connect("maxPoolSize=1&appName=waiting&" + tt.query)
				defer client.Close(context.Background())
				c := client.Database("shop").Collection("things")
				if err := retriedRead.run(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				s.block(once, time.Second, "waiting", "insert")
				held := make(chan struct{})
				go func() {
					defer close(held)
					c.InsertOne(t.Context(), bson.D{}, &options.InsertOne{Timeout: new(time.Minute)}) // holds the connection
				}()
				synctest.Wait()
				began := time.Now()
				err := retriedRead.run(t.Context(), c)
				if _, ok := errors.AsType[mongo.WaitQueueTimeoutError](err); !ok || time.Since(began) != tt.want {
					t.Errorf("got %v after %v, want an error of the wait queue after %v", err, time.Since(began), tt.want)
				}
				<-held
			}, mongotest.ReplicaSet(1))
		})
	}
}

// stallingDialer is a dialer that stops connecting when the test says so.
type stallingDialer struct {
	*mongotest.Dialer
	stalls atomic.Bool
	took   chan time.Duration // of the dials that stalled
}

func (d *stallingDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if !d.stalls.Load() {
		return d.Dialer.DialContext(ctx, network, address)
	}
	began := time.Now()
	<-ctx.Done()
	d.took <- time.Since(began)
	return nil, ctx.Err()
}

// The fourth and the eighth of the unit tests: how long a socket may take to be established.
func TestCSOTUnitSocketEstablishment(t *testing.T) {
	for _, tt := range []struct {
		name, query string
		want        time.Duration
	}{
		{"what is left for the selection is less", "timeoutMS=100&connectTimeoutMS=500", 100 * time.Millisecond},
		{"connectTimeoutMS is less", "timeoutMS=500&connectTimeoutMS=100", 100 * time.Millisecond},
		{"serverSelectionTimeoutMS is less than timeoutMS", "timeoutMS=500&serverSelectionTimeoutMS=100", 100 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				dialer := &stallingDialer{Dialer: s.d.Dialer(), took: make(chan time.Duration, 9)}
				client := s.connect("retryReads=false&heartbeatFrequencyMS=60000&"+tt.query, &options.Client{Dialer: dialer})
				defer client.Close(context.Background())
				time.Sleep(time.Second) // the monitor has its connections
				dialer.stalls.Store(true)
				if err := retriedRead.run(t.Context(), client.Database("shop").Collection("things")); err == nil {
					t.Error("there is no error")
				}
				if took := <-dialer.took; took != tt.want {
					t.Errorf("the dial had %v, want %v", took, tt.want)
				}
			}, mongotest.Standalone())
		})
	}
	t.Run("minPoolSize", func(t *testing.T) {
		inScene(t, func(t *testing.T, s *scene) {
			dialer := &stallingDialer{Dialer: s.d.Dialer(), took: make(chan time.Duration, 9)}
			client := s.connect("minPoolSize=1&timeoutMS=20&connectTimeoutMS=100&heartbeatFrequencyMS=60000&maxIdleTimeMS=2000",
				&options.Client{Dialer: dialer})
			time.Sleep(time.Second)
			dialer.stalls.Store(true)
			if took := <-dialer.took; took != 100*time.Millisecond { // the place of the connection that idled too long
				t.Errorf("the dial had %v", took)
			}
			client.Close(context.Background())
		}, mongotest.Standalone())
	})
}

// Client Side Operations Timeout, "Error Transformations".
func TestCSOTUnitMaxTimeMSExpired(t *testing.T) {
	const expired = errcode.MaxTimeMSExpired
	concern := bson.Doc("code", expired, "codeName", "MaxTimeMSExpired", "errmsg", "operation time limit exceeded")
	replies := map[string]bson.Raw{
		"command error":       encodeReply(t, "ok", 0, "code", expired, "errmsg", "operation time limit exceeded"),
		"write error":         encodeReply(t, "ok", 1, "n", 0, "writeErrors", bson.A{append(bson.Doc("index", 0), concern...)}),
		"write concern error": encodeReply(t, "ok", 1, "n", 1, "writeConcernError", concern),
	}
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client := connect(t, d)
	for _, op := range []struct {
		name, command string
		run           func(context.Context, *mongo.Collection) error
	}{
		{"InsertOne", "insert", func(ctx context.Context, c *mongo.Collection) error { _, err := c.InsertOne(ctx, bson.D{}); return err }},
		{"InsertMany", "insert", func(ctx context.Context, c *mongo.Collection) error {
			_, err := c.InsertMany(ctx, []bson.D{{}})
			return err
		}},
		{"UpdateMany", "update", func(ctx context.Context, c *mongo.Collection) error {
			_, err := c.UpdateMany(ctx, bson.D{}, someUpdate)
			return err
		}},
		{"DeleteOne", "delete", func(ctx context.Context, c *mongo.Collection) error { _, err := c.DeleteOne(ctx, bson.D{}); return err }},
		{"BulkWrite", "delete", func(ctx context.Context, c *mongo.Collection) error {
			_, err := c.BulkWrite(ctx, []mongo.WriteModel{&mongo.DeleteOneModel{Filter: bson.D{}}})
			return err
		}},
	} {
		for kind, reply := range replies {
			for _, timeout := range []*time.Duration{nil, new(time.Hour)} {
				t.Run(fmt.Sprint(op.name, " ", kind, " ", timeout != nil), func(t *testing.T) {
					d.Control(op.command, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: reply} })
					err := op.run(t.Context(), client.Database("shop").Collection("things", &options.Collection{Timeout: timeout}))
					if !mongo.IsTimeout(err) || !mongo.HasErrorCode(err, expired) {
						t.Errorf("err = %v", err)
					}
					if _, told := errors.AsType[mongo.TimeoutError](err); told != (timeout != nil) {
						t.Errorf("err = %T %v: a TimeoutError: %t", err, err, told)
					}
				})
			}
		}
	}
}
