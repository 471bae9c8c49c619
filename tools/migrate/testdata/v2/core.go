//go:build go1.21

package shop

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/address"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
)

func coreDocument(doc bsoncore.Document) (string, bool) {
	first := doc.Index(0)
	value := doc.Lookup("name")
	if value.Type != bsoncore.TypeString || len(value.Data) == 0 {
		return first.Key(), false
	}
	return value.StringValueOK()
}

func coreBuilder() bsoncore.Document {
	list := bsoncore.NewArrayBuilder().AppendInt32(1).AppendString("two").Build()
	return bsoncore.NewDocumentBuilder().AppendString("name", "Ada").AppendArray("list", list).
		StartDocument("inner").AppendTimestamp("at", 1, 2).FinishDocument().Build()
}

func coreAppend() []byte {
	idx, dst := bsoncore.AppendDocumentStart(nil)
	dst = bsoncore.AppendStringElement(dst, "name", "Ada")
	dst, err := bsoncore.AppendDocumentEnd(dst, idx)
	if err != nil {
		return nil
	}
	return bsoncore.BuildDocument(nil, bsoncore.AppendInt32Element(nil, "age", 36), dst)
}

func coreMissing(doc bson.Raw) bool {
	_, err := doc.LookupErr("name")
	return err == bsoncore.ErrElementNotFound
}

func driverError(err error) bool { return err == driver.ErrDeadlineWouldBeExceeded }

func twoParts(v bson.RawValue) (byte, []byte, uint32) {
	subtype, data := v.Binary()
	t, _ := v.Timestamp()
	return subtype, data, t
}

func positionalError() error { return mongo.ErrMapForOrderedArgument{"hint"} }

func positionalTime() bson.Timestamp { return bson.Timestamp{1, 2} }

func defaults() *options.ClientOptions { return options.Client().SetAppName("shop") }

func onDefaults() *options.ClientOptions {
	return defaults().SetRetryWrites(false).SetMaxAdaptiveRetries(1)
}

func assigned(c *options.Collation) { c.Locale, c.Strength = "de", 2 }

func upserted(r *mongo.BulkWriteResult, i int64) any { return r.UpsertedIDs[i] }

func codeIn(err error, code int) bool {
	for _, c := range mongo.ErrorCodes(err) {
		if c == code {
			return true
		}
	}
	return false
}

func listSearchIndexes(ctx context.Context, view mongo.SearchIndexView) (*mongo.Cursor, error) {
	name := options.SearchIndexes().SetName("text")
	if _, err := view.List(ctx, nil); err != nil {
		return nil, err
	}
	return view.List(ctx, name)
}

func appendInfo(client *mongo.Client) { client.AppendDriverInfo(options.DriverInfo{Name: "shop"}) }

func kinds(e *event.TopologyDescriptionChangedEvent) []string {
	var all []string
	for _, s := range e.NewDescription.Servers {
		all = append(all, s.Kind, s.Addr.String())
	}
	return all
}

func host(a address.Address) string { return a.String() }

func chunk() int32 { return mongo.DefaultGridFSChunkSize }

func coreValues(dst []byte, list []bsoncore.Value) []byte {
	dst = bsoncore.AppendInt32(dst, 1)
	dst = bsoncore.AppendBinary(dst, 4, []byte("a"))
	dst = bsoncore.AppendDecimal128(dst, 1, 2)
	dst = bsoncore.AppendDecimal128Element(dst, "price", 1, 2)
	dst = bsoncore.AppendKey(bsoncore.AppendType(dst, bsoncore.TypeString), "name")
	return bsoncore.BuildArray(bsoncore.AppendString(dst, "Ada"), list...)
}

func coreNested(list ...[]byte) []byte {
	dst := bsoncore.BuildArrayElement(nil, "list", bsoncore.Value{Type: bsoncore.TypeNull})
	return bsoncore.BuildDocumentElement(dst, "inner", list...)
}
