package mtest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mtest"
)

type user struct {
	ID   int
	Name string
}

func document(id int, name string) bson.D {
	return bson.D{{Key: "id", Value: id}, {Key: "name", Value: name}}
}

// TestMock runs each operation against the replies that tests for the official driver script for it.
func TestMock(t *testing.T) {
	mt := mtest.New(t, mtest.NewOptions().ClientType(mtest.Mock))
	defer mt.Close()
	ctx := t.Context()
	page := func(id int64, batch mtest.BatchIdentifier, documents ...bson.D) bson.D {
		return mtest.CreateCursorResponse(id, "shop.users", batch, documents...)
	}
	type row struct {
		replies []bson.D
		run     func(mt *mtest.T) error
		sent    []string
	}
	for name, c := range map[string]row{
		"findOne": {[]bson.D{page(1, mtest.FirstBatch, document(1, "Ada"))}, func(mt *mtest.T) error {
			var u user
			if err := mt.Coll.FindOne(ctx, bson.D{}).Decode(&u); err != nil || u != (user{1, "Ada"}) {
				return errors.Join(err, errors.New(u.Name))
			}
			return nil
		}, []string{"find"}},
		"findOne without a document": {[]bson.D{page(0, mtest.FirstBatch)}, func(mt *mtest.T) error {
			if err := mt.Coll.FindOne(ctx, bson.D{}).Err(); !errors.Is(err, mongo.ErrNoDocuments) {
				return errors.Join(errors.New("want ErrNoDocuments"), err)
			}
			return nil
		}, []string{"find"}},
		"find over three batches": {
			[]bson.D{
				page(1, mtest.FirstBatch, document(1, "Ada")), page(1, mtest.NextBatch, document(2, "Grace")), page(0, mtest.NextBatch),
			}, func(mt *mtest.T) error {
				cursor, err := mt.Coll.Find(ctx, bson.D{})
				if err != nil {
					return err
				}
				var users []user
				if err := cursor.All(ctx, &users); err != nil || len(users) != 2 {
					return errors.Join(err, errors.New("want two users"))
				}
				return nil
			}, []string{"find", "getMore", "getMore"},
		},
		"insertOne": {[]bson.D{mtest.CreateSuccessResponse()}, func(mt *mtest.T) error {
			_, err := mt.Coll.InsertOne(ctx, user{1, "Ada"})
			return err
		}, []string{"insert"}},
		"insertOne of a duplicate": {
			[]bson.D{mtest.CreateWriteErrorsResponse(mtest.WriteError{Index: 0, Code: 11000, Message: "duplicate key error"})},
			func(mt *mtest.T) error {
				if _, err := mt.Coll.InsertOne(ctx, user{1, "Ada"}); !mongo.IsDuplicateKeyError(err) {
					return errors.Join(errors.New("want a duplicate key"), err)
				}
				return nil
			}, []string{"insert"},
		},
		"updateOne": {
			[]bson.D{{{Key: "ok", Value: 1}, {Key: "n", Value: 1}, {Key: "nModified", Value: 1}}}, func(mt *mtest.T) error {
				r, err := mt.Coll.UpdateOne(ctx, bson.D{}, bson.Doc("$set", bson.Doc("a", 1)))
				if err != nil || r.ModifiedCount != 1 {
					return errors.Join(err, errors.New("want one"))
				}
				return nil
			}, []string{"update"},
		},
		"deleteOne": {[]bson.D{{{Key: "ok", Value: 1}, {Key: "acknowledged", Value: true}, {Key: "n", Value: 1}}}, func(mt *mtest.T) error {
			r, err := mt.Coll.DeleteOne(ctx, bson.D{})
			if err != nil || r.DeletedCount != 1 {
				return errors.Join(err, errors.New("want one"))
			}
			return nil
		}, []string{"delete"}},
		"findOneAndUpdate": {
			[]bson.D{{{Key: "ok", Value: 1}, {Key: "value", Value: document(1, "Ada")}}}, func(mt *mtest.T) error {
				var u user
				return mt.Coll.FindOneAndUpdate(ctx, bson.D{}, bson.Doc("$set", bson.Doc("a", 1))).Decode(&u)
			}, []string{"findAndModify"},
		},
		"countDocuments": {[]bson.D{page(1, mtest.FirstBatch, bson.D{{Key: "n", Value: 5}})}, func(mt *mtest.T) error {
			n, err := mt.Coll.CountDocuments(ctx, bson.D{})
			if err != nil || n != 5 {
				return errors.Join(err, errors.New("want five"))
			}
			return nil
		}, []string{"aggregate"}},
		"a command error": {
			[]bson.D{mtest.CreateCommandErrorResponse(mtest.CommandError{Code: 13, Message: "no", Name: "Unauthorized", Labels: []string{"A"}})},
			func(mt *mtest.T) error {
				var c mongo.CommandError
				_, err := mt.Coll.Find(ctx, bson.D{})
				if !errors.As(err, &c) || c.Code != errcode.Unauthorized || !c.HasErrorLabel("A") {
					return errors.Join(errors.New("want Unauthorized"), err)
				}
				return nil
			}, []string{"find"},
		},
		"a write concern error": {
			[]bson.D{mtest.CreateWriteConcernErrorResponse(mtest.WriteConcernError{Code: 64, Name: "WriteConcernTimeout", Message: "late"})},
			func(mt *mtest.T) error {
				if _, err := mt.Coll.InsertOne(ctx, user{1, "Ada"}); !fault.HasErrorCode(err, 64) {
					return errors.Join(errors.New("want 64"), err)
				}
				return nil
			}, []string{"insert"},
		},
		"no reply is left": {nil, func(mt *mtest.T) error {
			if _, err := mt.Coll.InsertOne(ctx, user{1, "Ada"}); err == nil {
				return errors.New("want an error")
			}
			return nil
		}, []string{"insert"}},
		"a transaction": {
			[]bson.D{mtest.CreateSuccessResponse(), mtest.CreateSuccessResponse()}, func(mt *mtest.T) error {
				return mt.Client.UseSession(ctx, func(ctx context.Context, s *mongo.Session) error {
					return s.WithTransaction(ctx, func(ctx context.Context) error {
						_, err := mt.Coll.InsertOne(ctx, user{1, "Ada"})
						return err
					})
				})
			}, []string{"insert", "commitTransaction"},
		},
		"findOne with a cursor takes the reply to killCursors": {
			[]bson.D{
				page(1, mtest.FirstBatch, document(1, "Ada")), mtest.CreateCommandErrorResponse(mtest.CommandError{Code: 43}),
				mtest.CreateSuccessResponse(),
			}, func(mt *mtest.T) error {
				if err := mt.Coll.FindOne(ctx, bson.D{}).Err(); err != nil {
					return err
				}
				_, err := mt.Coll.InsertOne(ctx, user{1, "Ada"})
				return err
			}, []string{"find", "insert"},
		},
		"a closed cursor is killed": {
			[]bson.D{page(1, mtest.FirstBatch, document(1, "Ada")), mtest.CreateSuccessResponse()}, func(mt *mtest.T) error {
				cursor, err := mt.Coll.Find(ctx, bson.D{})
				if err != nil {
					return err
				}
				return cursor.Close(ctx)
			}, []string{"find", "killCursors"},
		},
		"ping takes a reply": {[]bson.D{mtest.CreateSuccessResponse()}, func(mt *mtest.T) error {
			return mt.Client.Ping(ctx, nil)
		}, []string{"ping"}},
	} {
		mt.Run(name, func(mt *mtest.T) {
			mt.AddMockResponses(c.replies...)
			if err := c.run(mt); err != nil {
				t.Error(err)
			}
			for _, want := range c.sent {
				if e := mt.GetStartedEvent(); e == nil || e.CommandName != want {
					t.Errorf("sent %+v, want %s", e, want)
				}
			}
			if e := mt.GetStartedEvent(); e != nil {
				t.Errorf("sent %s as well", e.CommandName)
			}
		})
	}
}

