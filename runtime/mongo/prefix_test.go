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

// onePrefix fails when an error names the package twice. That happens when one error of this package wraps another.
func onePrefix(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		t.Fatal("there is no error")
	}
	if strings.Count(err.Error(), "mongo: ") > 1 {
		t.Errorf("the package is named more than once: %q", err)
	}
}

func TestErrorsNameThePackageOnce(t *testing.T) {
	type scene struct {
		d      *mongotest.Deployment
		client *mongo.Client
		c      *mongo.Collection
		late   context.Context // has ended
	}
	limit := &options.FindOne{Timeout: new(10 * time.Millisecond)}
	slow := func(s scene, command string) {
		fail(t, s.d, once, failing(command, "blockConnection", true, "blockTimeMS", 100))
	}
	for name, provoke := range map[string]func(s scene) error{
		"a context that has ended": func(s scene) error { return s.c.FindOne(s.late, bson.D{}).Err() },
		"a timeout":                func(s scene) error { slow(s, "find"); return s.c.FindOne(t.Context(), bson.D{}, limit).Err() },
		"a timeout of an insert": func(s scene) error {
			slow(s, "insert")
			_, err := s.c.InsertOne(t.Context(), bson.D{}, &options.InsertOne{Timeout: new(10 * time.Millisecond)})
			return err
		},
		"no server": func(s scene) error {
			o := &options.Collection{ReadPreference: mongo.Secondary(), Timeout: new(10 * time.Millisecond)}
			return s.c.Clone(o).FindOne(t.Context(), bson.D{}).Err()
		},
		"a command error": func(s scene) error {
			return s.c.Database().RunCommand(t.Context(), bson.Doc("noSuchCommand", 1)).Err()
		},
		"a write error": func(s scene) error { _, err := s.c.InsertOne(t.Context(), bson.Doc("_id", 1)); return err },
		"a bulk write": func(s scene) error {
			_, err := s.c.BulkWrite(t.Context(), []mongo.WriteModel{&mongo.InsertOneModel{Document: bson.Doc("_id", 1)}, &mongo.InsertOneModel{}})
			return err
		},
		"a bulk write of a client": func(s scene) error {
			_, err := s.client.BulkWrite(t.Context(), []mongo.ClientBulkWrite{{Database: "shop", Collection: "things",
				Model: &mongo.ClientInsertOneModel{Document: bson.Doc("_id", 1)}}})
			return err
		},
		"a lost connection": func(s scene) error {
			fail(t, s.d, bson.Doc("times", 2), failing("find", "closeConnection", true))
			return s.c.FindOne(t.Context(), bson.D{}).Err()
		},
		"decoding": func(s scene) error {
			var wrong struct {
				ID time.Time `bson:"_id"`
			}
			return s.c.FindOne(t.Context(), bson.D{}).Decode(&wrong)
		},
		"encoding": func(s scene) error { _, err := s.c.InsertOne(t.Context(), bson.Doc("a", make(chan int))); return err },
		"encoding an option": func(s scene) error {
			return s.c.FindOne(t.Context(), bson.D{}, &options.FindOne{Hint: make(chan int)}).Err()
		},
		"an ended session": func(s scene) error {
			session, err := s.client.StartSession()
			if err != nil {
				return err
			}
			session.EndSession(t.Context())
			return s.c.FindOne(mongo.NewSessionContext(t.Context(), session), bson.D{}).Err()
		},
		"a transaction that fails": func(s scene) error {
			return s.client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
				return session.WithTransaction(ctx, func(ctx context.Context) error {
					_, err := s.c.InsertOne(ctx, bson.Doc("_id", 1))
					return err
				}, &options.Transaction{Timeout: new(time.Second)})
			})
		},
		"GridFS: no such file": func(s scene) error {
			_, err := s.c.Database().GridFSBucket().DownloadToStreamByName(t.Context(), "none", io.Discard)
			return err
		},
		"GridFS: a timeout": func(s scene) error {
			_, err := s.c.Database().GridFSBucket().UploadFromStream(s.late, "file", strings.NewReader("x"))
			return err
		},
		"GridFS: a source that fails": func(s scene) error {
			_, err := s.c.Database().GridFSBucket().UploadFromStream(t.Context(), "file", io.MultiReader(strings.NewReader("x"), failingReader{}))
			return err
		},
		"a change stream": func(s scene) error {
			_, err := s.c.Watch(t.Context(), mongo.Pipeline{{{Key: "$noSuchStage", Value: 1}}})
			return err
		},
		"a cursor": func(s scene) error {
			cursor, err := s.c.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(1))})
			if err != nil {
				return err
			}
			fail(t, s.d, once, failing("getMore", "errorCode", 43))
			_, err = mongo.All[bson.Raw](t.Context(), cursor)
			return err
		},
		"a name": func(s scene) error {
			_, err := s.client.Database("a\xff").Collection("b").InsertOne(t.Context(), bson.D{})
			return err
		},
		"a client that is closed": func(s scene) error {
			s.client.Close(t.Context())
			return s.c.FindOne(t.Context(), bson.D{}).Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t, mongotest.ReplicaSet(1))
			client := connect(t, d)
			c := client.Database("shop").Collection("things")
			if _, err := c.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2)}); err != nil {
				t.Fatal(err)
			}
			late, cancel := context.WithCancel(t.Context())
			cancel()
			onePrefix(t, provoke(scene{d, client, c, late}))
		})
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("the source's own") }
