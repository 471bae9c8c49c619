package mongo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/core/kmstable"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/decide"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/encrypt"
	"github.com/specdrivers/onion/runtime/internal/encrypt/key"
	"github.com/specdrivers/onion/runtime/internal/encrypt/kms"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// ClientEncryption makes and manages data keys, and encrypts and decrypts single values. It is safe for concurrent use.
type ClientEncryption struct {
	client   *Client
	vault    *Collection
	kms      *kms.Service
	explicit *encrypt.Explicit
	timeout  *time.Duration
}

// NewClientEncryption makes a ClientEncryption that reads and writes data keys through keyVaultClient. That client must
// not use AutoEncryption. The caller still has to close it.
func NewClientEncryption(keyVaultClient *Client, opts ...*options.ClientEncryption) (*ClientEncryption, error) {
	o := mergeOptions(opts)
	if o == nil || o.KeyVaultNamespace == "" {
		return nil, errors.New("mongo: client-side encryption needs a KeyVaultNamespace, such as \"encryption.keys\"")
	}
	if err := keyVaultClient.check(context.Background()); err != nil {
		return nil, err
	}
	timeout := o.Timeout
	if timeout == nil {
		timeout = keyVaultClient.scope.timeout
	}
	vault, err := keyVault(keyVaultClient, o.KeyVaultNamespace, &options.Collection{Timeout: timeout})
	if err != nil {
		return nil, err
	}
	service, err := kms.New(kms.Config{
		Providers: o.KMSProviders, TLS: o.TLSConfig, HTTPClient: o.HTTPClient, AWS: o.AWSCredentialProvider,
		Connect: kmsConnect(o.KMSConnectCallback, keyVaultClient.dialer), Getenv: os.Getenv, Random: rand.Reader,
	})
	if err != nil {
		return nil, fmt.Errorf("mongo: %w", err)
	}
	return &ClientEncryption{
		client: keyVaultClient, vault: vault, kms: service, timeout: timeout,
		explicit: &encrypt.Explicit{Ring: newRing(vault, service, o.KeyExpiration), Random: rand.Reader},
	}, nil
}

// kmsConnect returns the function that connects to key management services: the program's callback, or else a dialer
// that goes through the client's SOCKS5 proxy. nil means a direct connection.
//
// SOCKS5 Support, "Connection Establishment".
func kmsConnect(callback options.KMSConnectCallback, dialer *conn.Dialer) options.KMSConnectCallback {
	if callback == nil && dialer.Proxy != nil {
		return dialer.Tunnel
	}
	return callback
}

// newRing keeps the keys of a key vault.
func newRing(vault *Collection, service *kms.Service, expiration *time.Duration) *key.Ring {
	return &key.Ring{
		Find: func(ctx context.Context, ids []bson.UUID, names []string) ([]bson.Raw, error) {
			return findKeys(ctx, vault, ids, names)
		},
		Unwrap:     service.Unwrap,
		Expiration: option.Or(expiration, kmstable.KeyExpiration),
	}
}

// findKeys reads data keys by their ids and alternate names. The filter has both conditions even if one list is empty.
func findKeys(ctx context.Context, vault *Collection, ids []bson.UUID, names []string) ([]bson.Raw, error) {
	idList, nameList := bson.A{}, bson.A{}
	for _, id := range ids {
		idList = append(idList, id)
	}
	for _, name := range names {
		nameList = append(nameList, name)
	}
	byID := bson.Doc("_id", bson.Doc("$in", idList))
	byName := bson.Doc(encryption.FieldKeyAltNames, bson.Doc("$in", nameList))
	ctx = NewSessionContext(ctx, nil) // the session in ctx may belong to another client
	cursor, err := vault.Find(ctx, bson.Doc("$or", bson.A{byID, byName}))
	if err != nil {
		return nil, err
	}
	var found []bson.Raw
	return found, cursor.All(ctx, &found)
}

// keyVault returns the collection of the data keys. A data key that is rolled back takes what it encrypted with it, so
// reads and writes use majority. Client Side Encryption, "keyVaultNamespace".
func keyVault(c *Client, namespace string, more *options.Collection) (*Collection, error) {
	db, name, ok := strings.Cut(namespace, ".")
	if !ok || db == "" || name == "" {
		return nil, fmt.Errorf("mongo: the KeyVaultNamespace %q is not a database and a collection "+
			"with a dot between them, such as \"encryption.keys\"", namespace)
	}
	return c.Database(db).Collection(name, &options.Collection{
		ReadConcern:  &options.ReadConcern{Level: options.ReadConcernMajority},
		WriteConcern: &options.WriteConcern{W: "majority"},
	}, more), nil
}

