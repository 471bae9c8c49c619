package shop

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/big"
	"net/netip"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type account struct {
	ID      bson.ObjectID         `bson:"_id"`
	Balance *big.Int              `bson:"balance"`
	Rates   map[string][]*big.Rat `bson:"rates"`
	From    netip.Addr
	Skipped netip.Prefix `bson:"-"`
	Since   time.Time    `bson:"since"`
}

func printsDocuments(raw bson.Raw, d bson.D, id bson.ObjectID) string {
	log.Printf("found %v for %v", raw, id)
	log.Printf("and %v", raw.Lookup("a").Type)
	fmt.Println(d)
	return raw.String() + raw.Lookup("a").String()
}

type ledger struct {
	Total   big.Int
	Entries []entry
}

type entry struct{ Peer netip.AddrPort }

type unstored struct{ Total big.Int }

func storeLedger(ctx context.Context, c *mongo.Collection, l ledger, u unstored) error {
	_, err := c.InsertOne(ctx, l)
	return errors.Join(err, errors.New(u.Total.String()))
}
