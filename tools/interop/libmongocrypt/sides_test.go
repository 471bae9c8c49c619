//go:build cse

package libmongocrypt

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"testing"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsontype"
	"go.mongodb.org/mongo-driver/bson/primitive"
	theirs "go.mongodb.org/mongo-driver/mongo"
	theiroptions "go.mongodb.org/mongo-driver/mongo/options"

	onionbson "github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/mongotest/kmstest"
)

const vault = "keyvault.datakeys"

// value is a BSON value without a name.
type value struct {
	kind byte
	data []byte
}

func (v value) String() string { return fmt.Sprintf("type %d, %x", v.kind, v.data) }

func (v value) equal(o value) bool { return v.kind == o.kind && bytes.Equal(v.data, o.data) }

// side is one of the two drivers. Keys and ciphertexts are bytes, so either side takes those of the other.
type side interface {
	name() string
	createKey(ctx context.Context, provider string, masterKey map[string]any) ([16]byte, error)
	encrypt(ctx context.Context, key [16]byte, algorithm string, v value) ([]byte, error)
	encryptDecimal(ctx context.Context, key [16]byte, r decimalRange) ([]byte, error)
	decrypt(ctx context.Context, ciphertext []byte) (value, error)
	rewrap(ctx context.Context, key [16]byte, provider string, masterKey map[string]any) error
}

// decimalRange is a decimal of an index that is searched for ranges.
type decimalRange struct {
	value, low, high string
	precision        int32
}

type onion struct{ *mongo.ClientEncryption }

func (onion) name() string { return "onion" }

func (o onion) createKey(ctx context.Context, provider string, masterKey map[string]any) ([16]byte, error) {
	id, err := o.CreateDataKey(ctx, provider, &options.DataKey{MasterKey: masterKey})
	return id, err
}

func (o onion) encrypt(ctx context.Context, key [16]byte, algorithm string, v value) ([]byte, error) {
	id := onionbson.UUID(key)
	out, err := o.Encrypt(ctx, onionbson.RawValue{Type: onionbson.Type(v.kind), Value: v.data}, &options.Encrypt{KeyID: &id, Algorithm: algorithm})
	return out.Data, err
}

func (o onion) encryptDecimal(ctx context.Context, key [16]byte, r decimalRange) ([]byte, error) {
	var parsed [3]onionbson.Decimal128
	for i, text := range []string{r.value, r.low, r.high} {
		var err error
		if parsed[i], err = onionbson.ParseDecimal128(text); err != nil {
			return nil, err
		}
	}
	id := onionbson.UUID(key)
	out, err := o.Encrypt(ctx, parsed[0], &options.Encrypt{
		KeyID: &id, Algorithm: options.AlgorithmRange, ContentionFactor: new(int64(0)),
		RangeOptions: &options.Range{Min: parsed[1], Max: parsed[2], Precision: &r.precision, Sparsity: new(int64(1)), TrimFactor: new(int32(0))},
	})
	return out.Data, err
}

func (o onion) decrypt(ctx context.Context, ciphertext []byte) (value, error) {
	v, err := o.Decrypt(ctx, onionbson.Binary{Subtype: 6, Data: ciphertext})
	return value{byte(v.Type), v.Value}, err
}

func (o onion) rewrap(ctx context.Context, key [16]byte, provider string, masterKey map[string]any) error {
	_, err := o.RewrapManyDataKey(ctx, onionbson.Doc("_id", onionbson.UUID(key)),
		&options.RewrapManyDataKey{Provider: &provider, MasterKey: masterKey})
	return err
}

type official struct{ *theirs.ClientEncryption }

func (official) name() string { return "libmongocrypt" }

func (o official) createKey(ctx context.Context, provider string, masterKey map[string]any) ([16]byte, error) {
	opts := theiroptions.DataKey()
	if masterKey != nil {
		opts.SetMasterKey(masterKey)
	}
	id, err := o.CreateDataKey(ctx, provider, opts)
	return [16]byte(append(id.Data, make([]byte, 16)...)), err
}

