package shop

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/tag"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

func readWhole(r io.Reader) (bson.Raw, error) { return bson.ReadDocument(r) }

func readPrefix(data []byte) (int32, bool) {
	n, _, ok := bsoncore.ReadLength(data)
	return n, ok
}

func indented(v any, to *bytes.Buffer) ([]byte, error) {
	if err := bson.IndentExtJSON(to, []byte(`{"a": 1}`), "", " "); err != nil {
		return nil, err
	}
	return bson.MarshalExtJSONIndent(v, true, false, "", "  ")
}

func dbPointer(v bson.RawValue) (string, bson.ObjectID) {
	if ns, id, ok := v.DBPointerOK(); ok {
		return ns, id
	}
	return v.DBPointer()
}

func vectorParts(v bson.Vector) string {
	if v.Type() == bson.Float32Vector {
		return fmt.Sprint(v.Float32())
	}
	bits, padding := v.PackedBit()
	return fmt.Sprint(v.Int8(), bits, padding, v.Type())
}

func coreID(id bson.ObjectID) []byte { return bsoncore.AppendObjectIDElement(nil, "_id", id) }

// ownLister is options of the program's own.
type ownLister struct{ n int64 }

// List returns the functions that set the options.
func (l *ownLister) List() []func(*options.FindOptions) error {
	return []func(*options.FindOptions) error{func(o *options.FindOptions) error { o.Limit = &l.n; return nil }}
}

func findsWithOwn(coll *mongo.Collection, list []options.Lister[options.FindOptions]) error {
	var last options.Lister[options.FindOptions]
	last = &ownLister{1}
	list = append(list, &ownLister{2}, last)
	_, err := coll.Find(nil, bson.D{}, append(list, options.Find())...)
	if err == nil {
		_, err = coll.Find(nil, bson.D{}, &ownLister{3}, options.Find().SetSkip(1))
	}
	return err
}

func returnsOwn() options.Lister[options.FindOptions] { return &ownLister{4} }

func bucketSpan() *options.TimeSeriesOptionsBuilder {
	return options.TimeSeries().SetTimeField("at").SetBucketMaxSpan(time.Hour).SetBucketRounding(time.Hour)
}

func sortsByMap() mongo.Pipeline {
	_ = bson.A{bson.M{"$sort": bson.M{"a": 1, "b": 1}}, bson.M{"$sort": bson.M{"a": 1}}}
	_ = options.Find().SetMin(bson.M{"a": 1, "b": 2})
	return mongo.Pipeline{{{"$sort", bson.M{"n": 1, "_id": 1}}}, {{Key: "$sort", Value: map[string]int{"n": 1, "_id": 1}}}}
}

func asksForURI(uri string) string { return options.Client().ApplyURI(uri).GetURI() }

func zstdLevel() *options.ClientOptions { return options.Client().SetZstdLevel(3) }

func taggedEast(set tag.Set) bool { return set.Contains("dc", "east") }

func decodesTwice(first, second io.Reader, reg *bson.Registry, out any) error {
	dec := bson.NewDecoder(bson.NewDocumentReader(first))
	dec.SetRegistry(reg)
	if err := dec.Decode(out); err != nil {
		return err
	}
	dec = bson.NewDecoder(bson.NewDocumentReader(second))
	dec.SetRegistry(noRegistry())
	return dec.Decode(out)
}

func noRegistry() *bson.Registry { return nil }
