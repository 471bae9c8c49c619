package shop

import (
	"fmt"
	"net/netip"
	"reflect"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

type cents struct{ n int64 }

var tCents = reflect.TypeOf(cents{})

func encodeCents(_ bson.EncodeContext, vw bson.ValueWriter, val reflect.Value) error {
	if !val.IsValid() || val.Type() != tCents {
		return bson.ValueEncoderError{Name: "encodeCents", Types: []reflect.Type{tCents}, Received: val}
	}
	return vw.WriteInt64(val.Interface().(cents).n)
}

func decodeCents(_ bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	switch vr.Type() {
	case bson.TypeInt64:
		n, err := vr.ReadInt64()
		if err != nil {
			return err
		}
		val.Set(reflect.ValueOf(cents{n}))
	case bson.TypeNull:
		return vr.ReadNull()
	default:
		return fmt.Errorf("cannot decode a %v", vr.Type())
	}
	return nil
}

type addrCodec struct{}

var _ bson.ValueEncoder = addrCodec{}

func (addrCodec) EncodeValue(_ bson.EncodeContext, vw bson.ValueWriter, val reflect.Value) error {
	return vw.WriteString(val.Interface().(netip.Addr).String())
}

func registry(uri string) (*mongo.Client, error) {
	reg := bson.NewRegistry()
	reg.RegisterTypeEncoder(tCents, bson.ValueEncoderFunc(encodeCents))
	reg.RegisterTypeDecoder(tCents, bson.ValueDecoderFunc(decodeCents))
	reg.RegisterTypeEncoder(reflect.TypeFor[netip.Addr](), addrCodec{})
	reg.RegisterTypeEncoder(reflect.TypeOf(time.Duration(0)), bson.ValueEncoderFunc(
		func(_ bson.EncodeContext, vw bson.ValueWriter, val reflect.Value) error {
			return vw.WriteString(time.Duration(val.Int()).String())
		}))
	reg.RegisterTypeMapEntry(bson.TypeEmbeddedDocument, reflect.TypeOf(bson.M{}))
	return mongo.Connect(options.Client().ApplyURI(uri).SetRegistry(reg))
}

func registryByKind() *bson.Registry {
	reg := bson.NewRegistry()
	for _, t := range []reflect.Type{tCents} {
		reg.RegisterTypeEncoder(t, bson.ValueEncoderFunc(encodeCents))
	}
	reg.RegisterKindDecoder(reflect.String, bson.ValueDecoderFunc(decodeCents))
	return reg
}

type tags map[string]bool

func decodeTags(_ bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	if val.IsNil() {
		val.Set(reflect.MakeMap(val.Type()))
	}
	tag, err := vr.ReadString()
	if err != nil {
		return err
	}
	val.SetMapIndex(reflect.ValueOf(tag), reflect.ValueOf(true))
	return nil
}

func decodeWhole(_ bson.DecodeContext, vr bson.ValueReader, val reflect.Value) error {
	if !val.CanSet() || val.Type() != tCents {
		return fmt.Errorf("cannot decode a %v", val.Type())
	}
	n, err := vr.ReadInt32()
	if err != nil {
		return err
	}
	val.Set(reflect.ValueOf(cents{int64(n)}))
	return nil
}

func registryOfTags() *bson.Registry {
	reg := bson.NewRegistry()
	reg.RegisterTypeDecoder(reflect.TypeOf(tags{}), bson.ValueDecoderFunc(decodeTags))
	reg.RegisterTypeDecoder(tCents, bson.ValueDecoderFunc(decodeWhole))
	return reg
}
