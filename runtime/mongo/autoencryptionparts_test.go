package mongo_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// A program can tell why encryption failed. Client Side Encryption, "Implementation".
func TestErrorsTellWhichPartOfEncryptionFailed(t *testing.T) {
	encrypts, _, plain, id := newEncryptingClient(t, func(o *options.AutoEncryption) {
		o.SchemaMap["db.lost"] = peopleSchema(bson.NewUUID())
	})
	other, err := mongo.NewClientEncryption(plain, &options.ClientEncryption{
		KeyVaultNamespace: "keyvault.datakeys", KMSProviders: map[string]map[string]any{"local": {"key": bytes.Repeat([]byte{9}, 96)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]error{"analysis": mongo.ErrQueryAnalysis, "key vault": mongo.ErrKeyVault, "key management": mongo.ErrKMS}
	for _, tt := range []struct {
		name, part string
		command    bool // rather than explicit encryption
		run        func() error
	}{
		{"a search that random encryption does not allow", "analysis", true, func() error {
			return encrypts.Database("db").Collection("people").FindOne(t.Context(), bson.Doc("note", "x")).Err()
		}},
		{"a command that is not known to be safe", "analysis", true, func() error {
			return encrypts.Database("db").RunCommand(t.Context(), bson.Doc("mapReduce", "people")).Err()
		}},
		{"a data key that is not there", "key vault", true, func() error {
			_, err := encrypts.Database("db").Collection("lost").InsertOne(t.Context(), bson.Doc("ssn", "x"))
			return err
		}},
		{"another master key", "key management", false, func() error {
			_, err := other.Encrypt(t.Context(), "x", &options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmRandom})
			return err
		}},
		{"another master key for all keys", "key management", false, func() error {
			_, err := other.RewrapManyDataKey(t.Context(), bson.D{})
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.run()
			for part, target := range parts {
				if errors.Is(err, target) != (part == tt.part) {
					t.Errorf("the part %s: %t, of %v", part, errors.Is(err, target), err)
				}
			}
			var failed mongo.EncryptionError
			if errors.As(err, &failed) != tt.command {
				t.Errorf("the error is %T: %v", err, err)
			}
		})
	}
}

// Client Side Encryption, "libmongocrypt: Prohibitions and warnings".
func TestSchemasWithoutEffectAreLogged(t *testing.T) {
	var log bytes.Buffer
	newEncryptingClient(t, func(o *options.AutoEncryption) {
		o.SchemaMap["db.idle"] = bson.Doc("bsonType", "object")
	}, &options.Client{Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	if text := log.String(); !strings.Contains(text, "db.idle") || strings.Contains(text, "db.people") {
		t.Errorf("the log has %q", text)
	}
}
