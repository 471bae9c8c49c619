package shop

import (
	"context"
	"reflect"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

type cents int64

func lateVariables(scale int64) *bson.Registry {
	reg := bson.NewRegistry()
	t := reflect.TypeOf(cents(0))
	factor := scale * 100
	reg.RegisterTypeEncoder(t, bson.ValueEncoderFunc(func(_ bson.EncodeContext, vw bson.ValueWriter, v reflect.Value) error {
		return vw.WriteInt64(v.Int() * factor)
	}))
	reg.RegisterTypeDecoder(t, bson.ValueDecoderFunc(func(_ bson.DecodeContext, vr bson.ValueReader, v reflect.Value) error {
		n, err := vr.ReadInt64()
		v.SetInt(n / factor)
		return err
	}))
	return reg
}

func readsBetween(use func(*bson.Registry)) *bson.Registry {
	reg := bson.NewRegistry()
	factor := int64(100)
	use(reg)
	reg.RegisterTypeEncoder(reflect.TypeFor[cents](), bson.ValueEncoderFunc(
		func(_ bson.EncodeContext, vw bson.ValueWriter, v reflect.Value) error {
			return vw.WriteInt64(v.Int() * factor)
		}))
	return reg
}

func connectsWith(uri string) (*mongo.Client, error) {
	reg := bson.NewRegistry()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_ = ctx
	return mongo.Connect(options.Client().ApplyURI(uri).SetRegistry(reg))
}
