package mongo_test

import (
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

type gadget struct {
	ID    int32  `bson:"_id"`
	Name  string `bson:"name"`
	Price int32  `bson:"price,omitempty"`
}

func typedGadgets(t *testing.T) mongo.TypedCollection[gadget] {
	t.Helper()
	client := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	gadgets := mongo.Typed[gadget](client.Database("shop").Collection("gadgets"))
	if _, err := gadgets.InsertMany(t.Context(), []gadget{{1, "lamp", 10}, {2, "fan", 20}, {3, "clock", 30}}); err != nil {
		t.Fatal(err)
	}
	return gadgets
}

func TestTypedCollectionReadsAndWrites(t *testing.T) {
	gadgets, ctx := typedGadgets(t), t.Context()
	if _, err := gadgets.InsertOne(ctx, gadget{4, "kettle", 40}); err != nil {
		t.Error(err)
	}
	one, err := gadgets.FindOne(ctx, bson.Doc("_id", 4))
	if err != nil || one != (gadget{4, "kettle", 40}) {
		t.Errorf("FindOne: %v, %v", one, err)
	}
	if _, err := gadgets.ReplaceOne(ctx, bson.Doc("_id", 4), gadget{4, "stove", 45}); err != nil {
		t.Error(err)
	}
	byPrice := &options.Find{Sort: bson.Doc("price", -1)}
	all, err := gadgets.FindAll(ctx, bson.D{}, byPrice)
	if err != nil || len(all) != 4 || all[0].Name != "stove" {
		t.Errorf("FindAll: %v, %v", all, err)
	}
	sum := int32(0)
	for g, err := range gadgets.Aggregate(ctx, []bson.D{bson.Doc("$match", bson.Doc("price", bson.Doc("$lt", 40)))}) {
		if err != nil {
			t.Fatal(err)
		}
		sum += g.Price
	}
	if sum != 60 {
		t.Errorf("the sum is %d", sum)
	}
}

func TestTypedCollectionModifiesAndReturns(t *testing.T) {
	gadgets, ctx := typedGadgets(t), t.Context()
	for _, c := range []struct {
		name string
		call func() (gadget, error)
		want gadget
	}{
		{"update", func() (gadget, error) {
			return gadgets.FindOneAndUpdate(ctx, bson.Doc("_id", 1), bson.Doc("$inc", bson.Doc("price", 1)),
				&options.FindOneAndUpdate{ReturnDocument: new(options.After)})
		}, gadget{1, "lamp", 11}},
		{"replace", func() (gadget, error) {
			return gadgets.FindOneAndReplace(ctx, bson.Doc("_id", 2), gadget{2, "heater", 25})
		}, gadget{2, "fan", 20}},
		{"delete", func() (gadget, error) { return gadgets.FindOneAndDelete(ctx, bson.Doc("_id", 3)) }, gadget{3, "clock", 30}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := c.call(); err != nil || got != c.want {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func TestTypedCollectionReportsWhatGoesWrong(t *testing.T) {
	gadgets, ctx := typedGadgets(t), t.Context()
	if got, err := gadgets.FindOne(ctx, bson.Doc("_id", 9)); !errors.Is(err, mongo.ErrNoDocuments) || got != (gadget{}) {
		t.Errorf("nothing matches: %v, %v", got, err)
	}
	if _, err := gadgets.FindAll(ctx, nil); err == nil {
		t.Error("a filter of nil is accepted")
	}
	turns := 0
	for _, err := range gadgets.Find(ctx, nil) {
		turns++
		if err == nil {
			t.Error("a loop over a filter of nil yields a document")
		}
	}
	if turns != 1 {
		t.Errorf("the loop over an error has %d turns", turns)
	}
	if _, err := gadgets.Collection().UpdateByID(ctx, 1, bson.Doc("$set", bson.Doc("name", 7))); err != nil {
		t.Fatal(err)
	}
	if got, err := gadgets.FindOne(ctx, bson.Doc("_id", 1)); err == nil || got != (gadget{}) {
		t.Errorf("a name that is a number: %v, %v", got, err)
	}
}

func TestTypedFindClosesItsCursor(t *testing.T) {
	gadgets, ctx := typedGadgets(t), t.Context()
	for g, err := range gadgets.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(1))}) {
		if err != nil || g.ID != 1 {
			t.Errorf("%v, %v", g, err)
		}
		break
	}
	if open := gadgets.Collection().Database().Client().Stats().Cursors; open != 0 {
		t.Errorf("%d cursors are open", open)
	}
}
