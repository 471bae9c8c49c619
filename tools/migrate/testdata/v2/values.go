package shop

import (
	"bytes"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func ids(s string) (bson.ObjectID, error) {
	id := bson.NewObjectID()
	if id.IsZero() || id == bson.NilObjectID {
		return bson.NilObjectID, nil
	}
	fmt.Println(id.Hex(), id.Timestamp(), id.String())
	return bson.ObjectIDFromHex(s)
}

func values() bson.D {
	d, _ := bson.ParseDecimal128("1.5")
	return bson.D{
		{"date", bson.NewDateTimeFromTime(time.Now())},
		{Key: "binary", Value: bson.Binary{Subtype: 0x80, Data: []byte{1}}},
		{"regex", bson.Regex{Pattern: "^a", Options: "i"}},
		{"timestamp", bson.Timestamp{T: 1, I: 2}},
		{"decimal", d},
		{"null", bson.Null{}},
		{"code", bson.JavaScript("1")},
		{"min", bson.MinKey{}},
		{"array", bson.A{1, "two", bson.M{"three": 3}}},
	}
}

func marshal(v any) ([]byte, error) {
	data, err := bson.Marshal(v)
	if err != nil {
		return nil, err
	}
	var m bson.M
	if err := bson.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	return data, nil
}

func extJSON(v any) (string, error) {
	data, err := bson.MarshalExtJSON(v, true, false)
	if err != nil {
		return "", err
	}
	var d bson.D
	return string(data), bson.UnmarshalExtJSON(data, true, &d)
}

func raw(r bson.Raw) error {
	elements, err := r.Elements()
	if err != nil {
		return err
	}
	for _, e := range elements {
		fmt.Println(e.Key(), e.Value().Type)
		if e.Value().Type == bson.TypeString {
			fmt.Println(e.Value().StringValue())
		}
	}
	v, err := r.LookupErr("a", "b")
	if err != nil {
		return err
	}
	if n, ok := v.Int32OK(); ok {
		fmt.Println(n, v.IsNumber())
	}
	fmt.Println(r.Lookup("n").Int64(), r.Lookup("id").ObjectID(), r.Lookup("s").Document())
	return r.Validate()
}

func elementAt(r bson.Raw, i uint) (string, error) {
	e, err := r.IndexErr(0)
	if err != nil {
		return "", err
	}
	second, _ := r.IndexErr(i + 1)
	fmt.Println(second, r.Index(i).Key())
	if key, err := e.KeyErr(); err == nil && key != "" {
		v, err := e.ValueErr()
		if err != nil || v.Type != bson.TypeString {
			return "", err
		}
		return v.StringValue(), nil
	}
	return e.KeyErr()
}

func itemAt(a bson.RawArray) (bson.RawValue, error) {
	first := a.Index(0)
	if second, _ := a.IndexErr(1); second.IsNumber() {
		return first, nil
	}
	return a.IndexErr(2)
}

func keyOnly(e bson.RawElement) (key string) {
	key, _ = e.KeyErr()
	name, _ := e.KeyErr()
	return key + name
}

func encoders() error {
	var buf bytes.Buffer
	return bson.NewEncoder(bson.NewDocumentWriter(&buf)).Encode(bson.D{})
}
