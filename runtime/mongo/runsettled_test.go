package mongo_test

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A download that is cancelled at any moment keeps its memory to itself: what another operation then reads on the same
// connection stays as it is while the next download runs, and the file stays the file.
func TestNoOperationReadsIntoTheMemoryOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.InMemory())
		client, err := mongo.Connect(t.Context(), d.URI(), &options.Client{Dialer: d.Dialer(), MaxPoolSize: new(1)})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close(context.Background())
		db := client.Database("shop")
		content := pattern(3 << 20)
		id := upload(t, db.GridFSBucket(), "big", content)
		things := db.Collection("things")
		large := bson.Doc("_id", 1, "text", string(bytes.Repeat([]byte("the find's "), 220_000)))
		if _, err := things.InsertOne(t.Context(), large); err != nil {
			t.Fatal(err)
		}
		download := func(ctx context.Context) ([]byte, error) {
			var got bytes.Buffer
			_, err := db.GridFSBucket().DownloadToStream(ctx, id, &got)
			return got.Bytes(), err
		}
		cancelAtEachLook(t, func(ctx context.Context) error {
			_, err := download(ctx)
			return err
		}, func(n int64, _ error) {
			found, err := things.FindOne(t.Context(), bson.D{}).Raw()
			if err != nil {
				t.Fatal(err)
			}
			before := bytes.Clone(found)
			got, err := download(t.Context())
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("cancelled at look %d: the next download gave %d bytes that are not the file, %v", n, len(got), err)
			}
			if !bytes.Equal(found, before) {
				t.Errorf("cancelled at look %d: a document of a find changed during the next download", n)
			}
		})
	})
}

// A stream of batches whose cursor gives up before it reads the next one takes its connection with it: the batches that
// are still on their way would reach the next operation.
func TestAStreamThatIsGivenUpLeavesNothing(t *testing.T) {
	for name, giveUp := range map[string]func(ctx context.Context) (context.Context, context.CancelFunc){
		"cancelled":       context.WithCancel,
		"no time is left": func(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client, c, _, _ := newExhaustCollection(t, s)
				defer client.Close(context.Background())
				cursor, err := c.Find(t.Context(), bson.D{}, exhaust)
				if err != nil {
					t.Fatal(err)
				}
				for range 4 { // the third document opens the stream, and the fifth is in a batch of its own
					if !cursor.Next(t.Context()) {
						t.Fatal(cursor.Err())
					}
				}
				ended, cancel := giveUp(t.Context())
				cancel()
				if cursor.Next(ended) {
					t.Fatal("the cursor went on")
				}
				for range 3 {
					if err := client.Ping(t.Context(), nil); err != nil {
						t.Errorf("the next operation: %v", err)
					}
				}
				if err := cursor.Close(t.Context()); err != nil {
					t.Error(err)
				}
				checkIdle(t, client, 0, name, nil)
			}, mongotest.ReplicaSet(1))
		})
	}
}

// A connection that is checked in holds nothing of its operation, for every kind of operation and every way out.
func TestACheckedInConnectionHoldsNothing(t *testing.T) {
	settings := []struct {
		name          string
		shape         mongotest.Option
		query         string
		client        options.Client
		socketTimeout time.Duration
	}{
		{name: "replica set", shape: mongotest.ReplicaSet(1)},
		{name: "load balanced", shape: mongotest.LoadBalanced(1)},
		{name: "socketTimeoutMS", shape: mongotest.ReplicaSet(1), query: "socketTimeoutMS=60000", socketTimeout: time.Minute},
		{name: "compressed", shape: mongotest.ReplicaSet(1), query: "compressors=zlib,snappy"},
		{name: "timeoutMS and a listener", shape: mongotest.ReplicaSet(1), query: "timeoutMS=60000&socketTimeoutMS=50000",
			client: options.Client{CommandMonitor: (&recorder{}).monitor()}, socketTimeout: 50 * time.Second},
	}
	for _, set := range settings {
		t.Run(set.name, func(t *testing.T) {
			for name, operation := range everyOperation {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					inScene(t, func(t *testing.T, s *scene) {
						opts := set.client
						opts.MaxPoolSize = new(2)
						client := s.connect(set.query, &opts)
						defer client.Close(context.Background())
						prepare(t, client)
						for _, out := range waysOut {
							out.take(t, s, func(ctx context.Context) error { return operation(ctx, client) }, func(what any) {
								t.Helper()
								checkIdle(t, client, set.socketTimeout, out.name, what)
							})
						}
					}, set.shape)
				})
			}
		})
	}
}

// owned are the fields of a connection that outlive an operation: what the handshake has agreed on, memory whose
// contents have no length, and what watches share. Every other field must be zero when the connection is checked in.
var ownedFields = []string{
	"nc", "addr", "reader", "requestIDs", "maxMessageSize", "ioTimeout", "Authenticated", "limited", "interrupt", "settled", "hello",
	"serverAPI", "sharedCoders", "compressor", "offered", "rests", "writeBuffer", "largeBuffer", "compressBuffer", "pool", "id",
	"generation", "service", "created", "opened", "idleSince", "idleRun", "prev", "next", "Conn",
}

// checkIdle fails for every connection in the client's pools on which an operation has left something.
func checkIdle(t *testing.T, client *mongo.Client, socketTimeout time.Duration, out string, what any) {
	t.Helper()
	<-time.After(2 * time.Second) // late replies arrive
	synctest.Wait()
	for _, s := range client.Stats().Topology.Servers {
		if s.Pool.InUse != 0 {
			t.Errorf("%s, %v: %d connections are in use after the operation", out, what, s.Pool.InUse)
		}
	}
	idle, err := mongo.IdleConnections(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	for _, pooled := range idle {
		wire := reflect.ValueOf(pooled.Conn.Conn).Elem()
		if got := time.Duration(wire.FieldByName("ioTimeout").Int()); got != socketTimeout {
			t.Errorf("%s, %v: the connection has a socketTimeoutMS of %v, want %v", out, what, got, socketTimeout)
		}
		for _, name := range append(leftoverFields(reflect.ValueOf(pooled).Elem()), leftoverFields(wire)...) {
			t.Errorf("%s, %v: the connection still has its %s", out, what, name)
		}
	}
}

// leftoverFields lists the fields of a struct that an operation has left something in.
func leftoverFields(v reflect.Value) []string {
	var left []string
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Name, v.Field(i)
		switch {
		case name == "writeBuffer" || name == "compressBuffer" || name == "settled":
			if field.Len() != 0 {
				left = append(left, name)
			}
		case name == "reader" && field.IsNil(): // nothing is being read
		case name == "reader":
			if r, w := field.Elem().FieldByName("r").Int(), field.Elem().FieldByName("w").Int(); r != w {
				left = append(left, name)
			}
		case !slices.Contains(ownedFields, name) && !field.IsZero():
			left = append(left, name)
		}
	}
	return left
}

// An operation whose document panics while it is encoded gives its server session back.
func TestAPanicGivesTheSessionBack(t *testing.T) {
	client := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	for _, name := range []string{"findOne", "a hint that panics", "a hint that ends its goroutine", "a hint that panics"} {
		_ = everyOperation[name](t.Context(), client) // how it fails does not matter
		if n := client.Stats().Sessions.Pooled; n != 1 {
			t.Errorf("after %s %d server sessions are in the pool, want 1", name, n)
		}
	}
}
