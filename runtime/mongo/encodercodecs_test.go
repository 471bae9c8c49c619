package mongo_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// celsius is stored as tenths of a degree by the rules of these tests.
type celsius float64

func newTenthsCodecs(t *testing.T, more ...bson.Codec) *bson.Codecs {
	t.Helper()
	codecs, err := bson.NewCodecs(append(more, bson.NewCodec(
		func(c celsius) (int32, error) { return int32(c * 10), nil },
		func(n int32) (celsius, error) { return celsius(n) / 10, nil }))...)
	if err != nil {
		t.Fatal(err)
	}
	return codecs
}

type reading struct {
	ID   int32 `bson:"_id"`
	Temp celsius
	At   time.Time
}

func connectWith(t *testing.T, o *options.Client) *mongo.Client {
	t.Helper()
	deployment, err := mongotest.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { deployment.Close() })
	client, err := mongo.Connect(t.Context(), deployment.URI(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(context.Background()) })
	return client
}

// The codecs of a client apply to its documents, filters, updates and results.
func TestCodecsOfAClientApplyToItsDocuments(t *testing.T) {
	ctx := t.Context()
	client := connectWith(t, &options.Client{Codecs: newTenthsCodecs(t, bson.AnyAs[int64](bsontype.Int32))})
	readings := client.Database("shop").Collection("readings")
	at := time.UnixMilli(1000).UTC()
	if result, err := readings.InsertOne(ctx, reading{1, 21.5, at}); err != nil || result.InsertedID != int64(1) {
		t.Fatalf("%+v, %v", result, err)
	}
	if _, err := readings.InsertMany(ctx, []reading{{2, 5, at}, {3, 7, at}}); err != nil {
		t.Fatal(err)
	}
	if _, err := readings.UpdateOne(ctx, bson.Doc("temp", celsius(5)), bson.Doc("$set", bson.Doc("temp", celsius(6.5)))); err != nil {
		t.Fatal(err)
	}
	var one reading
	if err := readings.FindOne(ctx, bson.Doc("temp", celsius(21.5))).Decode(&one); err != nil || one.Temp != 21.5 {
		t.Errorf("%+v, %v", one, err)
	}
	var raw bson.D
	if err := readings.FindOne(ctx, bson.Doc("_id", 1)).Decode(&raw); err != nil || fmt.Sprint(raw[1].Value) != "215" ||
		reflect.TypeOf(raw[1].Value) != reflect.TypeFor[int64]() {
		t.Errorf("%v, %v", raw, err)
	}
	cursor, err := readings.Aggregate(ctx, bson.A{bson.Doc("$match", bson.Doc("temp", bson.Doc("$gt", celsius(6)))),
		bson.Doc("$sort", bson.Doc("_id", 1))})
	if err != nil {
		t.Fatal(err)
	}
	all, err := mongo.All[reading](ctx, cursor)
	if want := []reading{{1, 21.5, at}, {2, 6.5, at}, {3, 7, at}}; err != nil || !reflect.DeepEqual(all, want) {
		t.Errorf("%+v, %v, want %+v", all, err, want)
	}
}

