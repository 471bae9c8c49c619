package mongo

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
	"github.com/specdrivers/onion/runtime/internal/encrypt/key"
)

// CreateDataKey makes a data key, has the key management service encrypt it and stores it. It returns the key's id.
func (e *ClientEncryption) CreateDataKey(ctx context.Context, kmsProvider string, opts ...*options.DataKey) (bson.UUID, error) {
	if err := e.check(ctx); err != nil {
		return bson.UUID{}, err
	}
	o := mergeOptions(opts)
	if o == nil {
		o = &options.DataKey{}
	}
	doc := key.Document{ID: bson.NewUUID(), AltNames: o.KeyAltNames}
	if err := key.CheckAltNames(o.KeyAltNames); err != nil {
		return bson.UUID{}, encode.At(err, "creating a data key")
	}
	master, err := e.encodeMasterKey(o.MasterKey)
	if err != nil {
		return bson.UUID{}, err
	}
	material := aead.RandomKey()
	if o.KeyMaterial != nil {
		if material, err = aead.NewKey(o.KeyMaterial); err != nil {
			return bson.UUID{}, encode.At(err, "creating a data key: the key material")
		}
	}
	defer material.Wipe()
	ctx, cancel := e.boundContext(ctx)
	defer cancel()
	if doc.Material, doc.Master, err = e.kms.Wrap(ctx, kmsProvider, master, material); err != nil {
		return bson.UUID{}, encode.At(fault.PartOfEncryption(fault.ErrKMS, err), "creating a data key")
	}
	doc.Created = time.Now()
	doc.Updated = doc.Created
	if _, err := e.vault.InsertOne(ctx, doc.Raw()); err != nil {
		return bson.UUID{}, fault.PartOfEncryption(fault.ErrKeyVault, err)
	}
	return doc.ID, nil
}

// encodeMasterKey encodes the document of a master key; without one it is empty.
func (e *ClientEncryption) encodeMasterKey(given any) (bson.Raw, error) {
	if v := reflect.ValueOf(given); given == nil || (v.Kind() == reflect.Map || v.Kind() == reflect.Pointer) && v.IsNil() {
		return bson.EmptyDocument(), nil
	}
	return encode.Document(e.client.scope.marshal, "master key", given)
}

// RewrapManyDataKey encrypts the data keys that match a filter again, with the master key of the options or else each
// with its own. After an error, some of the keys may already have been rewrapped.
func (e *ClientEncryption) RewrapManyDataKey(ctx context.Context, filter any,
	opts ...*options.RewrapManyDataKey) (*RewrapManyDataKeyResult, error) {
	if err := e.check(ctx); err != nil {
		return nil, err
	}
	o := mergeOptions(opts)
	if o == nil {
		o = &options.RewrapManyDataKey{}
	}
	if o.Provider == nil && o.MasterKey != nil {
		return nil, errors.New("mongo: rewrapping data keys: MasterKey needs Provider: set both")
	}
	master, err := e.encodeMasterKey(o.MasterKey)
	if err != nil {
		return nil, err
	}
	ctx, cancel := e.boundContext(ctx)
	defer cancel()
	cursor, err := e.vault.Find(ctx, filter)
	if err != nil {
		return nil, fault.PartOfEncryption(fault.ErrKeyVault, err)
	}
	var found []bson.Raw
	if err := cursor.All(ctx, &found); err != nil {
		return nil, fault.PartOfEncryption(fault.ErrKeyVault, err)
	}
	var writes []WriteModel
	for _, raw := range found {
		write, err := e.rewrap(ctx, raw, o.Provider, master)
		if err != nil {
			return nil, encode.At(err, "rewrapping data keys")
		}
		writes = append(writes, write)
	}
	if len(writes) == 0 {
		return &RewrapManyDataKeyResult{}, nil
	}
	result, err := e.vault.BulkWrite(ctx, writes)
	return &RewrapManyDataKeyResult{BulkWriteResult: result}, fault.PartOfEncryption(fault.ErrKeyVault, err)
}

