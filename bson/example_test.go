package bson_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

func ExampleMarshal() {
	type User struct {
		Name  string    `bson:"name"`
		Email string    `bson:"email,omitempty"`
		Born  time.Time `bson:"born"`
		Tags  []string  `bson:"tags"`
	}
	raw, err := bson.Marshal(User{Name: "Ada", Born: time.UnixMilli(0), Tags: []string{"math"}})
	fmt.Println(raw, err)
	// Output: {"name":"Ada","born":{"$date":"1970-01-01T00:00:00Z"},"tags":["math"]} <nil>
}

func ExampleUnmarshal() {
	raw, _ := bson.Marshal(bson.Doc("name", "Ada", "address", bson.Doc("city", "London")))
	var user struct {
		Name    string
		Address struct{ City string }
	}
	err := bson.Unmarshal(raw, &user)
	fmt.Println(user.Name, user.Address.City, err)
	// Output: Ada London <nil>
}

func ExampleUnmarshal_error() {
	raw, _ := bson.Marshal(bson.Doc("orders", bson.A{bson.Doc("price", "free")}))
	var customer struct{ Orders []struct{ Price int } }
	err := bson.Unmarshal(raw, &customer)
	fmt.Println(err)
	if e, ok := errors.AsType[*bson.DecodeError](err); ok {
		fmt.Println(e.Path)
	}
	// Output:
	// bson: orders.0.price: cannot store string in int (at byte 30)
	// orders.0.price
}

func ExampleUnmarshalOptions() {
	raw, _ := bson.Marshal(bson.Doc("address", bson.Doc("city", "London")))
	var v any
	err := bson.Unmarshal(raw, &v, &bson.UnmarshalOptions{DefaultDocument: bson.DocumentM})
	fmt.Println(v.(bson.M)["address"].(bson.M)["city"], err)
	// Output: London <nil>
}

func ExampleMarshalOptions() {
	type User struct {
		Name string `json:"name"`
		Tags []string
	}
	raw, err := bson.Marshal(User{Name: "Ada"}, &bson.MarshalOptions{UseJSONStructTags: true, NilSliceAsEmpty: true})
	fmt.Println(raw, err)
	// Output: {"name":"Ada","tags":[]} <nil>
}

func ExampleMarshalAppend() {
	var buf []byte
	for _, name := range []string{"Ada", "Grace"} {
		var err error
		if buf, err = bson.MarshalAppend(buf[:0], bson.Doc("name", name)); err != nil {
			fmt.Println(err)
		}
		fmt.Println(len(buf), bson.Raw(buf))
	}
	// Output:
	// 19 {"name":"Ada"}
	// 21 {"name":"Grace"}
}

func ExampleDoc() {
	fmt.Println(bson.Doc("age", bson.Doc("$gt", 30)))
	// Output: {"age":{"$gt":30}}
}

func ExampleD_Lookup() {
	name, ok := bson.Doc("name", "Ada").Lookup("name")
	fmt.Println(name, ok)
	// Output: Ada true
}

func ExampleRaw_All() {
	raw, _ := bson.Marshal(bson.Doc("name", "Ada", "age", 36))
	for key, value := range raw.All() {
		fmt.Println(key, value.Type, value)
	}
	// Output:
	// name string "Ada"
	// age int 36
}

func ExampleRaw_Lookup() {
	raw, _ := bson.Marshal(bson.Doc("cursor", bson.Doc("firstBatch", bson.A{bson.Doc("n", 1), bson.Doc("n", 2)})))
	n, ok := raw.Lookup("cursor", "firstBatch", "1", "n").Int32OK()
	fmt.Println(n, ok, raw.Lookup("cursor", "id").IsZero())
	// Output: 2 true true
}

func ExampleRaw_LookupErr() {
	raw, _ := bson.Marshal(bson.Doc("a", bson.Doc("b", 1)))
	_, err := raw.LookupErr("a", "c")
	fmt.Println(err, errors.Is(err, bson.ErrNotFound))
	// Output: bson: a.c: no such element true
}

func ExampleRaw_Validate() {
	raw := bson.Raw("\x0c\x00\x00\x00\x08on\x00\x02\x00\x00\x00")
	fmt.Println(raw.Validate())
	// Output: bson: on: a bool is neither 0 nor 1 (at byte 8)
}

func ExampleRawValue_Unmarshal() {
	raw, _ := bson.Marshal(bson.Doc("tags", bson.A{"a", "b"}))
	var tags []string
	err := raw.Lookup("tags").Unmarshal(&tags)
	fmt.Println(tags, err)
	// Output: [a b] <nil>
}

func ExampleAppendDocumentStart() {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendStringElement(dst, "hello", "world")
	dst, tags := bson.AppendArrayElementStart(dst, "tags")
	dst = append(bson.AppendArrayIndexHeader(dst, bsontype.Boolean, 0), 1)
	dst = bson.AppendDocumentEnd(dst, tags)
	dst = bson.AppendDocumentEnd(dst, start)
	fmt.Println(bson.Raw(dst))
	// Output: {"hello":"world","tags":[true]}
}

func ExampleAppendValueElement() {
	dst, start := bson.AppendDocumentStart(nil)
	dst, err := bson.AppendValueElement(dst, "hint", []string{"a", "b"})
	fmt.Println(bson.Raw(bson.AppendDocumentEnd(dst, start)), err)
	// Output: {"hint":["a","b"]} <nil>
}

func ExampleEncoder() {
	var stream bytes.Buffer
	enc := bson.NewEncoder(&stream)
	fmt.Println(enc.Encode(bson.Doc("n", 1)), enc.Encode(bson.Doc("n", 2)))

	dec := bson.NewDecoder(&stream)
	for {
		var doc struct{ N int }
		if err := dec.Decode(&doc); err == io.EOF {
			break
		} else if err != nil {
			fmt.Println(err)
		}
		fmt.Println(doc.N)
	}
	// Output:
	// <nil> <nil>
	// 1
	// 2
}

// Celsius is a type that chooses its own BSON form.
type Celsius float64

// AppendBSONValue writes the temperature as whole Kelvin.
func (c Celsius) AppendBSONValue(dst []byte) (bsontype.Type, []byte, error) {
	return bson.AppendValue(dst, int32(c+273))
}

// DecodeBSONValue reads it back.
func (c *Celsius) DecodeBSONValue(v bson.RawValue) error {
	kelvin, ok := v.AsInt64OK()
	if !ok {
		return fmt.Errorf("%v is not a temperature", v.Type)
	}
	*c = Celsius(kelvin - 273)
	return nil
}

func ExampleValueAppender() {
	raw, err := bson.Marshal(map[string]Celsius{"t": 20})
	fmt.Println(raw, err)
	var back map[string]Celsius
	fmt.Println(bson.Unmarshal(raw, &back), back)
	// Output:
	// {"t":293} <nil>
	// <nil> map[t:20]
}

func ExampleTimestamp_Compare() {
	a, b := bson.Timestamp{T: 5, I: 1}, bson.Timestamp{T: 5, I: 2}
	fmt.Println(a.Compare(b), b.After(a), a.Before(b))
	// Output: -1 true true
}

func ExampleDateTime_Time() {
	d := bson.NewDateTimeFromTime(time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC))
	fmt.Println(int64(d), d.Time())
	// Output: 1714979289000 2024-05-06 07:08:09 +0000 UTC
}
