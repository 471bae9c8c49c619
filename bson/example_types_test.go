package bson_test

import (
	"fmt"
	"math/big"

	"github.com/specdrivers/onion/bson"
)

func ExampleObjectID() {
	id, err := bson.ObjectIDFromHex("57e193d7a9cc81b4027498b5")
	fmt.Println(id.Hex(), id.Timestamp(), err)
	a, b := bson.NewObjectID(), bson.NewObjectID()
	fmt.Println(a == b)
	// Output:
	// 57e193d7a9cc81b4027498b5 2016-09-20 19:53:59 +0000 UTC <nil>
	// false
}

func ExampleParseDecimal128() {
	price, err := bson.ParseDecimal128("19.90")
	fmt.Println(price, err)
	coeff, exp, err := price.BigInt()
	fmt.Println(coeff, exp, err)
	_, err = bson.ParseDecimal128("1E-6177")
	fmt.Println(err)
	// Output:
	// 19.90 <nil>
	// 1990 -2 <nil>
	// bson: "1E-6177" underflows Decimal128
}

func ExampleDecimal128FromBigInt() {
	d, err := bson.Decimal128FromBigInt(big.NewInt(-150), -2)
	fmt.Println(d, err)
	// Output: -1.50 <nil>
}

func ExampleUUID() {
	u, err := bson.ParseUUID("00112233-4455-6677-8899-aabbccddeeff")
	fmt.Println(u, err)
	legacy, err := u.Binary(bson.UUIDJavaLegacy)
	fmt.Printf("%d %x %v\n", legacy.Subtype, legacy.Data, err)
	back, err := legacy.AsUUID(bson.UUIDJavaLegacy)
	fmt.Println(back == u, err)
	// Output:
	// 00112233-4455-6677-8899-aabbccddeeff <nil>
	// 3 7766554433221100ffeeddccbbaa9988 <nil>
	// true <nil>
}

func ExampleVector() {
	doc := struct{ Embedding bson.Vector }{bson.NewFloat32Vector([]float32{0.5, -1})}
	raw, err := bson.Marshal(doc)
	if err != nil {
		fmt.Println(err)
	}
	var back struct{ Embedding bson.Vector }
	err = bson.Unmarshal(raw, &back)
	numbers, ok := back.Embedding.Float32OK()
	fmt.Println(back.Embedding.Type(), numbers, ok, err)
	// Output: FLOAT32 [0.5 -1] true <nil>
}

func ExampleNewBitVector() {
	v := bson.NewBitVector([]bool{true, false, true, true})
	data, padding, ok := v.PackedBitOK()
	fmt.Printf("%08b %d %t\n", data, padding, ok)
	// Output: [10110000] 4 true
}

func ExampleDBRef() {
	order := bson.Doc("customer", bson.DBRef{Ref: "customers", ID: 7, DB: "shop"})
	text, err := bson.MarshalExtJSON(order, false)
	fmt.Println(string(text), err)
	// Output: {"customer":{"$ref":"customers","$id":7,"$db":"shop"}} <nil>
}

func ExampleParseCiphertext() {
	c := bson.Ciphertext{Algorithm: bson.EncryptedRandomized, OriginalType: 0x02, Data: []byte{1, 2, 3}}
	stored, err := c.Binary()
	if err != nil {
		fmt.Println(err)
	}
	back, err := bson.ParseCiphertext(stored.Data)
	fmt.Println(stored.Subtype, back.OriginalType, back.Data, err)
	// Output: 6 string [1 2 3] <nil>
}

func ExampleReader() {
	doc, err := bson.Marshal(bson.Doc("a", 1, "b", "x"))
	if err != nil {
		fmt.Println(err)
	}
	r := bson.NewReader(doc)
	for r.Next() {
		fmt.Println(r.Key(), r.Value())
	}
	fmt.Println(r.Err())
	// Output:
	// a 1
	// b "x"
	// <nil>
}
