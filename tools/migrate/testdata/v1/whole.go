package shop

import (
	"bytes"
	"reflect"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/bsonrw"
	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/tag"
	"go.mongodb.org/mongo-driver/x/mongo/driver"
)

func readsWhole(data []byte) (bson.Raw, error) { return bson.NewFromIOReader(bytes.NewReader(data)) }

func textAppended(v any) ([]byte, error) {
	return bson.MarshalExtJSONAppend([]byte("doc "), v, false, false)
}

// grade is stored as a text.
type grade int

type gradeCodec struct{}

func (gradeCodec) EncodeValue(_ bsoncodec.EncodeContext, w bsonrw.ValueWriter, v reflect.Value) error {
	return w.WriteString(string(rune('a' + v.Int())))
}

func (gradeCodec) DecodeValue(_ bsoncodec.DecodeContext, r bsonrw.ValueReader, v reflect.Value) error {
	text, err := r.ReadString()
	if err == nil {
		v.SetInt(int64(text[0] - 'a'))
	}
	return err
}

func gradeRegistry() *bsoncodec.Registry {
	return bson.NewRegistryBuilder().RegisterCodec(reflect.TypeOf(grade(0)), gradeCodec{}).Build()
}

func kindOfError(err error) string {
	switch e := err.(type) {
	case mongo.CommandError:
		return e.Name
	case driver.Error:
		return e.Message
	case mongo.WriteException, driver.WriteCommandError:
		return "write"
	}
	return ""
}

func taggedEast(sets []tag.Set) bool { return len(sets) > 0 && sets[0].Contains("dc", "east") }
