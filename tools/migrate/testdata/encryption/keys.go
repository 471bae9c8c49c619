// Package vault encrypts fields in the ways that programs do.
package vault

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Keys keeps a data key.
type Keys struct {
	ce *mongo.ClientEncryption
	id bson.Binary
}

func makeKey(ctx context.Context, ce *mongo.ClientEncryption) (bson.Binary, error) {
	return ce.CreateDataKey(ctx, "local", options.DataKey().SetKeyAltNames([]string{"ssn"}))
}

func keep(ctx context.Context, ce *mongo.ClientEncryption) (*Keys, error) {
	id, err := ce.CreateDataKey(ctx, "aws", options.DataKey().SetMasterKey(bson.M{"region": "us-east-1", "key": "arn"}))
	if err != nil {
		return nil, err
	}
	return &Keys{ce: ce, id: id}, nil
}

func (k *Keys) encrypt(ctx context.Context, value bson.RawValue) (bson.Binary, error) {
	opts := options.Encrypt().SetAlgorithm("AEAD_AES_256_CBC_HMAC_SHA_512-Deterministic").SetKeyID(k.id)
	return k.ce.Encrypt(ctx, value, opts)
}

func encryptOnce(ctx context.Context, ce *mongo.ClientEncryption, value bson.RawValue) (bson.Binary, error) {
	id, err := ce.CreateDataKey(ctx, "local")
	if err != nil {
		return bson.Binary{}, err
	}
	return ce.Encrypt(ctx, value, options.Encrypt().SetKeyID(id).SetAlgorithm("Indexed").SetContentionFactor(0))
}

func rename(ctx context.Context, ce *mongo.ClientEncryption, id bson.Binary) error {
	if err := ce.AddKeyAltName(ctx, id, "new").Err(); err != nil {
		return err
	}
	if err := ce.RemoveKeyAltName(ctx, id, "old").Err(); err != nil {
		return err
	}
	if _, err := ce.DeleteKey(ctx, id); err != nil {
		return err
	}
	return ce.GetKey(ctx, id).Err()
}

func schema(id bson.Binary) bson.M {
	return bson.M{"encryptMetadata": bson.M{"keyId": bson.A{id}}}
}

func rewrap(ctx context.Context, ce *mongo.ClientEncryption, filter any) (*mongo.RewrapManyDataKeyResult, error) {
	return ce.RewrapManyDataKey(ctx, filter, options.RewrapManyDataKey().SetProvider("local"))
}
