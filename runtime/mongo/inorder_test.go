package mongo_test

import (
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestMapsAreRefusedWhereOrderCounts(t *testing.T) {
	ctx, db := t.Context(), connect(t, mongotest.Start(t)).Database("d")
	c, two, one := db.Collection("c"), bson.M{"a": 1, "b": -1}, bson.M{"a": 1}
	set := bson.Doc("$set", bson.Doc("x", 1))
	tests := []struct {
		name string
		run  func(m any) error
	}{
		{"RunCommand", func(m any) error {
			err := db.RunCommand(ctx, m).Err()
			if e, ok := errors.AsType[mongo.CommandError](err); ok && e.Name == "CommandNotFound" {
				return nil // it was sent
			}
			return err
		}},
		{"sort of Find", func(m any) error {
			cursor, err := c.Find(ctx, bson.D{}, &options.Find{Sort: m})
			if err == nil {
				cursor.Close(ctx)
			}
			return err
		}},
		{"sort of FindOne", func(m any) error { return none(c.FindOne(ctx, bson.D{}, &options.FindOne{Sort: m}).Err()) }},
		{"sort of FindOneAndUpdate", func(m any) error {
			return none(c.FindOneAndUpdate(ctx, bson.D{}, set, &options.FindOneAndUpdate{Sort: m}).Err())
		}},
		{"sort of FindOneAndDelete", func(m any) error {
			return none(c.FindOneAndDelete(ctx, bson.D{}, &options.FindOneAndDelete{Sort: m}).Err())
		}},
		{"sort of UpdateOne", func(m any) error {
			_, err := c.UpdateOne(ctx, bson.D{}, set, &options.UpdateOne{Sort: m})
			return err
		}},
		{"sort in a bulk write", func(m any) error {
			_, err := c.BulkWrite(ctx, []mongo.WriteModel{&mongo.UpdateOneModel{Filter: bson.D{}, Update: set, Sort: m}})
			return err
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, ok := errors.AsType[mongo.ErrMapForOrderedArgument](tt.run(two)); !ok {
				t.Errorf("two keys: %v", tt.run(two))
			}
			if err := tt.run(one); err != nil {
				t.Errorf("one key: %v", err)
			}
		})
	}
}

// none forgives that no document was found.
func none(err error) error {
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil
	}
	return err
}
