package mongo_test

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

var mistakesInFilesAndKeys = []commonMistake{
	{"the text of a file's ID", "no such file|string|bson.ObjectIDFromHex", func(ctx context.Context, shop *mongo.Database) error {
		return shop.GridFSBucket().Delete(ctx, bson.NewObjectID().Hex())
	}},
	{"a file that does not exist", "no such file", func(ctx context.Context, shop *mongo.Database) error {
		_, err := shop.GridFSBucket().OpenDownloadStreamByName(ctx, "nowhere")
		return err
	}},
	{"a file without a source", "nil|io.Reader", func(ctx context.Context, shop *mongo.Database) error {
		_, err := shop.GridFSBucket().UploadFromStream(ctx, "a", nil)
		return err
	}},
	{"a local key that is missing", "local|key|missing", encryptFunc(nil, "Ada", nil)},
	{"a data key that is not named", "KeyID|KeyAltName", encryptFunc(make([]byte, 96), "Ada", &options.Encrypt{})},
	{"a number that is encrypted deterministically", "double|AlgorithmRandom",
		encryptFunc(make([]byte, 96), 1.5, &options.Encrypt{Algorithm: options.AlgorithmDeterministic, KeyID: new(bson.NewUUID())})},
}

// encryptFunc encrypts a value with a master key of the provider local.
func encryptFunc(key []byte, v any, o *options.Encrypt) func(context.Context, *mongo.Database) error {
	return func(ctx context.Context, shop *mongo.Database) error {
		local := map[string]any{"key": key}
		if key == nil {
			local = map[string]any{}
		}
		e, err := mongo.NewClientEncryption(shop.Client(), &options.ClientEncryption{
			KeyVaultNamespace: "encryption.keys", KMSProviders: map[string]map[string]any{"local": local},
		})
		if err != nil {
			return err
		}
		defer e.Close(ctx)
		_, err = e.Encrypt(ctx, v, o)
		return err
	}
}