// TestDefault runs commands where no reply is scripted.
func TestDefault(t *testing.T) {
	mt := mtest.New(t, mtest.NewOptions().Topologies(mtest.Sharded).DatabaseName("shop"))
	heard, late := 0, 0
	monitor := &event.CommandMonitor{Started: func(context.Context, *event.CommandStarted) { heard++ }}
	opts := mtest.NewOptions().CollectionName("users").ClientOptions(&options.Client{
		ConnectionString: new("mongodb://elsewhere"),
		CommandMonitor:   monitor,
	})
	mt.RunOpts("inserts", opts, func(mt *mtest.T) {
		if mt.Coll.Name() != "users" || mt.DB.Name() != "test" {
			t.Errorf("%s.%s: only options for all tests come from the parent", mt.DB.Name(), mt.Coll.Name())
		}
		before := heard
		monitor.Succeeded = func(context.Context, *event.CommandSucceeded) { late++ }
		if _, err := mt.Coll.InsertOne(t.Context(), user{1, "Ada"}); err != nil {
			t.Fatal(err)
		}
		if heard != before+1 || late != 1 || len(mt.GetAllStartedEvents()) != 1 || len(mt.GetAllSucceededEvents()) != 1 {
			t.Error("both monitors hear of the insert")
		}
		mt.SetFailPoint(mtest.FailPoint{ConfigureFailPoint: "failCommand", Mode: mtest.FailPointMode{Times: 1}, Data: mtest.FailPointData{
			FailCommands: []string{"insert"}, ErrorCode: 13,
		}})
		if _, err := mt.Coll.InsertOne(t.Context(), user{2, "Grace"}); !fault.HasErrorCode(err, errcode.Unauthorized) {
			t.Error(err)
		}
		if e := mt.GetFailedEvent(); e == nil || e.CommandName != "insert" {
			t.Errorf("%+v", e)
		}
		mt.ResetClient(nil)
		if n, err := mt.Coll.CountDocuments(t.Context(), bson.D{}); err != nil || n != 1 {
			t.Error(n, err)
		}
	})
}

