package world

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// fixedDocuments is a collection that does not change. A cursor that reaches its end has returned every document once.
type fixedDocuments struct{ *world }

// fixedCount is how many documents there are.
const fixedCount = 150

func (s *fixedDocuments) prepare(ctx context.Context, k *cleanClient) error {
	var all []bson.D
	for i := range fixedCount {
		all = append(all, bson.Doc("_id", i, "text", fmt.Sprint("document ", i)))
	}
	_, err := k.db.Collection("still").InsertMany(ctx, all)
	return err
}

func (s *fixedDocuments) start(k *worker) actor { return &reader{fixedDocuments: s, k: k} }

// preferences returns the read preferences of the readers. The last one compares the clocks of members.
func preferences() []*options.ReadPreference {
	fresh := mongo.Nearest()
	fresh.MaxStaleness = new(90 * time.Second)
	return []*options.ReadPreference{mongo.Primary(), mongo.SecondaryPreferred(), mongo.Nearest(), fresh}
}

type reader struct {
	*fixedDocuments
	k *worker
}

func (a *reader) close(context.Context) {}

func (a *reader) do(ctx context.Context, op scenario.Op) (string, error) {
	mode := preferences()[op.At.Microseconds()%4]
	c := a.k.db().Collection("still", &options.Collection{ReadPreference: mode})
	var cursor *mongo.Cursor
	var err error
	err = a.k.callInTime(ctx, op.Kind, func() error {
		if op.Kind == "aggregate" {
			cursor, err = c.Aggregate(ctx, mongo.Pipeline{bson.Doc("$match", bson.D{})}, &options.Aggregate{BatchSize: new(int32(op.N))})
		} else {
			cursor, err = c.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(op.N))})
		}
		return err
	})
	if err != nil {
		return op.Kind, err
	}
	defer cursor.Close(ctx)
	var ids []int
	for a.k.callInTime(ctx, "next", func() error { cursor.Next(ctx); return cursor.Err() }) == nil && cursor.Current() != nil {
		var got struct {
			ID   int `bson:"_id"`
			Text string
		}
		if err := cursor.Decode(&got); err != nil {
			return op.Kind, err
		}
		if got.Text != fmt.Sprint("document ", got.ID) {
			a.violate(scenario.Cursor, "worker %d: document %d holds %q", a.k.plan.Number, got.ID, got.Text)
		}
		ids = append(ids, got.ID)
		if op.Kind == "leave" && len(ids) > op.N {
			return fmt.Sprintf("left after %d", len(ids)), nil
		}
	}
	text := fmt.Sprintf("%s in batches of %d: %d documents", op.Kind, op.N, len(ids))
	slices.Sort(ids)
	different := len(slices.Compact(slices.Clone(ids)))
	if err := cursor.Err(); err != nil {
		if different != len(ids) {
			a.violate(scenario.Cursor, "worker %d: %s, %d of them different", a.k.plan.Number, text, different)
		}
		return text, markExpected(err, errcode.CursorNotFound, errcode.CursorKilled, errcode.QueryPlanKilled)
	}
	if len(ids) != fixedCount || different != fixedCount {
		a.violate(scenario.Cursor, "worker %d: %s, %d of them different, want %d", a.k.plan.Number, text, different, fixedCount)
	}
	return text, nil
}

func (s *fixedDocuments) check(context.Context, *cleanClient) error { return nil }
