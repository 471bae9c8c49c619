package shop

import (
	"bytes"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

type celsius float64

func (c celsius) MarshalBSONValue() (byte, []byte, error) {
	t, data, err := bson.MarshalValue(float64(c))
	return byte(t), data, err
}

func (c *celsius) UnmarshalBSONValue(t byte, data []byte) error {
	return bson.UnmarshalValue(bson.Type(t), data, (*float64)(c))
}

type point struct{ x, y int }

func (p point) MarshalBSON() ([]byte, error) { return bson.Marshal(bson.D{{Key: "x", Value: p.x}}) }

func (p *point) UnmarshalBSON(data []byte) error {
	var d struct{ X int }
	err := bson.Unmarshal(data, &d)
	p.x = d.X
	return err
}

func encodeStream(buf *bytes.Buffer, v any) error {
	vw := bson.NewDocumentWriter(buf)
	enc := bson.NewEncoder(vw)
	enc.UseJSONStructTags()
	enc.NilMapAsEmpty()
	return enc.Encode(v)
}

func decodeStream(data []byte, v any) error {
	dec := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(data)))
	dec.DefaultDocumentM()
	return dec.Decode(v)
}

func decodeSwitched(data []byte, v any, local bool) error {
	dec := bson.NewDecoder(bson.NewDocumentReader(bytes.NewReader(data)))
	if local {
		dec.UseLocalTimeZone()
	}
	return dec.Decode(v)
}

func vectors() []any {
	return []any{bson.NewVector([]float32{1, 2}), bson.NewVector([]int8{3})}
}

func subtypes() []byte {
	return []byte{bson.TypeBinaryGeneric, bson.TypeBinaryUUID, bson.TypeBinaryEncrypted}
}

func rawValues(doc bson.Raw) (string, int32, int64, bool, time.Time) {
	return doc.Lookup("s").StringValue(), doc.Lookup("i").Int32(), doc.Lookup("l").AsInt64(), doc.Lookup("b").Boolean(), doc.Lookup("t").Time()
}

func rawValuesChecked(doc bson.Raw) (string, bool) {
	if s, ok := doc.Lookup("s").StringValueOK(); ok {
		return s, true
	}
	_, ok := doc.Lookup("i").Int32OK()
	return "", ok
}

func elements(doc bson.Raw) (keys []string, err error) {
	elems, err := doc.Elements()
	for _, e := range elems {
		keys = append(keys, e.Key()+e.Value().String())
	}
	return keys, err
}

func typesOf(v bson.RawValue) string {
	switch v.Type {
	case bson.TypeString, bson.TypeSymbol:
		return "text"
	case bson.TypeInt32, bson.TypeInt64, bson.TypeDouble, bson.TypeDecimal128:
		return "number"
	case bson.TypeEmbeddedDocument, bson.TypeArray:
		return "nested"
	}
	return "other"
}

func times(id bson.ObjectID) (time.Time, bson.DateTime, string) {
	return id.Timestamp(), bson.NewDateTimeFromTime(time.Now()), id.Hex()
}

func regexes(name string) bson.M {
	return bson.M{"name": bson.Regex{Pattern: "^" + name, Options: "i"}, "or": bson.A{bson.M{"$regex": name}}}
}

func extIndented(v any) (string, error) {
	data, err := bson.MarshalExtJSON(v, true, false)
	return string(data), err
}

func extDecoded(s string) (doc bson.D, err error) {
	err = bson.UnmarshalExtJSON([]byte(s), true, &doc)
	return doc, err
}