// TestSubtestsLeaveNothing checks on a shared deployment that what one subtest sets and creates is gone in the next.
func TestSubtestsLeaveNothing(t *testing.T) {
	mt := mtest.New(t, mtest.NewOptions().ShareClient(true))
	for _, name := range []string{"one", "two"} {
		mt.RunOpts(name, mtest.NewOptions().CollectionName("users"), func(mt *mtest.T) {
			if _, err := mt.Coll.InsertOne(t.Context(), user{1, "Ada"}); err != nil {
				t.Error(err)
			}
			if n, err := mt.Coll.CountDocuments(t.Context(), bson.D{}); err != nil || n != 1 {
				t.Error(n, err)
			}
			mt.SetFailPoint(mtest.FailPoint{ConfigureFailPoint: "failCommand", Mode: "alwaysOn", Data: mtest.FailPointData{
				FailCommands: []string{"insert"}, ErrorCode: int32(errcode.Unauthorized),
			}})
		})
	}
}

// TestShareClient gives subtests their parent's client.
func TestShareClient(t *testing.T) {
	mt := mtest.New(t, mtest.NewOptions().ClientType(mtest.Mock).ShareClient(true))
	parent := mt.Client
	mt.RunOpts("a subtest", mtest.NewOptions().MockResponses(mtest.CreateSuccessResponse()), func(mt *mtest.T) {
		if mt.Client != parent {
			t.Error("another client")
		}
		if _, err := mt.Coll.InsertOne(t.Context(), user{1, "Ada"}); err != nil {
			t.Error(err)
		}
	})
}
