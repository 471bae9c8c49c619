package mongo_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// wantOnePrefix fails if an error names the package twice, as happens when one error of this package wraps another.
func wantOnePrefix(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		t.Fatal("there is no error")
	}
	if strings.Count(err.Error(), "mongo: ") > 1 {
		t.Errorf("the package is named more than once: %q", err)
	}
}

func TestErrorsNameThePackageOnce(t *testing.T) {
	type provoked struct {
		*scene
		client *mongo.Client
		c      *mongo.Collection
		late   context.Context // a context that has ended
	}
	limit := &options.FindOne{Timeout: new(10 * time.Millisecond)}
	slow := func(s provoked, command string) {
		s.fail(once, failCommandData(command, "blockConnection", true, "blockTimeMS", 100))
	}
	for name, provoke := range map[string]func(s provoked) error{
		"a context that has ended": func(s provoked) error { return s.c.FindOne(s.late, bson.D{}).Err() },
		"a timeout":                func(s provoked) error { slow(s, "find"); return s.c.FindOne(s.t.Context(), bson.D{}, limit).Err() },
		"a timeout of an insert": func(s provoked) error {
			slow(s, "insert")
			_, err := s.c.InsertOne(s.t.Context(), bson.D{}, &options.InsertOne{Timeout: new(10 * time.Millisecond)})
			return err
		},
		"no server": func(s provoked) error {
			o := &options.Collection{ReadPreference: mongo.Secondary(), Timeout: new(10 * time.Millisecond)}
			return s.c.Clone(o).FindOne(s.t.Context(), bson.D{}).Err()
		},
		"a command error": func(s provoked) error {
			return s.c.Database().RunCommand(s.t.Context(), bson.Doc("noSuchCommand", 1)).Err()
		},
		"a write error": func(s provoked) error { _, err := s.c.InsertOne(s.t.Context(), bson.Doc("_id", 1)); return err },
		"a bulk write": func(s provoked) error {
			_, err := s.c.BulkWrite(s.t.Context(), []mongo.WriteModel{&mongo.InsertOneModel{Document: bson.Doc("_id", 1)}, &mongo.InsertOneModel{}})
			return err
		},
		"a bulk write of a client": func(s provoked) error {
			_, err := s.client.BulkWrite(s.t.Context(), []mongo.ClientBulkWrite{{Database: "shop", Collection: "things",
				Model: &mongo.ClientInsertOneModel{Document: bson.Doc("_id", 1)}}})
			return err
		},
		"a lost connection": func(s provoked) error {
			s.fail(bson.Doc("times", 2), failCommandData("find", "closeConnection", true))
			return s.c.FindOne(s.t.Context(), bson.D{}).Err()
		},
		"decoding": func(s provoked) error {
			var wrong struct {
				ID time.Time `bson:"_id"`
			}
			return s.c.FindOne(s.t.Context(), bson.D{}).Decode(&wrong)
		},
		"encoding": func(s provoked) error {
			_, err := s.c.InsertOne(s.t.Context(), bson.Doc("a", make(chan int)))
			return err
		},
		"encoding an option": func(s provoked) error {
			return s.c.FindOne(s.t.Context(), bson.D{}, &options.FindOne{Hint: make(chan int)}).Err()
		},
		"an ended session": func(s provoked) error {
			session, err := s.client.StartSession()
			if err != nil {
				return err
			}
			session.EndSession(s.t.Context())
			return s.c.FindOne(mongo.NewSessionContext(s.t.Context(), session), bson.D{}).Err()
		},
		"a transaction that fails": func(s provoked) error {
			return s.client.UseSession(s.t.Context(), func(ctx context.Context, session *mongo.Session) error {
				return session.WithTransaction(ctx, func(ctx context.Context) error {
					_, err := s.c.InsertOne(ctx, bson.Doc("_id", 1))
					return err
				}, &options.Transaction{Timeout: new(time.Second)})
			})
		},
		"GridFS: no such file": func(s provoked) error {
			_, err := s.c.Database().GridFSBucket().DownloadToStreamByName(s.t.Context(), "none", io.Discard)
			return err
		},
		"GridFS: a timeout": func(s provoked) error {
			_, err := s.c.Database().GridFSBucket().UploadFromStream(s.late, "file", strings.NewReader("x"))
			return err
		},
		"GridFS: a source that fails": func(s provoked) error {
			_, err := s.c.Database().GridFSBucket().UploadFromStream(s.t.Context(), "file", io.MultiReader(strings.NewReader("x"), failingReader{}))
			return err
		},
		"a change stream": func(s provoked) error {
			_, err := s.c.Watch(s.t.Context(), mongo.Pipeline{{{Key: "$noSuchStage", Value: 1}}})
			return err
		},
		"a cursor": func(s provoked) error {
			cursor, err := s.c.Find(s.t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(1))})
			if err != nil {
				return err
			}
			s.fail(once, failCommandData("getMore", "errorCode", 43))
			_, err = mongo.All[bson.Raw](s.t.Context(), cursor)
			return err
		},
		"a name": func(s provoked) error {
			_, err := s.client.Database("a\xff").Collection("b").InsertOne(s.t.Context(), bson.D{})
			return err
		},
		"a client that is closed": func(s provoked) error {
			s.client.Close(s.t.Context())
			return s.c.FindOne(s.t.Context(), bson.D{}).Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client := s.connectForTest()
				c := client.Database("shop").Collection("things")
				if _, err := c.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2)}); err != nil {
					t.Fatal(err)
				}
				late, cancel := context.WithCancel(t.Context())
				cancel()
				wantOnePrefix(t, provoke(provoked{s, client, c, late}))
			}, mongotest.ReplicaSet(1))
		})
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("the source's own") }
