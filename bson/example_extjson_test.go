package bson_test

import (
	"fmt"

	"github.com/specdrivers/onion/bson"
)

func ExampleMarshalExtJSON() {
	doc := bson.Doc("name", "Ada", "born", bson.NewDateTimeFromTime(bson.DateTime(0).Time()), "points", int64(1815))
	relaxed, err := bson.MarshalExtJSON(doc, false)
	fmt.Println(string(relaxed), err)
	canonical, err := bson.MarshalExtJSON(doc, true)
	fmt.Println(string(canonical), err)
	// Output:
	// {"name":"Ada","born":{"$date":"1970-01-01T00:00:00Z"},"points":1815} <nil>
	// {"name":"Ada","born":{"$date":{"$numberLong":"0"}},"points":{"$numberLong":"1815"}} <nil>
}

func ExampleUnmarshalExtJSON() {
	var user struct {
		ID   bson.ObjectID `bson:"_id"`
		Name string
		Tags []string
	}
	text := `{"_id": {"$oid": "57e193d7a9cc81b4027498b5"}, "name": "Ada", "tags": ["a", "b"]}`
	err := bson.UnmarshalExtJSON([]byte(text), false, &user)
	fmt.Println(user.ID.Hex(), user.Name, user.Tags, err)
	err = bson.UnmarshalExtJSON([]byte(`{"tags": [{"$oid": "57"}]}`), false, &user)
	fmt.Println(err)
	// Output:
	// 57e193d7a9cc81b4027498b5 Ada [a b] <nil>
	// bson: tags.0: "57" is not an ObjectID of 24 hexadecimal digits (at byte 19)
}

func ExampleExtJSONToRaw() {
	raw, err := bson.ExtJSONToRaw([]byte(`{"n": {"$numberDecimal": "1.50"}}`), true)
	fmt.Printf("%x %v\n", []byte(raw), err)
	// Output: 18000000136e0096000000000000000000000000003c3000 <nil>
}

func ExampleLegacyExtJSONToRaw() {
	raw, err := bson.LegacyExtJSONToRaw([]byte(`{"data": {"$binary": "AQI=", "$type": "80"}, "at": {"$date": 0}}`))
	fmt.Println(raw, err)
	// Output: {"data":{"$binary":{"base64":"AQI=","subType":"80"}},"at":{"$date":"1970-01-01T00:00:00Z"}} <nil>
}

func ExampleAppendExtJSON() {
	doc, start := bson.AppendDocumentStart(nil)
	doc = bson.AppendDocumentEnd(bson.AppendInt32Element(doc, "n", 1), start)
	line, err := bson.AppendExtJSON([]byte("inserted "), doc, true)
	fmt.Println(string(line), err)
	// Output: inserted {"n":{"$numberInt":"1"}} <nil>
}

func ExampleAppendExtJSONLimit() {
	doc, err := bson.Marshal(bson.Doc("a", 1, "b", 2, "c", 3))
	if err != nil {
		fmt.Println(err)
	}
	line, err := bson.AppendExtJSONLimit(nil, doc, false, 5)
	fmt.Println(string(line), err)
	// Output: {"a":1 <nil>
}

func ExampleIndentExtJSON() {
	out, err := bson.IndentExtJSON(nil, []byte(`{"a":[1,{}],"b":"c"}`), "", "  ")
	fmt.Println(string(out), err)
	// Output:
	// {
	//   "a": [
	//     1,
	//     {}
	//   ],
	//   "b": "c"
	// } <nil>
}