// boundContext applies the timeout to the context, because one deadline bounds the operation and its requests to key
// management services.
//
// Client Side Operations Timeout, "ClientEncryption".
func (e *ClientEncryption) boundContext(ctx context.Context) (context.Context, context.CancelFunc) {
	_, v := timeout.Step(timeout.State{}, timeout.Event{Part: timeout.KeyCall, Inherited: decide.InheritedTimeout(e.timeout)})
	if v.Bound == timeout.WholeTimeout {
		return context.WithTimeout(ctx, *e.timeout)
	}
	return ctx, func() {}
}

// Encrypt encrypts a value. The options name the key and the algorithm.
func (e *ClientEncryption) Encrypt(ctx context.Context, value any, opts ...*options.Encrypt) (bson.Binary, error) {
	if err := e.check(ctx); err != nil {
		return bson.Binary{}, err
	}
	plan, err := e.plan(opts)
	if err != nil {
		return bson.Binary{}, err
	}
	t, data, err := bson.AppendValue(nil, value, e.client.scope.marshal)
	if err != nil {
		return bson.Binary{}, fmt.Errorf("mongo: the value to encrypt: %w", err)
	}
	ctx, cancel := e.boundContext(ctx)
	defer cancel()
	sealed, err := e.explicit.Encrypt(ctx, bson.RawValue{Type: t, Value: data}, plan)
	if err != nil {
		return bson.Binary{}, fmt.Errorf("mongo: encrypting a value: %w", err)
	}
	return bson.Binary{Subtype: bsontype.BinaryEncrypted, Data: sealed}, nil
}

// EncryptExpression encrypts the bounds of a range query. The expression is a match expression, {$and: [{<field>: {$gt:
// <value>}}, {<field>: {$lt: <value>}}]}, or an aggregation expression, {$and: [{$gt: [<path>, <value>]}, {$lt:
// [<path>, <value>]}]}. The operators may also be $gte and $lte.
func (e *ClientEncryption) EncryptExpression(ctx context.Context, expression any, opts ...*options.Encrypt) (bson.Raw, error) {
	if err := e.check(ctx); err != nil {
		return nil, err
	}
	plan, err := e.plan(opts)
	if err != nil {
		return nil, err
	}
	raw, err := encode.Document(e.client.scope.marshal, "expression", expression)
	if err != nil {
		return nil, err
	}
	ctx, cancel := e.boundContext(ctx)
	defer cancel()
	out, err := e.explicit.EncryptExpression(ctx, raw, plan)
	if err != nil {
		return nil, fmt.Errorf("mongo: encrypting an expression: %w", err)
	}
	return out, nil
}

func (e *ClientEncryption) plan(opts []*options.Encrypt) (*encrypt.Plan, error) {
	o := mergeOptions(opts)
	if o == nil {
		o = &options.Encrypt{}
	}
	var bounds [2]bson.RawValue
	if r := o.RangeOptions; r != nil {
		for i, bound := range []any{r.Min, r.Max} {
			if bound == nil {
				continue
			}
			t, data, err := bson.AppendValue(nil, bound, e.client.scope.marshal)
			if err != nil {
				return nil, fmt.Errorf("mongo: the range options: %w", err)
			}
			bounds[i] = bson.RawValue{Type: t, Value: data}
		}
	}
	plan, err := encrypt.NewPlan(o, bounds[0], bounds[1])
	if err != nil {
		return nil, fmt.Errorf("mongo: the options of encrypting: %w", err)
	}
	return plan, nil
}

// Decrypt decrypts a value, a binary of subtype 6.
func (e *ClientEncryption) Decrypt(ctx context.Context, value bson.Binary) (bson.RawValue, error) {
	if err := e.check(ctx); err != nil {
		return bson.RawValue{}, err
	}
	if value.Subtype != bsontype.BinaryEncrypted {
		return bson.RawValue{}, fmt.Errorf("mongo: the value to decrypt is a binary of subtype %d, not 6", value.Subtype)
	}
	ctx, cancel := e.boundContext(ctx)
	defer cancel()
	out, err := e.explicit.Decrypt(ctx, value.Data)
	if err != nil {
		return bson.RawValue{}, fmt.Errorf("mongo: decrypting a value: %w", err)
	}
	return out, nil
}

// Close overwrites the keys in memory. The key vault client stays open. Closing twice is harmless.
func (e *ClientEncryption) Close(ctx context.Context) error {
	if err := e.check(context.Background()); err != nil {
		return err
	}
	e.explicit.Ring.Close()
	return checkContext(ctx)
}

func (e *ClientEncryption) check(ctx context.Context) error {
	if e == nil || e.client == nil {
		return nilHandleError("client encryption", "NewClientEncryption returns")
	}
	return checkContext(ctx)
}
