package main

import (
	"context"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
)

// tasks prepare what one goroutine does.
var tasks = map[string]func(context.Context, *mongo.Client) (func() error, error){
	"findOne":     findOne,
	"insertOne":   insertOne,
	"updateOne":   updateOne,
	"getMore":     getMore,
	"transaction": transaction,
	"insertMany":  insertMany,
	"to struct":   toStruct,
	"from struct": fromStruct,
	"walk":        walk,
}

type person struct {
	ID   int32  `bson:"_id"`
	Name string `bson:"name"`
	Age  int32  `bson:"age"`
}

type newPerson struct {
	Name string `bson:"name"`
	Age  int32  `bson:"age"`
}

func people(client *mongo.Client) *mongo.Collection {
	return client.Database("bench").Collection("users")
}

func find(ctx context.Context, client *mongo.Client) error {
	var p person
	return people(client).FindOne(ctx, bson.D{{Key: "_id", Value: int32(7)}}).Decode(&p)
}

func insert(ctx context.Context, client *mongo.Client) error {
	_, err := people(client).InsertOne(ctx, newPerson{"Grace Hopper", 45})
	return err
}

func findOne(ctx context.Context, client *mongo.Client) (func() error, error) {
	return func() error { return find(ctx, client) }, nil
}

func insertOne(ctx context.Context, client *mongo.Client) (func() error, error) {
	return func() error { return insert(ctx, client) }, nil
}

func updateOne(ctx context.Context, client *mongo.Client) (func() error, error) {
	return func() error {
		_, err := people(client).UpdateOne(ctx, bson.D{{Key: "_id", Value: int32(7)}},
			bson.D{{Key: "$set", Value: bson.D{{Key: "age", Value: int32(37)}}}})
		return err
	}, nil
}

// getMore reads a cursor whose batches have one document each.
func getMore(ctx context.Context, client *mongo.Client) (func() error, error) {
	cursor, err := people(client).Aggregate(ctx, bson.A{})
	if err != nil {
		return nil, err
	}
	return func() error {
		if !cursor.Next(ctx) {
			return fmt.Errorf("the cursor has ended: %w", cursor.Err())
		}
		return nil
	}, nil
}

// transaction has three commands: an insert, a read and the commit.
func transaction(ctx context.Context, client *mongo.Client) (func() error, error) {
	work := func(ctx context.Context, s *mongo.Session) error {
		if err := s.StartTransaction(); err != nil {
			return err
		}
		if err := insert(ctx, client); err != nil {
			return err
		}
		if err := find(ctx, client); err != nil {
			return err
		}
		return s.CommitTransaction(ctx)
	}
	return func() error { return client.UseSession(ctx, work) }, nil
}

func insertMany(ctx context.Context, client *mongo.Client) (func() error, error) {
	many := make([]newPerson, 100)
	for i := range many {
		many[i] = newPerson{"Grace Hopper", int32(i)}
	}
	return func() error {
		_, err := people(client).InsertMany(ctx, many)
		return err
	}, nil
}

// order is a document with what documents have: nesting, lists and values of several types.
type order struct {
	ID    int64     `bson:"_id"`
	Buyer person    `bson:"buyer"`
	Items []item    `bson:"items"`
	Notes []string  `bson:"notes"`
	Rates []float64 `bson:"rates"`
	Paid  bool      `bson:"paid"`
}

type item struct {
	Name  string `bson:"name"`
	Count int32  `bson:"count"`
	Price int64  `bson:"price"`
}

func newOrder() order {
	o := order{ID: 1, Buyer: person{7, "Ada Lovelace", 36},
		Notes: []string{"fragile", "ring twice"}, Rates: []float64{0.5, 0.25}, Paid: true}
	for i := range 20 {
		o.Items = append(o.Items, item{"a thing with a name", int32(i), int64(i) << 33})
	}
	return o
}

func toStruct(context.Context, *mongo.Client) (func() error, error) {
	data, err := bson.Marshal(newOrder())
	return func() error {
		var o order
		return bson.Unmarshal(data, &o)
	}, err
}

func fromStruct(context.Context, *mongo.Client) (func() error, error) {
	o := newOrder()
	return func() error {
		_, err := bson.Marshal(o)
		return err
	}, nil
}

func walk(context.Context, *mongo.Client) (func() error, error) {
	data, err := bson.Marshal(newOrder())
	return func() error { return bson.Raw(data).Validate() }, err
}
