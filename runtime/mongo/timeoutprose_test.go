package mongo_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The prose tests of Client Side Operations Timeout, in virtual time. A wait of 15 ms takes exactly 15 ms.

// scene is a deployment in memory, with a client of its own beside the one under test.
type scene struct {
	t        *testing.T
	d        *mongotest.Deployment
	internal *mongo.Client
}

// inScene runs a test in a bubble.
func inScene(t *testing.T, test func(*testing.T, *scene), opts ...mongotest.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{t: t, d: mongotest.Start(t, append(opts, mongotest.InMemory())...)}
		s.internal = s.connect("")
		defer s.internal.Close(context.Background())
		test(t, s)
	})
}

// connect makes a client. It adds query to the connection string. The caller closes the client.
func (s *scene) connect(query string, opts ...*options.Client) *mongo.Client {
	s.t.Helper()
	uri := s.d.URI()
	if query != "" {
		separator := "&"
		if !strings.Contains(uri, "?") {
			separator = "?"
		}
		uri += separator + query
	}
	client, err := mongo.Connect(s.t.Context(), uri, append([]*options.Client{{Dialer: s.d.Dialer()}}, opts...)...)
	if err != nil {
		s.t.Fatal(err)
	}
	return client
}

// connectForTest makes a client that is closed at the end of the test.
func (s *scene) connectForTest(opts ...*options.Client) *mongo.Client {
	s.t.Helper()
	return connect(s.t, s.d, append([]*options.Client{{Dialer: s.d.Dialer()}}, opts...)...)
}

// connectRecorded is connected, with a client whose commands are recorded.
func (s *scene) connectRecorded(opts ...*options.Client) (*mongo.Client, *recorder) {
	s.t.Helper()
	return connectRecorded(s.t, s.d, append([]*options.Client{{Dialer: s.d.Dialer()}}, opts...)...)
}

// block makes commands wait.
func (s *scene) block(mode any, wait time.Duration, app string, commands ...string) {
	s.t.Helper()
	names := make(bson.A, len(commands))
	for i, name := range commands {
		names[i] = name
	}
	data := bson.Doc("failCommands", names, "blockConnection", true, "blockTimeMS", wait.Milliseconds())
	if app != "" {
		data = append(data, bson.E{Key: "appName", Value: app})
	}
	s.fail(mode, data)
}

// fail configures failCommand.
func (s *scene) fail(mode any, data bson.D) {
	s.t.Helper()
	command := bson.Doc("configureFailPoint", "failCommand", "mode", mode, "data", data)
	if err := s.internal.Database("admin").RunCommand(s.t.Context(), command).Err(); err != nil {
		s.t.Fatal(err)
	}
}

var withUsers = mongotest.Auth("user", "pencil")

// wantTimeout fails unless err is a timeout that came within the limit.
func wantTimeout(t *testing.T, err error, began time.Time, limit time.Duration) {
	t.Helper()
	if took := time.Since(began); !mongo.IsTimeout(err) || took > limit {
		t.Errorf("got %v after %v, want a timeout within %v", err, took, limit)
	}
}

// connections counts the events of a pool.
type connections struct {
	mu                     sync.Mutex
	created, ready, closed int
}

func (c *connections) monitor() *event.PoolMonitor {
	count := func(n *int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		*n++
	}
	return &event.PoolMonitor{
		ConnectionCreated: func(*event.ConnectionCreated) { count(&c.created) },
		ConnectionReady:   func(*event.ConnectionReady) { count(&c.ready) },
		ConnectionClosed:  func(*event.ConnectionClosed) { count(&c.closed) },
	}
}

func TestCSOTProse4BackgroundConnectionPooling(t *testing.T) {
	t.Run("timeoutMS used for handshake commands", func(t *testing.T) {
		inScene(t, func(t *testing.T, s *scene) {
			s.block(once, 15*time.Millisecond, "timeoutBackgroundPoolTest", "saslContinue")
			var seen connections
			client := s.connect("minPoolSize=1&timeoutMS=10&appName=timeoutBackgroundPoolTest", &options.Client{PoolMonitor: seen.monitor()})
			time.Sleep(12 * time.Millisecond)
			synctest.Wait()
			if seen.created != 1 || seen.closed != 1 || seen.ready != 0 {
				t.Errorf("%d created, %d ready, %d closed", seen.created, seen.ready, seen.closed)
			}
			client.Close(context.Background())
		}, withUsers)
	})
	t.Run("timeoutMS is refreshed for each handshake command", func(t *testing.T) {
		inScene(t, func(t *testing.T, s *scene) {
			s.block("alwaysOn", 15*time.Millisecond, "refreshTimeoutBackgroundPoolTest", "hello", "isMaster", "saslContinue")
			var seen connections
			client := s.connect("minPoolSize=1&timeoutMS=20&appName=refreshTimeoutBackgroundPoolTest", &options.Client{PoolMonitor: seen.monitor()})
			time.Sleep(time.Second)
			synctest.Wait()
			if seen.created != 1 || seen.ready != 1 || seen.closed != 0 {
				t.Errorf("%d created, %d ready, %d closed", seen.created, seen.ready, seen.closed)
			}
			client.Close(context.Background())
		}, withUsers)
	})
}

