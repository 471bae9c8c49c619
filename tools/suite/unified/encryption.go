package unified

import (
	"context"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// ClientEncryption is a clientEncryption entity.
type ClientEncryption struct {
	run *Run
	e   *mongo.ClientEncryption
}

// ClientEncryption makes a clientEncryption entity, whose keys the client reads and writes.
func (c *Client) ClientEncryption(o *options.ClientEncryption) *ClientEncryption {
	c.run.t.Helper()
	k := c.run.fillKMS(o.KMSProviders)
	o.KMSProviders, o.TLSConfig, o.KMSConnectCallback = k.providers, k.tls, k.connect
	e, err := mongo.NewClientEncryption(c.client, o)
	c.run.must(err, "make an object for explicit encryption")
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	c.run.encryptions = append(c.run.encryptions, e)
	return &ClientEncryption{run: c.run, e: e}
}

// setAutoEncryption makes a client encrypt automatically.
func (r *Run) setAutoEncryption(set *options.Client, o *options.AutoEncryption) {
	if o == nil {
		return
	}
	k := r.fillKMS(o.KMSProviders)
	o.KMSProviders, o.TLSConfig, o.KMSConnectCallback = k.providers, k.tls, k.connect
	set.AutoEncryption = (*mongo.AutoEncryption)(o)
}

func (e *ClientEncryption) do(name string, fn func(ctx context.Context) (actual, error)) *Result {
	return e.run.do(name, nil, 0, fn)
}

// CreateDataKey makes a data key.
func (e *ClientEncryption) CreateDataKey(kmsProvider string, o *options.DataKey) *Result {
	return e.do("createDataKey", func(ctx context.Context) (actual, error) {
		id, err := e.e.CreateDataKey(ctx, kmsProvider, optionList(o)...)
		return value(id), err
	})
}

// RewrapManyDataKey encrypts data keys again.
func (e *ClientEncryption) RewrapManyDataKey(filter any, o *options.RewrapManyDataKey) *Result {
	return e.do("rewrapManyDataKey", func(ctx context.Context) (actual, error) {
		r, err := e.e.RewrapManyDataKey(ctx, filter, optionList(o)...)
		if err != nil || r == nil {
			return actual{}, err
		}
		d := bson.D{}
		if r.BulkWriteResult != nil {
			d = bson.Doc("bulkWriteResult", bulkResult(r.BulkWriteResult).value)
		}
		return model(d), nil
	})
}

// DeleteKey deletes a data key.
func (e *ClientEncryption) DeleteKey(id bson.UUID) *Result {
	return e.do("deleteKey", func(ctx context.Context) (actual, error) { return deleteResult(e.e.DeleteKey(ctx, id)) })
}

// GetKey finds a data key.
func (e *ClientEncryption) GetKey(id bson.UUID) *Result {
	return e.do("getKey", func(ctx context.Context) (actual, error) { return readSingle(e.e.GetKey(ctx, id)) })
}

// GetKeys finds all data keys.
func (e *ClientEncryption) GetKeys() *Result {
	return e.do("getKeys", func(ctx context.Context) (actual, error) {
		cursor, err := e.e.GetKeys(ctx)
		return readAll(ctx, cursor, err)
	})
}

// GetKeyByAltName finds a data key by another name of it.
func (e *ClientEncryption) GetKeyByAltName(name string) *Result {
	return e.do("getKeyByAltName", func(ctx context.Context) (actual, error) {
		return readSingle(e.e.GetKeyByAltName(ctx, name))
	})
}

// AddKeyAltName gives a data key another name.
func (e *ClientEncryption) AddKeyAltName(id bson.UUID, name string) *Result {
	return e.do("addKeyAltName", func(ctx context.Context) (actual, error) {
		return readSingle(e.e.AddKeyAltName(ctx, id, name))
	})
}

// RemoveKeyAltName takes another name from a data key.
func (e *ClientEncryption) RemoveKeyAltName(id bson.UUID, name string) *Result {
	return e.do("removeKeyAltName", func(ctx context.Context) (actual, error) {
		return readSingle(e.e.RemoveKeyAltName(ctx, id, name))
	})
}

// Encrypt encrypts a value.
func (e *ClientEncryption) Encrypt(v any, o *options.Encrypt) *Result {
	return e.do("encrypt", func(ctx context.Context) (actual, error) {
		got, err := e.e.Encrypt(ctx, v, optionList(o)...)
		return value(got), err
	})
}

// EncryptExpression encrypts the bounds of an expression.
func (e *ClientEncryption) EncryptExpression(expression any, o *options.Encrypt) *Result {
	return e.do("encryptExpression", func(ctx context.Context) (actual, error) {
		got, err := e.e.EncryptExpression(ctx, expression, optionList(o)...)
		if err != nil {
			return actual{}, err
		}
		return document(got), nil
	})
}

// Decrypt decrypts a value.
func (e *ClientEncryption) Decrypt(v any) *Result {
	return e.do("decrypt", func(ctx context.Context) (actual, error) {
		encrypted, ok := v.(bson.Binary)
		if !ok {
			return actual{}, fmt.Errorf("%s is no encrypted value", text(v))
		}
		got, err := e.e.Decrypt(ctx, encrypted)
		return actual{value: got}, err
	})
}

// CreateEncryptedCollection creates a collection, and data keys for its fields.
func (e *ClientEncryption) CreateEncryptedCollection(d *Database, name, kmsProvider string, masterKey any,
	o *options.CreateCollection) *Result {
	x := e.do("createEncryptedCollection", func(ctx context.Context) (actual, error) {
		_, fields, err := e.e.CreateEncryptedCollection(ctx, d.db, name, kmsProvider, masterKey, optionList(o)...)
		if err != nil {
			return actual{}, err
		}
		return document(fields), nil
	})
	x.made = d.Collection(name)
	return x
}

// optionList returns the list of options for a call that may do without.
func optionList[T any](o *T) []*T {
	if o == nil {
		return nil
	}
	return []*T{o}
}
