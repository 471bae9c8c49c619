package mongo

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

// DeleteKey removes a data key from the key vault. What it encrypted can never be read again.
func (e *ClientEncryption) DeleteKey(ctx context.Context, id bson.UUID) (*DeleteResult, error) {
	return e.vault.DeleteOne(ctx, bson.Doc("_id", id))
}

// GetKey reads the document of a data key.
func (e *ClientEncryption) GetKey(ctx context.Context, id bson.UUID) *SingleResult {
	return e.vault.FindOne(ctx, bson.Doc("_id", id))
}

// GetKeyByAltName reads the document of the data key that has another name.
func (e *ClientEncryption) GetKeyByAltName(ctx context.Context, keyAltName string) *SingleResult {
	return e.vault.FindOne(ctx, bson.Doc("keyAltNames", keyAltName))
}

// GetKeys reads the documents of all data keys.
func (e *ClientEncryption) GetKeys(ctx context.Context) (*Cursor, error) {
	return e.vault.Find(ctx, bson.D{})
}

// AddKeyAltName gives a data key another name. It returns the document of the key as it was before.
func (e *ClientEncryption) AddKeyAltName(ctx context.Context, id bson.UUID, keyAltName string) *SingleResult {
	return e.vault.FindOneAndUpdate(ctx, bson.Doc("_id", id), bson.Doc("$addToSet", bson.Doc("keyAltNames", keyAltName)))
}

// RemoveKeyAltName takes another name away from a data key. It returns the document of the key as it was before.
//
// The list of names goes with its last name: a unique index on it would otherwise count the empty list.
func (e *ClientEncryption) RemoveKeyAltName(ctx context.Context, id bson.UUID, keyAltName string) *SingleResult {
	rest := bson.Doc("$filter", bson.Doc("input", "$keyAltNames", "cond", bson.Doc("$ne", bson.A{"$$this", keyAltName})))
	only := bson.Doc("$eq", bson.A{"$keyAltNames", bson.A{keyAltName}})
	names := bson.Doc("$cond", bson.A{only, "$$REMOVE", rest})
	update := bson.A{bson.Doc("$set", bson.Doc("keyAltNames", names))}
	return e.vault.FindOneAndUpdate(ctx, bson.Doc("_id", id), update, &options.FindOneAndUpdate{})
}
