package mongo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

// ClientEncryption makes and manages data keys, and encrypts and decrypts single values. It is safe for concurrent use.
type ClientEncryption struct {
	client *Client
	vault  *Collection
}

// NewClientEncryption makes a ClientEncryption whose data keys a client reads and writes. The client must not encrypt on
// its own; it stays the caller's to close.
func NewClientEncryption(keyVaultClient *Client, opts ...*options.ClientEncryption) (*ClientEncryption, error) {
	o := merged(opts)
	if o == nil || o.KeyVaultNamespace == nil {
		return nil, errors.New("mongo: client-side encryption needs a KeyVaultNamespace")
	}
	if keyVaultClient == nil {
		return nil, errors.New("mongo: client-side encryption needs a client for the key vault")
	}
	vault, err := keyVault(keyVaultClient, *o.KeyVaultNamespace, &options.Collection{Timeout: o.Timeout})
	if err != nil {
		return nil, err
	}
	return &ClientEncryption{client: keyVaultClient, vault: vault}, nil
}

// keyVault is the collection of the data keys. A data key that is lost loses what it encrypted: whatever is written or read
// is of a majority. Client Side Encryption, "keyVaultNamespace".
func keyVault(c *Client, namespace string, more *options.Collection) (*Collection, error) {
	db, name, ok := strings.Cut(namespace, ".")
	if !ok || db == "" || name == "" {
		return nil, fmt.Errorf("mongo: the key vault namespace %q is not a database and a collection with a dot between them", namespace)
	}
	return c.Database(db).Collection(name, &options.Collection{
		ReadConcern:  &options.ReadConcern{Level: options.ReadConcernMajority},
		WriteConcern: &options.WriteConcern{W: "majority"},
	}, more), nil
}

var errNotBuilt = errors.New("mongo: client-side encryption is not built yet")

// CreateDataKey makes a data key, has the key management service encrypt it and stores it. It returns the key's id.
func (e *ClientEncryption) CreateDataKey(ctx context.Context, kmsProvider string, opts ...*options.DataKey) (bson.UUID, error) {
	return bson.UUID{}, errNotBuilt
}

// RewrapManyDataKey encrypts the data keys that match a filter again: with the master key of the options, or each with its
// own. After an error some of them may have been encrypted again.
func (e *ClientEncryption) RewrapManyDataKey(ctx context.Context, filter any, opts ...*options.RewrapManyDataKey) (*options.RewrapManyDataKeyResult, error) {
	return nil, errNotBuilt
}

// Encrypt encrypts a value. The options say with which key and how.
func (e *ClientEncryption) Encrypt(ctx context.Context, value any, opts ...*options.Encrypt) (bson.Binary, error) {
	return bson.Binary{}, errNotBuilt
}

// EncryptExpression encrypts the bounds of an expression that searches a range. The expression is that of a match,
// {$and: [{<field>: {$gt: <value>}}, {<field>: {$lt: <value>}}]}, or of an aggregation,
// {$and: [{$gt: [<path>, <value>]}, {$lt: [<path>, <value>]}]}; the operators may be $gte and $lte.
func (e *ClientEncryption) EncryptExpression(ctx context.Context, expression any, opts ...*options.Encrypt) (bson.Raw, error) {
	return nil, errNotBuilt
}

// Decrypt decrypts a value, a binary of subtype 6.
func (e *ClientEncryption) Decrypt(ctx context.Context, value bson.Binary) (bson.RawValue, error) {
	return bson.RawValue{}, errNotBuilt
}

// CreateEncryptedCollection creates a collection with encrypted fields, and data keys for the fields that have none: those
// whose keyId is null in the EncryptedFields of the options. It returns the EncryptedFields with their keys also beside an
// error, so that keys already made are not lost.
func (e *ClientEncryption) CreateEncryptedCollection(ctx context.Context, db *Database, name, kmsProvider string, masterKey any, opts ...*options.CreateCollection) (*Collection, bson.Raw, error) {
	return nil, nil, errNotBuilt
}

// Close overwrites the keys in memory. The client of the key vault stays open. Closing twice is harmless.
func (e *ClientEncryption) Close(ctx context.Context) error { return nil }
