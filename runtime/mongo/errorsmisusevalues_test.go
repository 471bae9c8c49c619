package mongo_test

import (
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// misusedValues are rows of TestMisuseIsExplained: unknown values of enumerations, operations on a transaction that has
// ended, and models that cannot be written.
var misusedValues = []misuse{
	{"Find: a cursor type that is none", func(m misuseScene) error {
		_, err := m.c.Find(m.ctx, bson.D{}, &options.Find{CursorType: new(options.CursorType(4))})
		return err
	}, "CursorType,4,TailableAwait"},
	{"Aggregate: a timeout mode that is none", func(m misuseScene) error {
		_, err := m.c.Aggregate(m.ctx, mongo.Pipeline{}, &options.Aggregate{TimeoutMode: new(options.TimeoutMode(0))})
		return err
	}, "TimeoutMode,0,options.Iteration"},
	{"Find: a tailable cursor with a lifetime", func(m misuseScene) error {
		_, err := m.c.Find(m.ctx, bson.D{}, &options.Find{
			CursorType: new(options.Tailable), TimeoutMode: new(options.CursorLifetime), Timeout: new(time.Minute),
		})
		return err
	}, "tailable"},
	{"FindOneAndUpdate: a return document that is none", func(m misuseScene) error {
		return m.c.FindOneAndUpdate(m.ctx, bson.D{}, bson.Doc("$set", bson.Doc("a", 1)),
			&options.FindOneAndUpdate{ReturnDocument: new(options.ReturnDocument(3))}).Err()
	}, "ReturnDocument,3,options.After"},
	{"FindOneAndReplace: a return document that is none", func(m misuseScene) error {
		return m.c.FindOneAndReplace(m.ctx, bson.D{}, bson.D{},
			&options.FindOneAndReplace{ReturnDocument: new(options.ReturnDocument(0))}).Err()
	}, "ReturnDocument,0,options.Before"},
	{"InsertOne: after an error in the transaction", func(m misuseScene) error {
		if err := m.session.StartTransaction(); err != nil {
			m.t.Fatal(err)
		}
		ctx := mongo.NewSessionContext(m.ctx, m.session)
		if err := m.db.RunCommand(ctx, bson.Doc("find", 1)).Err(); err == nil {
			m.t.Fatal("the command has no error")
		}
		_, err := m.c.InsertOne(ctx, bson.D{})
		return err
	}, "ends a transaction,WithTransaction"},
	{"BulkWrite: a nil filter of a replacement", func(m misuseScene) error {
		_, err := m.c.BulkWrite(m.ctx, []mongo.WriteModel{&mongo.ReplaceOneModel{Replacement: bson.D{}}})
		return err
	}, "filter,nil"},
	{"BulkWrite: a nil filter of an update", func(m misuseScene) error {
		_, err := m.c.BulkWrite(m.ctx, []mongo.WriteModel{&mongo.UpdateManyModel{Update: someUpdate}})
		return err
	}, "filter,nil"},
	{"BulkWrite: a replacement that cannot be encoded", func(m misuseScene) error {
		_, err := m.c.BulkWrite(m.ctx, []mongo.WriteModel{&mongo.ReplaceOneModel{Filter: bson.D{}, Replacement: bson.M{"a": func() {}}}})
		return err
	}, "model 0,func()"},
	{"BulkWrite: an update that cannot be encoded", func(m misuseScene) error {
		_, err := m.c.BulkWrite(m.ctx, []mongo.WriteModel{&mongo.UpdateOneModel{Filter: bson.D{}, Update: bson.M{"$set": func() {}}}})
		return err
	}, "model 0,func()"},
	{"BulkWrite: an update of broken bytes", func(m misuseScene) error {
		_, err := m.c.BulkWrite(m.ctx, []mongo.WriteModel{&mongo.UpdateOneModel{Filter: bson.D{}, Update: bson.Raw{1, 2}}})
		return err
	}, "model 0"},
}