// The innermost codecs win. Codecs in Marshal and Unmarshal come first, for their direction.
func TestCodecsAreInherited(t *testing.T) {
	whole := func() *bson.Codecs {
		codecs, err := bson.NewCodecs(bson.NewCodec(
			func(c celsius) (string, error) { return fmt.Sprintf("%g C", c), nil }, func(string) (celsius, error) { return -1, nil }))
		if err != nil {
			t.Fatal(err)
		}
		return codecs
	}()
	tests := map[string]struct {
		client     *options.Client
		database   *options.Database
		collection *options.Collection
		want       any // what is stored
	}{
		"none":                  {&options.Client{}, nil, nil, 2.5},
		"client":                {&options.Client{Codecs: newTenthsCodecs(t)}, nil, nil, int32(25)},
		"database":              {&options.Client{Codecs: newTenthsCodecs(t)}, &options.Database{Codecs: whole}, nil, "2.5 C"},
		"collection":            {&options.Client{Codecs: whole}, nil, &options.Collection{Codecs: newTenthsCodecs(t)}, int32(25)},
		"marshal of the client": {&options.Client{Codecs: newTenthsCodecs(t), Marshal: &bson.MarshalOptions{Codecs: whole}}, nil, nil, "2.5 C"},
		"marshal of the client is not that of the parent's codecs": {
			&options.Client{Codecs: newTenthsCodecs(t)}, nil, &options.Collection{Marshal: &bson.MarshalOptions{NilSliceAsEmpty: true}}, int32(25)},
		"options of the parent stay": {
			&options.Client{Marshal: &bson.MarshalOptions{IntMinSize: true}, Codecs: whole}, nil, &options.Collection{Codecs: newTenthsCodecs(t)}, int32(25)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			client := connectWith(t, tt.client)
			c := client.Database("shop", tt.database).Collection("readings", tt.collection)
			if _, err := c.InsertOne(t.Context(), bson.D{{Key: "temp", Value: celsius(2.5)}, {Key: "n", Value: int64(3)}, {Key: "list", Value: []int(nil)}}); err != nil {
				t.Fatal(err)
			}
			plain := client.Database("shop", &options.Database{Unmarshal: &bson.UnmarshalOptions{}}).Collection("readings")
			var doc bson.M
			if err := plain.FindOne(t.Context(), bson.D{}).Decode(&doc); err != nil || doc["temp"] != tt.want {
				t.Errorf("%v, %v, want %v", doc, err, tt.want)
			}
			if _, short := doc["n"].(int32); short != (name == "options of the parent stay") {
				t.Errorf("n is a %T", doc["n"])
			}
			if null := doc["list"] == nil; null == (name == "marshal of the client is not that of the parent's codecs") {
				t.Errorf("list is a %T", doc["list"])
			}
		})
	}
}

// A collection's codecs also decode types that the client's codecs would decode otherwise. Other options of decoding
// stay.
func TestCodecsOfACollectionReadItsDocuments(t *testing.T) {
	hundredths, err := bson.NewCodecs(bson.NewCodec(
		func(c celsius) (int32, error) { return int32(c * 100), nil },
		func(n int32) (celsius, error) { return celsius(n) / 100, nil }))
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]*options.Client{
		"of the client":          {Codecs: newTenthsCodecs(t)},
		"for one direction":      {Codecs: newTenthsCodecs(t), Unmarshal: &bson.UnmarshalOptions{DefaultDocument: bson.DocumentM}},
		"for the other":          {Codecs: newTenthsCodecs(t), Marshal: &bson.MarshalOptions{IntMinSize: true}},
		"of nothing but writing": {Marshal: &bson.MarshalOptions{Codecs: newTenthsCodecs(t)}},
	} {
		t.Run(name, func(t *testing.T) {
			c := connectWith(t, o).Database("shop").Collection("readings", &options.Collection{Codecs: hundredths})
			if _, err := c.InsertOne(t.Context(), bson.Doc("temp", int32(250), "inner", bson.D{})); err != nil {
				t.Fatal(err)
			}
			var got struct {
				Temp  celsius
				Inner any
			}
			if err := c.FindOne(t.Context(), bson.D{}).Decode(&got); err != nil || got.Temp != 2.5 {
				t.Errorf("%+v, %v", got, err)
			}
			if _, isMap := got.Inner.(bson.M); isMap != (name == "for one direction") {
				t.Errorf("a document becomes a %T", got.Inner)
			}
		})
	}
}

// Options that hold values of the program, such as a comment, are encoded like its documents.
func TestCodecsApplyToOptions(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t))
	c := client.Database("shop").Collection("readings", &options.Collection{Codecs: newTenthsCodecs(t)})
	if _, err := c.DeleteOne(t.Context(), bson.D{}, &options.DeleteOne{Comment: celsius(2.5)}); err != nil {
		t.Fatal(err)
	}
	if got, ok := r.commands("delete")[0].Command.Lookup("comment").Int32OK(); got != 25 || !ok {
		t.Errorf("the comment is %v", got)
	}
	db := client.Database("shop", &options.Database{Codecs: newTenthsCodecs(t)})
	if _, err := db.ListCollectionNames(t.Context(), bson.D{}, &options.ListCollections{Comment: celsius(2.5)}); err != nil {
		t.Fatal(err)
	}
	if got, ok := r.commands("listCollections")[0].Command.Lookup("comment").Int32OK(); got != 25 || !ok {
		t.Errorf("the comment of a database is %v", got)
	}
}
