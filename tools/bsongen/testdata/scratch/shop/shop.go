// Package shop has a struct field of every form that bsongen knows.
package shop

import (
	"errors"
	"math/big"
	"net/url"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
)

//go:generate go run github.com/specdrivers/onion/tools/bsongen -type Order,Page,Tree,Bag,Shelf -output shop_bson.go

// Status is a string type.
type Status string

// Level is an integer type with text methods, which encode nothing but can be decoded from.
type Level int32

// MarshalText is not used for encoding.
func (l Level) MarshalText() ([]byte, error) { return []byte(strings.Repeat("i", int(l))), nil }

// UnmarshalText counts.
func (l *Level) UnmarshalText(text []byte) error {
	*l = Level(len(text))
	return nil
}

// Money encodes itself as a string.
type Money struct{ Cents int64 }

// AppendBSONValue implements bson.ValueAppender.
func (m Money) AppendBSONValue(dst []byte) (bson.Type, []byte, error) {
	return 0x12, append(dst, byte(m.Cents), byte(m.Cents>>8), 0, 0, 0, 0, 0, 0), nil
}

// DecodeBSONValue implements bson.ValueDecoder.
func (m *Money) DecodeBSONValue(v bson.RawValue) error {
	n, ok := v.Int64OK()
	if !ok {
		return errors.New("not money")
	}
	m.Cents = n
	return nil
}

// IsZero is asked by omitempty.
func (m Money) IsZero() bool { return m.Cents == 0 }

// Base is inlined and embedded.
type Base struct {
	ID      bson.ObjectID `bson:"_id"`
	Created time.Time
	Version int `bson:"version,omitempty"`
}

// Audit is inlined by pointer.
type Audit struct {
	By   string    `bson:"by"`
	At   time.Time `bson:"at"`
	Note *string   `bson:"note,omitempty"`
}

// Address is an embedded document.
type Address struct {
	Street, City string
	Zip          Status    `bson:"zip,omitempty"`
	Geo          []float64 `bson:"geo"`
}

// Item is an element of lists and maps.
type Item struct {
	SKU    string            `bson:"sku"`
	Qty    int               `bson:"qty"`
	Price  float64           `bson:"price"`
	Labels map[string]string `bson:"labels,omitempty"`
	Sub    []Item            `bson:"sub,omitempty"`
}

// Pair is generic.
type Pair[K comparable, V any] struct {
	Key   K
	Value V
	List  []V
	More  map[string]V
}

// Page is generic and named for generation itself.
type Page[T any] struct {
	Items []T `bson:"items"`
	First *T  `bson:"first,omitempty"`
	Size  int `bson:"size,omitzero"`
}

// Tree contains itself.
type Tree struct {
	Name     string
	Left     *Tree                `bson:"left,omitempty"`
	Children []*Tree              `bson:"children"`
	Named    map[string]Tree      `bson:"named,omitempty"`
	Deep     [][]map[Status]*Tree `bson:"deep"`
}

// Inner has no tags at all, and is promoted into Outer, which nobody names.
type Inner struct{ A int }

// Bag takes every element.
type Bag struct {
	Name string
	Rest map[string]any `bson:",inline"`
}

// Shelf takes items under any name, by way of a pointer.
type Shelf struct {
	Label  string
	*Index `bson:",inline"`
}

// Index is the rest of a Shelf.
type Index struct {
	Count int
	Items map[Status]Item `bson:",inline"`
}

// Outer embeds a struct that gets methods.
type Outer struct {
	Item
	Extra string
}

// Order has a bit of everything.
type Order struct {
	Base   `bson:",inline"`
	*Audit `bson:",inline"`

	Bool    bool
	Int8    int8
	Int16   int16
	Int32   int32
	Int64   int64
	Int     int
	Uint8   uint8
	Uint16  uint16
	Uint32  uint32
	Uint64  uint64
	Uint    uint
	Float32 float32
	Float64 float64
	String  string `bson:"a \"quoted\" name"`
	Bytes   []byte
	Runes   []rune
	Small   int64  `bson:"small,minsize"`
	Count   uint32 `bson:"count,minsize,omitempty"`
	Loose   int32  `bson:"loose,truncate"`
	Skipped string `bson:"-"`
	hidden  string
	Tagged  string `json:"other"`

	Status   Status
	Statuses []Status `bson:"statuses,omitempty"`
	Level    Level
	Money    Money  `bson:"money,omitempty"`
	Tip      *Money `bson:"tip,omitempty"`
	Costs    []Money

	PtrInt   *int
	PtrStr   *string    `bson:"ptrstr,omitempty"`
	PtrTime  *time.Time `bson:"ptrtime,omitzero"`
	PtrPtr   **int
	PtrList  *[]string `bson:"ptrlist,omitempty"`
	PtrMap   *map[string]int
	Address  Address
	Shipping *Address `bson:"shipping,omitempty"`
	Items    []Item   `bson:"items"`
	ByName   map[string]Item
	Counts   map[Status]int64 `bson:"counts,omitempty"`
	ByID     map[int]string
	Matrix   [][]float64
	Pointers []*Item
	Array    [3]int32
	ID16     [16]byte
	Anything any
	List     []any

	OID      bson.ObjectID
	OIDs     []bson.ObjectID `bson:"oids,omitempty"`
	Date     bson.DateTime
	Stamp    bson.Timestamp
	Dec      bson.Decimal128
	Doc      bson.D
	Map      bson.M
	Bin      bson.Binary
	UUID     bson.UUID `bson:"uuid,omitempty"`
	URL      url.URL
	Big      *big.Int
	Pause    time.Duration
	Times    []time.Time
	Anon     struct{ X, Y int }
	Numbers  Pair[string, int64]
	Pages    Page[Item]          `bson:"pages"`
	Optional Page[*string]       `bson:"optional,omitempty"`
	OmitZ    struct{ X float64 } `bson:"omitz,omitzero"`
	OmitF    float64             `bson:"omitf,omitzero"`
	Tree     Tree
}
