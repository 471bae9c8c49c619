package store

import (
	"github.com/specdrivers/onion/bson"
)

// RecordID numbers the documents of a collection in insertion order.
type RecordID int64

// Record is a document with its RecordID. It is immutable: an update makes a new one.
type Record struct {
	ID  RecordID
	Doc bson.Raw
}