// rewrap is the update of one data key that is encrypted again.
func (e *ClientEncryption) rewrap(ctx context.Context, raw bson.Raw, provider *string, master bson.Raw) (WriteModel, error) {
	doc, err := key.Parse(raw)
	if err != nil {
		return nil, err
	}
	material, err := e.kms.Unwrap(ctx, doc.Master, doc.Material)
	if err != nil {
		return nil, fault.PartOfEncryption(fault.ErrKMS, err)
	}
	defer material.Wipe()
	if provider != nil {
		doc.Material, doc.Master, err = e.kms.Wrap(ctx, *provider, master, material)
	} else {
		doc.Material, doc.Master, err = e.kms.Rewrap(ctx, doc.Master, material)
	}
	if err != nil {
		return nil, fault.PartOfEncryption(fault.ErrKMS, err)
	}
	set := bson.Doc(encryption.FieldMasterKey, doc.Master, encryption.FieldKeyMaterial, doc.Material)
	return &UpdateOneModel{
		Filter: bson.Doc("_id", doc.ID),
		Update: bson.Doc("$set", set, "$currentDate", bson.Doc(encryption.FieldUpdateDate, true)),
	}, nil
}

// DeleteKey removes a data key from the key vault. Data that was encrypted with it can never be read again.
func (e *ClientEncryption) DeleteKey(ctx context.Context, id bson.UUID) (*DeleteResult, error) {
	if err := e.check(ctx); err != nil {
		return nil, err
	}
	return e.vault.DeleteOne(ctx, bson.Doc("_id", id))
}

// GetKey reads the document of a data key.
func (e *ClientEncryption) GetKey(ctx context.Context, id bson.UUID) *SingleResult {
	if err := e.check(ctx); err != nil {
		return &SingleResult{err: err}
	}
	return e.vault.FindOne(ctx, bson.Doc("_id", id))
}

// GetKeyByAltName reads the document of the data key that has an alternate name.
func (e *ClientEncryption) GetKeyByAltName(ctx context.Context, keyAltName string) *SingleResult {
	if err := e.check(ctx); err != nil {
		return &SingleResult{err: err}
	}
	return e.vault.FindOne(ctx, bson.Doc(encryption.FieldKeyAltNames, keyAltName))
}

// GetKeys reads the documents of all data keys.
func (e *ClientEncryption) GetKeys(ctx context.Context) (*Cursor, error) {
	if err := e.check(ctx); err != nil {
		return nil, err
	}
	return e.vault.Find(ctx, bson.D{})
}

// AddKeyAltName adds an alternate name to a data key. It returns the document of the key as it was before.
func (e *ClientEncryption) AddKeyAltName(ctx context.Context, id bson.UUID, keyAltName string) *SingleResult {
	if err := e.check(ctx); err != nil {
		return &SingleResult{err: err}
	}
	return e.vault.FindOneAndUpdate(ctx, bson.Doc("_id", id), bson.Doc("$addToSet", bson.Doc(encryption.FieldKeyAltNames, keyAltName)))
}

// RemoveKeyAltName removes an alternate name from a data key. It returns the document of the key as it was before.
//
// Removing the last name removes the whole field keyAltNames. Otherwise a unique index on the field would count the
// empty list.
func (e *ClientEncryption) RemoveKeyAltName(ctx context.Context, id bson.UUID, keyAltName string) *SingleResult {
	if err := e.check(ctx); err != nil {
		return &SingleResult{err: err}
	}
	rest := bson.Doc("$filter", bson.Doc("input", "$keyAltNames", "cond", bson.Doc("$ne", bson.A{"$$this", keyAltName})))
	only := bson.Doc("$eq", bson.A{"$keyAltNames", bson.A{keyAltName}})
	names := bson.Doc("$cond", bson.A{only, "$$REMOVE", rest})
	update := bson.A{bson.Doc("$set", bson.Doc(encryption.FieldKeyAltNames, names))}
	return e.vault.FindOneAndUpdate(ctx, bson.Doc("_id", id), update)
}
