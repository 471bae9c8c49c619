package mongo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/encrypt"
	"github.com/specdrivers/onion/runtime/internal/encrypt/kms"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// AutoEncryption says what a client encrypts before it sends it and decrypts after it has received it, and with which
// keys. Set it in the options of Connect:
//
//	&options.Client{AutoEncryption: &mongo.AutoEncryption{KeyVaultNamespace: "encryption.keys", KMSProviders: providers}}
//
// Its fields are KeyVaultNamespace and KMSProviders, which are required, and KeyVaultClient, SchemaMap,
// EncryptedFieldsMap, BypassAutoEncryption, BypassQueryAnalysis, ExtraOptions, TLSConfig, HTTPClient, KeyExpiration,
// AWSCredentialProvider and KMSConnectCallback; options.AutoEncryption describes them. They must not change while a
// client uses them. A program that names no AutoEncryption does not link the encryption code.
type AutoEncryption options.AutoEncryption

// AutoEncryption returns the settings as the struct of package options. It implements options.AutoEncrypter.
func (a *AutoEncryption) AutoEncryption() *options.AutoEncryption {
	return (*options.AutoEncryption)(a)
}

// Format prints the settings that are set; secrets are replaced.
func (a AutoEncryption) Format(f fmt.State, verb rune) { options.AutoEncryption(a).Format(f, verb) }

// MarshalJSON encodes the settings that are set; secrets are replaced.
func (a AutoEncryption) MarshalJSON() ([]byte, error) { return options.AutoEncryption(a).MarshalJSON() }

// autoEncryption is the automatic encryption of one client.
type autoEncryption struct {
	auto     *encrypt.Auto
	internal *Client // a second client that reads schemas and keys; nil if the client reads them itself
}

func (a *autoEncryption) fieldsOf(namespace string) bson.Raw { return a.auto.FieldsOf(namespace) }

func (a *autoEncryption) close(ctx context.Context) error {
	a.auto.Ring.Close()
	if a.internal == nil {
		return nil
	}
	return a.internal.Close(ctx)
}

// open makes a client encrypt.
//
// An operation that encrypts holds a connection while it reads schemas and keys. If it needed a second connection from
// the same limited pool, it could wait for ever, so another client reads them. Client Side Encryption, "keyVaultClient,
// metadataClient, and the internal MongoClient".
func (a *AutoEncryption) open(ctx context.Context, b *builder, c *Client) (err error) {
	o := a.AutoEncryption()
	if o == nil {
		return errors.New("mongo: AutoEncryption is a nil *mongo.AutoEncryption, with which " +
			"nothing would be encrypted: set it, or leave it out")
	}
	if err := checkExtraOptions(o.ExtraOptions); err != nil {
		return err
	}
	state := &autoEncryption{auto: &encrypt.Auto{
		Random: rand.Reader, Bypass: option.Or(o.BypassAutoEncryption, false), BypassAnalysis: option.Or(o.BypassQueryAnalysis, false),
	}}
	if state.auto.Schemas, err = encodeSchemas(c.scope, "schema", o.SchemaMap); err != nil {
		return err
	}
	if state.auto.EncryptedFields, err = encodeSchemas(c.scope, "encrypted fields", o.EncryptedFieldsMap); err != nil {
		return err
	}
	if err := state.auto.Check(); err != nil {
		return fmt.Errorf("mongo: automatic encryption: %w", err)
	}
	for _, namespace := range state.auto.SchemasWithoutEffect() { // "libmongocrypt: Prohibitions and warnings"
		b.log.Warn(ctx, "automatic encryption: the schema of "+namespace+" in SchemaMap encrypts nothing")
	}
	service, err := kms.New(kms.Config{
		Providers: o.KMSProviders, TLS: o.TLSConfig, HTTPClient: o.HTTPClient, AWS: o.AWSCredentialProvider,
		Connect: kmsConnect(o.KMSConnectCallback, b.dialer), Getenv: os.Getenv, Random: rand.Reader,
	})
	if err != nil {
		return fmt.Errorf("mongo: automatic encryption: %w", err)
	}
	vaultClient, err := keyVaultClient(o)
	if err != nil {
		return err
	}
	metadata := c
	limited := option.Or(b.o.MaxPoolSize, options.DefaultMaxPoolSize) != 0
	if limited && (vaultClient == nil || !state.auto.Bypass) {
		if state.internal, err = b.newPlainClient(ctx); err != nil {
			return err
		}
		metadata = state.internal
	}
	if vaultClient == nil {
		vaultClient = metadata
	}
	vault, err := keyVault(vaultClient, o.KeyVaultNamespace, &options.Collection{})
	if err == nil {
		state.auto.Ring = newRing(vault, service, o.KeyExpiration)
		state.auto.Collections = func(ctx context.Context, db string, names []string) ([]bson.Raw, error) {
			return collectionInfos(NewSessionContext(ctx, nil), metadata.Database(db), names)
		}
		c.encryption, c.exec.Crypt = state, state.auto
		return nil
	}
	if state.internal != nil {
		err = errors.Join(err, state.internal.Close(ctx))
	}
	return err
}

// newPlainClient makes a client with the same settings, except that it neither encrypts nor keeps idle connections
// open.
func (b *builder) newPlainClient(ctx context.Context) (*Client, error) {
	o := *b.o
	o.AutoEncryption, o.MinPoolSize = nil, nil
	inner := builder{cs: b.cs, o: &o, srvName: b.srvName, srvService: b.srvService}
	c, err := inner.build(ctx)
	if err != nil {
		inner.log.Close() // the error that matters is err
	}
	return c, err
}

// keyVaultClient is the client of the options that reads data keys, nil without one.
func keyVaultClient(o *options.AutoEncryption) (*Client, error) {
	if o.KeyVaultClient == nil {
		return nil, nil
	}
	c, ok := o.KeyVaultClient.(*Client)
	if !ok {
		return nil, fmt.Errorf("mongo: automatic encryption: KeyVaultClient is a %T, not a *Client", o.KeyVaultClient)
	}
	if c.encryption != nil {
		return nil, errors.New("mongo: automatic encryption: KeyVaultClient uses AutoEncryption itself, so it cannot read data keys: " +
			"pass a client without it")
	}
	return c, nil
}

// encodeSchemas encodes a map of schemas.
func encodeSchemas(s scope, what string, given map[string]any) (map[string]bson.Raw, error) {
	out := map[string]bson.Raw{}
	for namespace, v := range given {
		raw, err := encode.Document(s.marshal, what, v)
		if err != nil {
			return nil, encode.At(err, "automatic encryption of %s", namespace)
		}
		out[namespace] = raw
	}
	return out, nil
}

// checkExtraOptions refuses unknown options. It ignores those for mongocryptd and crypt_shared, which this driver never
// runs.
//
// Client Side Encryption, "extraOptions".
func checkExtraOptions(given map[string]any) error {
	for name := range given {
		if !strings.HasPrefix(name, "mongocryptd") && !strings.HasPrefix(name, "cryptSharedLib") && !strings.HasPrefix(name, "__") {
			return fmt.Errorf("mongo: automatic encryption: unknown extra option %q", name)
		}
	}
	return nil
}
