package shop

import (
	"reflect"
	"time"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/bsonrw"
	"go.mongodb.org/mongo-driver/bson/bsontype"
	"go.mongodb.org/mongo-driver/mongo/options"
)

type month time.Month

func encodeMonth(_ bsoncodec.EncodeContext, vw bsonrw.ValueWriter, val reflect.Value) error {
	return vw.WriteInt32(int32(val.Int()))
}

func decodeMonth(_ bsoncodec.DecodeContext, vr bsonrw.ValueReader, val reflect.Value) error {
	n, err := vr.ReadInt32()
	val.SetInt(int64(n))
	return err
}

func registryOfMonths() *bsoncodec.Registry {
	return bson.NewRegistryBuilder().
		RegisterTypeEncoder(reflect.TypeOf(month(0)), bsoncodec.ValueEncoderFunc(encodeMonth)).
		RegisterTypeDecoder(reflect.TypeOf(month(0)), bsoncodec.ValueDecoderFunc(decodeMonth)).
		RegisterTypeMapEntry(bsontype.EmbeddedDocument, reflect.TypeOf(bson.M{})).
		Build()
}

func months(m month) (data []byte, err error) {
	builder := bson.NewRegistryBuilder()
	builder.RegisterTypeEncoder(reflect.TypeOf(month(0)), bsoncodec.ValueEncoderFunc(encodeMonth))
	reg := builder.Build()
	if data, err = bson.MarshalWithRegistry(reg, bson.M{"month": m}); err != nil {
		return nil, err
	}
	var out struct{ Month month }
	return data, bson.UnmarshalWithRegistry(reg, data, &out)
}

var registryOfTime = bson.NewRegistryBuilder().RegisterTypeMapEntry(bsontype.DateTime, reflect.TypeOf(time.Time{})).Build()

func registryInOptions(uri string) *options.ClientOptions {
	return options.Client().ApplyURI(uri).SetRegistry(bson.NewRegistryBuilder().
		RegisterTypeMapEntry(bsontype.DateTime, reflect.TypeOf(time.Time{})).Build())
}
