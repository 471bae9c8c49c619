package mongo_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// brokenSource is a source that yields a batch of chunks and then fails once the context ends.
type brokenSource struct {
	ctx  context.Context
	left int
}

func (s *brokenSource) Read(p []byte) (int, error) {
	if s.left == 0 {
		<-s.ctx.Done()
		return 0, errors.New("the source is broken")
	}
	n := min(s.left, len(p))
	s.left -= n
	return n, nil
}

// cleaningCall is a call that leaves a cleanup to the background.
type cleaningCall struct {
	name string
	slow []string // the commands to slow down
	call func(ctx context.Context, t *testing.T, c *mongo.Collection)
}

func cleaningCalls() []cleaningCall {
	one := &options.Find{BatchSize: new(int32(1))}
	find := func(ctx context.Context, t *testing.T, c *mongo.Collection) *mongo.Cursor {
		cursor, err := c.Find(ctx, bson.D{}, one)
		if err != nil {
			t.Fatal(err)
		}
		return cursor
	}
	watch := func(ctx context.Context, t *testing.T, c *mongo.Collection) *mongo.ChangeStream {
		stream, err := c.Watch(ctx, mongo.Pipeline{})
		if err != nil {
			t.Fatal(err)
		}
		return stream
	}
	insert := func(ctx context.Context, t *testing.T, c *mongo.Collection) {
		if _, err := c.InsertOne(ctx, bson.D{}); err != nil {
			t.Error(err)
		}
	}
	return []cleaningCall{
		{"All", []string{"getMore", "killCursors"}, func(ctx context.Context, t *testing.T, c *mongo.Collection) {
			if _, err := mongo.All[bson.Raw](ctx, find(ctx, t, c)); err == nil {
				t.Error("no error")
			}
		}},
		{"All of a cursor", []string{"getMore", "killCursors"}, func(ctx context.Context, t *testing.T, c *mongo.Collection) {
			var list []bson.Raw
			if err := find(ctx, t, c).All(ctx, &list); err == nil {
				t.Error("no error")
			}
		}},
		{"Each", []string{"getMore", "killCursors"}, func(ctx context.Context, t *testing.T, c *mongo.Collection) {
			for range mongo.Each[bson.Raw](ctx, find(ctx, t, c)) {
			}
		}},
		{"Each that is left", []string{"killCursors"}, func(ctx context.Context, t *testing.T, c *mongo.Collection) {
			for range mongo.Each[bson.Raw](ctx, find(ctx, t, c)) {
				break
			}
		}},
		{"Close of a cursor", []string{"killCursors"}, func(ctx context.Context, t *testing.T, c *mongo.Collection) {
			find(ctx, t, c).Close(ctx)
		}},
		{"Events", []string{"getMore", "killCursors"}, func(ctx context.Context, t *testing.T, c *mongo.Collection) {
			for range mongo.Events[bson.Raw](ctx, watch(ctx, t, c)) {
			}
		}},
		{"Close of a change stream", []string{"killCursors"}, func(ctx context.Context, t *testing.T, c *mongo.Collection) {
			watch(ctx, t, c).Close(ctx)
		}},
		{"DownloadToStream", []string{"getMore", "killCursors"}, func(ctx context.Context, t *testing.T, c *mongo.Collection) {
			bucket := c.Database().GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(4 << 20))})
			if err := bucket.UploadFromStreamWithID(ctx, 1, "file", io.LimitReader(blanks{}, 20<<20)); err != nil {
				t.Fatal(err)
			}
			if _, err := bucket.DownloadToStream(ctx, 1, io.Discard); err == nil {
				t.Error("no error")
			}
		}},
		{"UploadFromStream", []string{"delete"}, func(ctx context.Context, t *testing.T, c *mongo.Collection) {
			bucket := c.Database().GridFSBucket()
			if _, err := bucket.UploadFromStream(ctx, "file", &brokenSource{ctx: ctx, left: 5 << 20}); err == nil {
				t.Error("no error")
			}
		}},
		{"WithTransaction", []string{"abortTransaction"}, func(ctx context.Context, t *testing.T, c *mongo.Collection) {
			s, err := c.Database().Client().StartSession()
			if err != nil {
				t.Fatal(err)
			}
			defer s.EndSession(ctx)
			err = s.WithTransaction(ctx, func(ctx context.Context) error {
				insert(ctx, t, c)
				<-ctx.Done()
				return ctx.Err()
			})
			if err == nil {
				t.Error("no error")
			}
		}},
		{"EndSession", []string{"abortTransaction"}, func(ctx context.Context, t *testing.T, c *mongo.Collection) {
			s, err := c.Database().Client().StartSession()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.StartTransaction(); err != nil {
				t.Fatal(err)
			}
			insert(mongo.NewSessionContext(ctx, s), t, c)
			s.EndSession(ctx)
		}},
		{"BulkWrite of a client", []string{"getMore", "killCursors"}, func(ctx context.Context, t *testing.T, c *mongo.Collection) {
			writes := []mongo.ClientBulkWrite{{Database: "db", Collection: "c", Model: &mongo.InsertOneModel{Document: bson.D{}}}}
			_, err := c.Database().Client().BulkWrite(ctx, writes, &options.ClientBulkWrite{VerboseResults: new(true)})
			if err == nil {
				t.Error("no error")
			}
		}},
	}
}

// blanks is a source without an end.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) { return len(p), nil }