func TestCSOTProse5BlockingIterationMethods(t *testing.T) {
	limit := &options.Client{Timeout: new(20 * time.Millisecond)}
	t.Run("tailable cursors", func(t *testing.T) {
		inScene(t, func(t *testing.T, s *scene) {
			ctx, c := t.Context(), s.internal.Database("db").Collection("coll")
			capped := &options.CreateCollection{Capped: new(true), Size: new(int64(500))}
			if err := s.internal.Database("db").CreateCollection(ctx, "coll", capped); err != nil {
				t.Fatal(err)
			}
			if _, err := c.InsertOne(ctx, bson.Doc("x", 1)); err != nil {
				t.Fatal(err)
			}
			s.block("alwaysOn", 15*time.Millisecond, "", "getMore")
			r := &recorder{}
			client := s.connect("", limit, &options.Client{CommandMonitor: r.monitor()})
			defer client.Close(context.Background())
			cursor, err := client.Database("db").Collection("coll").Find(ctx, bson.D{}, &options.Find{CursorType: new(options.Tailable)})
			if err != nil || cursor.ID() == 0 {
				t.Fatalf("cursor %v, %v", cursor, err)
			}
			if !cursor.Next(ctx) || len(r.commands("getMore")) != 0 {
				t.Errorf("no document came with the find: %v", cursor.Err())
			}
			began := time.Now()
			if cursor.Next(ctx) {
				t.Error("there is another document")
			}
			wantTimeout(t, cursor.Err(), began, 20*time.Millisecond)
			if finds, more := len(r.commands("find")), len(r.commands("getMore")); finds != 1 || more != 2 {
				t.Errorf("%d find and %d getMore", finds, more)
			}
		}, mongotest.ReplicaSet(1))
	})
	t.Run("change streams", func(t *testing.T) {
		inScene(t, func(t *testing.T, s *scene) {
			s.block("alwaysOn", 15*time.Millisecond, "", "getMore")
			r := &recorder{}
			client := s.connect("", limit, &options.Client{CommandMonitor: r.monitor()})
			defer client.Close(context.Background())
			ctx := t.Context()
			stream, err := client.Database("db").Collection("coll").Watch(ctx, bson.A{}, &options.ChangeStream{MaxAwaitTime: new(time.Millisecond)})
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Close(ctx)
			began := time.Now()
			if stream.Next(ctx) {
				t.Error("there is an event")
			}
			wantTimeout(t, stream.Err(), began, 20*time.Millisecond)
			if opened, more := len(r.commands("aggregate")), len(r.commands("getMore")); opened != 1 || more != 2 {
				t.Errorf("%d aggregate and %d getMore", opened, more)
			}
		}, mongotest.ReplicaSet(1))
	})
}

func TestCSOTProse6GridFSUpload(t *testing.T) {
	const limit = 150 * time.Millisecond
	upload := func(t *testing.T, blocked string, bucket *options.GridFSBucket, data []byte, end func(*mongo.GridFSUploadStream) error) {
		inScene(t, func(t *testing.T, s *scene) {
			s.block(once, 200*time.Millisecond, "", blocked)
			client := s.connect("", &options.Client{Timeout: new(limit)})
			defer client.Close(context.Background())
			began := time.Now()
			stream, err := client.Database("db").GridFSBucket(bucket).OpenUploadStream(t.Context(), "filename")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := stream.Write(data); err != nil {
				t.Fatal(err)
			}
			wantTimeout(t, end(stream), began, limit)
		})
	}
	t.Run("uploads via openUploadStream can be timed out", func(t *testing.T) {
		upload(t, "insert", nil, []byte{0x12}, (*mongo.GridFSUploadStream).Close)
	})
	t.Run("aborting an upload stream can be timed out", func(t *testing.T) {
		upload(t, "delete", &options.GridFSBucket{ChunkSize: new(int32(2))}, []byte{1, 2, 3, 4},
			(*mongo.GridFSUploadStream).Abort)
	})
}

func TestCSOTProse7GridFSDownload(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		ctx, id := t.Context(), bson.ObjectID{11: 5}
		file := bson.Doc("_id", id, "length", 10, "chunkSize", 4, "uploadDate", bson.DateTime(0), "filename", "length-10")
		if _, err := s.internal.Database("db").Collection("fs.files").InsertOne(ctx, file); err != nil {
			t.Fatal(err)
		}
		r := &recorder{}
		client := s.connect("", &options.Client{Timeout: new(150 * time.Millisecond), CommandMonitor: r.monitor()})
		defer client.Close(context.Background())
		began := time.Now()
		stream, err := client.Database("db").GridFSBucket().OpenDownloadStream(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		s.block(once, 200*time.Millisecond, "", "find")
		_, err = stream.Read(make([]byte, 10))
		wantTimeout(t, err, began, 150*time.Millisecond)
		if n := len(r.commands("find")); n != 2 {
			t.Errorf("%d find commands", n)
		}
	})
}
