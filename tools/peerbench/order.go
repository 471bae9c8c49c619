package main

import (
	"time"

	official "go.mongodb.org/mongo-driver/v2/bson"

	"github.com/specdrivers/onion/bson"
)

// bsongen prints order_bson.go, the methods of Order and of its parts: straight code for each field in both directions, which makes it
// long. It stays one file, because functions are linked in the order of files, and their places in the program move short tasks by some
// percent: a split would make the history's figures incomparable.

//go:generate go run github.com/specdrivers/onion/tools/bsongen -type Order

// Order is a struct of 21 fields, typical of an application, with methods that bsongen writes.
type Order struct {
	ID        bson.ObjectID `bson:"_id"`
	Number    string        `bson:"number"`
	Customer  Customer      `bson:"customer"`
	Lines     []Line        `bson:"lines"`
	Tags      []string      `bson:"tags"`
	Total     float64       `bson:"total"`
	Tax       float64       `bson:"tax"`
	Currency  string        `bson:"currency"`
	Status    string        `bson:"status"`
	Paid      bool          `bson:"paid"`
	Gift      bool          `bson:"gift"`
	Priority  int32         `bson:"priority"`
	Version   int64         `bson:"version"`
	Weight    float64       `bson:"weight"`
	Created   time.Time     `bson:"created"`
	Updated   time.Time     `bson:"updated"`
	Note      string        `bson:"note"`
	Channel   string        `bson:"channel"`
	Coupon    *string       `bson:"coupon"`
	Warehouse int32         `bson:"warehouse"`
	Revision  int64         `bson:"revision"`
}

// Customer is the embedded document of an Order.
type Customer struct {
	Name    string `bson:"name"`
	Email   string `bson:"email"`
	Street  string `bson:"street"`
	City    string `bson:"city"`
	Country string `bson:"country"`
	Points  int32  `bson:"points"`
}

// Line is an element of an Order.
type Line struct {
	SKU   string  `bson:"sku"`
	Title string  `bson:"title"`
	Qty   int32   `bson:"qty"`
	Price float64 `bson:"price"`
}

// plainOrder is Order without methods, for the plan that package bson compiles at run time.
type plainOrder struct {
	ID        bson.ObjectID `bson:"_id"`
	Number    string        `bson:"number"`
	Customer  plainCustomer `bson:"customer"`
	Lines     []plainLine   `bson:"lines"`
	Tags      []string      `bson:"tags"`
	Total     float64       `bson:"total"`
	Tax       float64       `bson:"tax"`
	Currency  string        `bson:"currency"`
	Status    string        `bson:"status"`
	Paid      bool          `bson:"paid"`
	Gift      bool          `bson:"gift"`
	Priority  int32         `bson:"priority"`
	Version   int64         `bson:"version"`
	Weight    float64       `bson:"weight"`
	Created   time.Time     `bson:"created"`
	Updated   time.Time     `bson:"updated"`
	Note      string        `bson:"note"`
	Channel   string        `bson:"channel"`
	Coupon    *string       `bson:"coupon"`
	Warehouse int32         `bson:"warehouse"`
	Revision  int64         `bson:"revision"`
}

type plainCustomer Customer

type plainLine Line

// officialOrder is Order for the official driver, which has its own ObjectID.
type officialOrder struct {
	ID        official.ObjectID `bson:"_id"`
	Number    string            `bson:"number"`
	Customer  plainCustomer     `bson:"customer"`
	Lines     []plainLine       `bson:"lines"`
	Tags      []string          `bson:"tags"`
	Total     float64           `bson:"total"`
	Tax       float64           `bson:"tax"`
	Currency  string            `bson:"currency"`
	Status    string            `bson:"status"`
	Paid      bool              `bson:"paid"`
	Gift      bool              `bson:"gift"`
	Priority  int32             `bson:"priority"`
	Version   int64             `bson:"version"`
	Weight    float64           `bson:"weight"`
	Created   time.Time         `bson:"created"`
	Updated   time.Time         `bson:"updated"`
	Note      string            `bson:"note"`
	Channel   string            `bson:"channel"`
	Coupon    *string           `bson:"coupon"`
	Warehouse int32             `bson:"warehouse"`
	Revision  int64             `bson:"revision"`
}

// newOrder returns an order that encodes to about 900 bytes.
func newOrder() Order {
	id, _ := bson.ObjectIDFromHex("57e193d7a9cc81b4027498b5")
	coupon := "SPRING-2026"
	return Order{
		ID: id, Number: "2026-000451", Total: 129.95, Tax: 20.75, Currency: "EUR", Status: "shipped", Paid: true,
		Priority: 2, Version: 7, Weight: 3.25, Note: "leave it with the neighbour on the left", Channel: "web",
		Coupon: &coupon, Warehouse: 12, Revision: 1 << 40,
		Customer: Customer{"Ada Lovelace", "ada@example.com", "12 St James's Square", "London", "GB", 1815},
		Lines: []Line{
			{"A-1001", "analytical engine, small", 1, 99.95}, {"A-1002", "punched cards", 20, 0.5},
			{"B-7", "oil", 1, 10}, {"C-3", "manual", 1, 10},
		},
		Tags:    []string{"new", "priority", "export"},
		Created: time.UnixMilli(1767225600123).UTC(), Updated: time.UnixMilli(1767312000456).UTC(),
	}
}