func (o official) encrypt(ctx context.Context, key [16]byte, algorithm string, v value) ([]byte, error) {
	out, err := o.Encrypt(ctx, bson.RawValue{Type: bsontype.Type(v.kind), Value: v.data},
		theiroptions.Encrypt().SetKeyID(primitive.Binary{Subtype: 4, Data: key[:]}).SetAlgorithm(algorithm))
	return out.Data, err
}

func (o official) encryptDecimal(ctx context.Context, key [16]byte, r decimalRange) ([]byte, error) {
	var parsed [3]bson.RawValue
	for i, text := range []string{r.value, r.low, r.high} {
		d, err := primitive.ParseDecimal128(text)
		if err != nil {
			return nil, err
		}
		if parsed[i].Type, parsed[i].Value, err = bson.MarshalValue(d); err != nil {
			return nil, err
		}
	}
	out, err := o.Encrypt(ctx, parsed[0], theiroptions.Encrypt().SetKeyID(primitive.Binary{Subtype: 4, Data: key[:]}).
		SetAlgorithm("RangePreview").SetContentionFactor(0).SetRangeOptions(theiroptions.RangeOptions{
		Min: &parsed[1], Max: &parsed[2], Sparsity: 1, Precision: &r.precision,
	}))
	return out.Data, err
}

func (o official) decrypt(ctx context.Context, ciphertext []byte) (value, error) {
	v, err := o.Decrypt(ctx, primitive.Binary{Subtype: 6, Data: ciphertext})
	return value{byte(v.Type), v.Value}, err
}

func (o official) rewrap(ctx context.Context, key [16]byte, provider string, masterKey map[string]any) error {
	opts := theiroptions.RewrapManyDataKey().SetProvider(provider)
	if masterKey != nil {
		opts.SetMasterKey(masterKey)
	}
	_, err := o.RewrapManyDataKey(ctx, bson.D{{Key: "_id", Value: primitive.Binary{Subtype: 4, Data: key[:]}}}, opts)
	return err
}

// scene is a deployment with a key vault, a KMIP server, and both drivers.
type scene struct {
	uri       string
	sides     [2]side
	providers map[string]map[string]any // master keys that either side may use
	settings  map[string]map[string]any
	kms       *kmstest.Server
}

func start(t *testing.T) *scene {
	t.Helper()
	s := &scene{uri: mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0")).URI(), kms: kmstest.Start(t)}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.kms.Serve(l) // returns when the server is closed
	s.settings = map[string]map[string]any{
		"local": {"key": bytes.Repeat([]byte{7}, 96)},
		"kmip":  {"endpoint": fmt.Sprintf("localhost:%d", l.Addr().(*net.TCPAddr).Port)},
	}
	s.providers = map[string]map[string]any{"local": nil, "kmip": {}}
	s.connect(t)
	return s
}

// connect makes both sides.
func (s *scene) connect(t *testing.T) {
	t.Helper()
	client, err := mongo.Connect(t.Context(), s.uri)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close(context.Background()) })
	ours, err := mongo.NewClientEncryption(client, &options.ClientEncryption{
		KeyVaultNamespace: vault, KMSProviders: s.settings, TLSConfig: s.kms.TLS("kmip"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ours.Close(context.Background()) })
	old, err := theirs.Connect(t.Context(), theiroptions.Client().ApplyURI(s.uri))
	if err != nil {
		t.Fatal(err)
	}
	their, err := theirs.NewClientEncryption(old, theiroptions.ClientEncryption().SetKeyVaultNamespace(vault).
		SetKmsProviders(s.settings).SetTLSConfig(s.kms.TLS("kmip")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = their.Close(context.Background()) })
	s.sides = [2]side{onion{ours}, official{their}}
}

// reconnect returns both sides with new clients, which have no keys in memory.
func (s *scene) reconnect(t *testing.T) [2]side {
	t.Helper()
	fresh := *s
	fresh.connect(t)
	return fresh.sides
}
