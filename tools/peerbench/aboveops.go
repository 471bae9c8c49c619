package main

import (
	"context"

	officialbson "go.mongodb.org/mongo-driver/v2/bson"
	official "go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
)

// aboveOperation is something whose processor time above a bare socket is compared. Its functions prepare what an
// operation keeps between its calls, and return the operation.
type aboveOperation struct {
	name            string
	goal            float64 // times the official driver's time above the bare socket; 0 if there is none
	official, onion func(*peers) func() error
}

// aboveGoals are the goals of the operations that the tasks have, too. What ping costs is judged by a comparison with -base.
var aboveGoals = map[string]float64{"findOne": 8, "insertOne": 6, "updateOne": 8}

func aboveOperations() (list []aboveOperation) {
	for _, op := range operations() {
		list = append(list, aboveOperation{op.name, aboveGoals[op.name],
			func(p *peers) func() error { return func() error { return op.official(p) } },
			func(p *peers) func() error { return func() error { return op.onion(p) } },
		})
	}
	return append(list,
		aboveOperation{"transaction of three commands", 6, officialTransaction, onionTransaction},
		aboveOperation{"getMore of 100 documents", 12, officialGetMore, onionGetMore})
}

// officialTransaction does what the name says in a new session; the commit is the fourth round trip.
func officialTransaction(p *peers) func() error {
	users, inserted := p.officialCollection(), p.official.Database("bench").Collection("inserted")
	one := officialbson.D{{Key: "_id", Value: int32(7)}}
	set := officialbson.D{{Key: "$set", Value: officialbson.D{{Key: "age", Value: int32(37)}}}}
	three := func(ctx context.Context) (any, error) {
		var u benchUser
		if err := users.FindOne(ctx, one).Decode(&u); err != nil {
			return nil, err
		}
		if _, err := inserted.InsertOne(ctx, newUser{"Grace Hopper", 45}); err != nil {
			return nil, err
		}
		_, err := users.UpdateOne(ctx, one, set)
		return nil, err
	}
	return func() error {
		session, err := p.official.StartSession()
		if err != nil {
			return err
		}
		defer session.EndSession(context.Background())
		_, err = session.WithTransaction(context.Background(), three)
		return err
	}
}

func onionTransaction(p *peers) func() error {
	users, inserted := p.onionCollection(), p.onion.Database("bench").Collection("inserted")
	one := bson.D{{Key: "_id", Value: int32(7)}}
	set := bson.D{{Key: "$set", Value: bson.D{{Key: "age", Value: int32(37)}}}}
	three := func(ctx context.Context) error {
		var u benchUser
		if err := users.FindOne(ctx, one).Decode(&u); err != nil {
			return err
		}
		if _, err := inserted.InsertOne(ctx, newUser{"Grace Hopper", 45}); err != nil {
			return err
		}
		_, err := users.UpdateOne(ctx, one, set)
		return err
	}
	return func() error {
		return p.onion.UseSession(context.Background(), func(ctx context.Context, s *mongo.Session) error {
			return s.WithTransaction(ctx, three)
		})
	}
}

// mostCursors is how many goroutines may read at a time, each from a cursor of its own.
const mostCursors = 256

// officialGetMore reads the next batch of a cursor into structs. The cursors have no end, and are kept.
func officialGetMore(p *peers) func() error {
	ctx := context.Background()
	idle := make(chan *official.Cursor, mostCursors)
	return func() error {
		cursor, err := takeOrOpen(idle, func() (*official.Cursor, error) { return p.officialCollection().Aggregate(ctx, officialbson.A{}) })
		if err != nil {
			return err
		}
		for range getMoreDocuments {
			var u benchUser
			if !cursor.Next(ctx) {
				return cursor.Err()
			}
			if err := cursor.Decode(&u); err != nil {
				return err
			}
		}
		idle <- cursor
		return nil
	}
}

func onionGetMore(p *peers) func() error {
	ctx := context.Background()
	idle := make(chan *mongo.Cursor, mostCursors)
	return func() error {
		cursor, err := takeOrOpen(idle, func() (*mongo.Cursor, error) { return p.onionCollection().Aggregate(ctx, bson.A{}) })
		if err != nil {
			return err
		}
		for range getMoreDocuments {
			var u benchUser
			if !cursor.Next(ctx) {
				return cursor.Err()
			}
			if err := cursor.Decode(&u); err != nil {
				return err
			}
		}
		idle <- cursor
		return nil
	}
}

// takeOrOpen takes from the channel what is there, and opens something new if there is nothing.
func takeOrOpen[T any](idle chan T, open func() (T, error)) (T, error) {
	select {
	case v := <-idle:
		return v, nil
	default:
		return open()
	}
}
