package bson_test

import (
	"fmt"
	"log"
	"math/big"
	"net/netip"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// A codec through bson.UUID turns another package's UUID, such as google/uuid's, into binary data of subtype 4.
func ExampleNewCodec_uuid() {
	type UUID [16]byte // uuid.UUID
	codecs, err := bson.NewCodecs(bson.NewCodec(
		func(id UUID) (bson.UUID, error) { return bson.UUID(id), nil },
		func(id bson.UUID) (UUID, error) { return UUID(id), nil },
	))
	if err != nil {
		log.Fatal(err)
	}
	type Device struct{ ID UUID }
	raw, err := bson.Marshal(Device{UUID{0xC8, 15: 0xA3}}, &bson.MarshalOptions{Codecs: codecs})
	if err != nil {
		log.Fatal(err)
	}
	var back Device
	if err := bson.Unmarshal(raw, &back, &bson.UnmarshalOptions{Codecs: codecs}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(raw)
	fmt.Printf("%x", back.ID)
	// Output:
	// {"id":{"$binary":{"base64":"yAAAAAAAAAAAAAAAAAAAow==","subType":"04"}}}
	// c80000000000000000000000000000a3
}

// A decimal type, such as shopspring's, becomes a Decimal128, with which the server can calculate.
func ExampleNewCodec_decimal() {
	type Decimal struct { // decimal.Decimal: value * 10^exponent
		Value    *big.Int
		Exponent int
	}
	codecs, err := bson.NewCodecs(bson.NewCodec(
		func(d Decimal) (bson.Decimal128, error) { return bson.Decimal128FromBigInt(d.Value, d.Exponent) },
		func(d bson.Decimal128) (Decimal, error) {
			value, exponent, err := d.BigInt()
			return Decimal{value, exponent}, err
		},
	))
	if err != nil {
		log.Fatal(err)
	}
	raw, err := bson.Marshal(bson.Doc("price", Decimal{big.NewInt(1995), -2}), &bson.MarshalOptions{Codecs: codecs})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(raw)
	// Output: {"price":{"$numberDecimal":"19.95"}}
}

// A big.Int is an integer or a Decimal128 as long as it fits. Where it may be longer, and must sort as text does, a codec
// makes it a string of fixed length.
func ExampleNewCodec_bigInt() {
	codecs, err := bson.NewCodecs(bson.NewCodec(
		func(n big.Int) (string, error) { return fmt.Sprintf("%078d", &n), nil }, // 256 bits
		func(s string) (n big.Int, err error) {
			if _, ok := n.SetString(s, 10); !ok {
				err = fmt.Errorf("%q is not a number", s)
			}
			return n, err
		},
	))
	if err != nil {
		log.Fatal(err)
	}
	type Account struct{ Wei *big.Int }
	raw, err := bson.Marshal(Account{big.NewInt(42)}, &bson.MarshalOptions{Codecs: codecs})
	if err != nil {
		log.Fatal(err)
	}
	var back Account
	if err := bson.Unmarshal(raw, &back, &bson.UnmarshalOptions{Codecs: codecs}); err != nil {
		log.Fatal(err)
	}
	wei, _ := raw.Lookup("wei").StringOK()
	fmt.Println(len(wei), back.Wei)
	// Output: 78 42
}

// A netip.Addr is an encoding.TextMarshaler and becomes a string without a codec. As 16 bytes it takes less space, and
// addresses sort by number.
func ExampleNewCodec_netip() {
	codecs, err := bson.NewCodecs(bson.NewCodec(
		func(a netip.Addr) ([]byte, error) { b := a.As16(); return b[:], nil },
		func(b []byte) (netip.Addr, error) {
			a, ok := netip.AddrFromSlice(b)
			if !ok {
				return a, fmt.Errorf("%d bytes are not an address", len(b))
			}
			return a.Unmap(), nil
		},
	))
	if err != nil {
		log.Fatal(err)
	}
	type Visit struct{ From netip.Addr }
	raw, err := bson.Marshal(Visit{netip.MustParseAddr("192.0.2.1")}, &bson.MarshalOptions{Codecs: codecs})
	if err != nil {
		log.Fatal(err)
	}
	var back Visit
	if err := bson.Unmarshal(raw, &back, &bson.UnmarshalOptions{Codecs: codecs}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(raw)
	fmt.Println(back.From)
	// Output:
	// {"from":{"$binary":{"base64":"AAAAAAAAAAAAAP//wAACAQ==","subType":"00"}}}
	// 192.0.2.1
}

// A BSON date has no time zone and decodes as UTC. A codec puts the times of a client into the zone of its users.
func ExampleNewCodec_timeZone() {
	tokyo := time.FixedZone("JST", 9*60*60) // or time.LoadLocation("Asia/Tokyo")
	codecs, err := bson.NewCodecs(
		bson.NewCodec(
			func(t time.Time) (bson.DateTime, error) { return bson.NewDateTimeFromTime(t), nil },
			func(d bson.DateTime) (time.Time, error) { return d.Time().In(tokyo), nil },
		),
		bson.AnyAs[time.Time](bsontype.DateTime), // in documents without a Go type, too
	)
	if err != nil {
		log.Fatal(err)
	}
	raw, err := bson.Marshal(bson.Doc("opens", time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)))
	if err != nil {
		log.Fatal(err)
	}
	var shop struct{ Opens time.Time }
	var doc bson.M
	for _, target := range []any{&shop, &doc} {
		if err := bson.Unmarshal(raw, target, &bson.UnmarshalOptions{Codecs: codecs}); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(shop.Opens)
	fmt.Println(doc["opens"])
	// Output:
	// 2026-04-01 09:00:00 +0900 JST
	// 2026-04-01 09:00:00 +0900 JST
}

func ExampleAnyAs() {
	codecs, err := bson.NewCodecs(bson.AnyAs[bson.M](bsontype.EmbeddedDocument), bson.AnyAs[[]byte](bsontype.Binary))
	if err != nil {
		log.Fatal(err)
	}
	raw, err := bson.Marshal(bson.Doc("thumbnail", []byte{1, 2}, "size", bson.Doc("width", 3)))
	if err != nil {
		log.Fatal(err)
	}
	var image bson.M
	if err := bson.Unmarshal(raw, &image, &bson.UnmarshalOptions{Codecs: codecs}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%T %T", image["thumbnail"], image["size"])
	// Output: []uint8 bson.M
}

func ExampleJSONTags() {
	codecs, err := bson.NewCodecs(bson.JSONTags())
	if err != nil {
		log.Fatal(err)
	}
	type Product struct {
		SKU   string `json:"sku"`
		Stock int    `json:"in_stock"`
	}
	raw, err := bson.Marshal(Product{"A-1", 3}, &bson.MarshalOptions{Codecs: codecs})
	fmt.Println(raw, err)
	// Output: {"sku":"A-1","in_stock":3} <nil>
}
