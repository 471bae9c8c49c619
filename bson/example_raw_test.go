package bson_test

import (
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// sample is a document with values of many types.
func sample() bson.Raw {
	raw, err := bson.Marshal(bson.Doc(
		"name", "Ada", "age", 36, "score", 9.5, "admin", true, "tags", bson.A{"x", "y"}, "address", bson.Doc("city", "London"),
		"id", bson.ObjectID{0x65}, "born", bson.DateTime(0), "photo", bson.Binary{Subtype: bsontype.BinaryGeneric, Data: []byte("jpg")},
		"match", bson.Regex{Pattern: "^a", Options: "i"}, "at", bson.Timestamp{T: 7, I: 1}, "visits", int64(1)<<40,
	))
	if err != nil {
		fmt.Println(err)
	}
	return raw
}

func ExampleRaw_Elements() {
	elements, err := sample().Elements()
	fmt.Println(len(elements), elements[0].Key, elements[0].Value, err)
	// Output: 12 name "Ada" <nil>
}

func ExampleRaw_Values() {
	values, err := sample().Values()
	fmt.Println(values[1], err)
	// Output: 36 <nil>
}

func ExampleRaw_Index() {
	raw := sample()
	e, ok := raw.Index(raw.Len() - 1)
	fmt.Println(e.Key, e.Value, ok)
	// Output: visits 1099511627776 true
}

func ExampleRawArray_All() {
	tags, _ := sample().Lookup("tags").ArrayOK()
	for i, tag := range tags.All() {
		fmt.Println(i, tag)
	}
	last, ok := tags.Index(tags.Len() - 1)
	fmt.Println(last, ok, tags.Validate())
	// Output:
	// 0 "x"
	// 1 "y"
	// "y" true <nil>
}

func ExampleRawValue() {
	doc := sample()
	name, ok := doc.Lookup("name").StringOK()
	fmt.Println(name, ok)
	_, ok = doc.Lookup("name").Int32OK()
	fmt.Println(ok)
	city, ok := doc.Lookup("address").DocumentOK()
	fmt.Println(city, ok)
	subtype, data, ok := doc.Lookup("photo").BinaryOK()
	fmt.Println(subtype, string(data), ok)
	pattern, options, ok := doc.Lookup("match").RegexOK()
	fmt.Println(pattern, options, ok)
	t, i, ok := doc.Lookup("at").TimestampOK()
	fmt.Println(t, i, ok)
	born, ok := doc.Lookup("born").TimeOK()
	fmt.Println(born, ok)
	// Output:
	// Ada true
	// false
	// {"city":"London"} true
	// 0 jpg true
	// ^a i true
	// 7 1 true
	// 1970-01-01 00:00:00 +0000 UTC true
}

func ExampleRawValue_AsInt64OK() {
	doc := sample()
	fmt.Println(doc.Lookup("age").AsInt64OK())
	fmt.Println(doc.Lookup("visits").AsInt64OK())
	fmt.Println(doc.Lookup("score").AsInt64OK())
	fmt.Println(doc.Lookup("score").AsFloat64OK())
	fmt.Println(doc.Lookup("score").AsBoolOK())
	// Output:
	// 36 true
	// 1099511627776 true
	// 0 false
	// 9.5 true
	// true true
}

func ExampleRawValue_Equal() {
	a, b := sample(), sample()
	fmt.Println(a.Lookup("tags").Equal(b.Lookup("tags")), a.Lookup("tags").Equal(b.Lookup("name")))
	fmt.Println(a.Lookup("missing").IsZero(), a.Lookup("name").IsNull())
	// Output:
	// true false
	// true false
}

func ExampleRawValue_Validate() {
	v := bson.RawValue{Type: bsontype.Int32, Value: []byte{1, 2}}
	fmt.Println(v.Validate())
	// Output: bson: the int is cut off or states a wrong length (at byte 0)
}

func ExampleAppendValue() {
	t, value, err := bson.AppendValue(nil, []string{"a"})
	fmt.Println(bson.RawValue{Type: t, Value: value}, err)
	// Output: ["a"] <nil>
}

func ExampleAppendRawValueElement() {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendRawValueElement(dst, "copy", sample().Lookup("tags"))
	dst = bson.AppendDocumentElement(dst, "inner", bson.Raw("\x05\x00\x00\x00\x00"))
	fmt.Println(bson.Raw(bson.AppendDocumentEnd(dst, start)))
	// Output: {"copy":["x","y"],"inner":{}}
}

func ExampleD_MarshalJSON() {
	out, err := bson.Doc("b", 1, "a", bson.ObjectID{0xab}).MarshalJSON()
	fmt.Println(string(out), err)
	// Output: {"b":1,"a":"ab0000000000000000000000"} <nil>
}

func ExampleBinary_Equal() {
	a := bson.Binary{Subtype: 0, Data: []byte("x")}
	fmt.Println(a.Equal(bson.Binary{Subtype: 0, Data: []byte("x")}), a.Equal(bson.Binary{Subtype: 5, Data: []byte("x")}), a.IsZero())
	// Output: true false false
}
