package guide_test

import (
	"fmt"
	"log"
	"math/big"
	"net/netip"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/options"
)

type money struct{ cents int64 }

func Example_codec() {
	codecs, err := bson.NewCodecs(
		bson.NewCodec(
			func(m money) (int64, error) { return m.cents, nil },
			func(cents int64) (money, error) { return money{cents}, nil }),
		bson.NewCodec(
			func(a netip.Addr) (string, error) { return a.String(), nil },
			netip.ParseAddr),
		bson.AnyAs[time.Time](bsontype.DateTime),
	)
	if err != nil {
		log.Fatal(err)
	}
	ctx, client := connect(&options.Client{Codecs: codecs})
	defer client.Close(ctx)

	type payment struct {
		Price money
		From  netip.Addr
	}
	payments := client.Database("shop").Collection("payments")
	if _, err := payments.InsertOne(ctx, payment{money{1999}, netip.MustParseAddr("192.0.2.1")}); err != nil {
		log.Fatal(err)
	}
	var got payment
	err = payments.FindOne(ctx, bson.D{}).Decode(&got)
	fmt.Println(got, err)
	// Output: {{1999} 192.0.2.1} <nil>
}

func Example_bigInt() {
	codecs, err := bson.NewCodecs(bson.NewCodec(
		func(n big.Int) (bson.Decimal128, error) { return bson.Decimal128FromBigInt(&n, 0) },
		func(d bson.Decimal128) (big.Int, error) {
			n, exponent, err := d.BigInt()
			if err != nil {
				return big.Int{}, err
			}
			if exponent != 0 {
				return big.Int{}, fmt.Errorf("%v is not a whole number", d)
			}
			return *n, nil
		}))
	if err != nil {
		log.Fatal(err)
	}

	type coin struct{ Supply big.Int }
	data, err := bson.Marshal(coin{*big.NewInt(21_000_000)}, &bson.MarshalOptions{Codecs: codecs})
	fmt.Println(data, err)
	// Output: {"supply":{"$numberDecimal":"21000000"}} <nil>
}

func Example_tags() {
	type address struct {
		City string
	}
	type user struct {
		ID      bson.ObjectID `bson:"_id,omitempty"`
		Name    string
		Nick    string            `bson:"nick,omitempty"`
		Address address           `bson:",inline"`
		Extra   map[string]string `bson:"-"`
	}

	data, err := bson.Marshal(user{Name: "Ada", Address: address{"London"}})
	fmt.Println(data, err)
	// Output: {"name":"Ada","city":"London"} <nil>
}
