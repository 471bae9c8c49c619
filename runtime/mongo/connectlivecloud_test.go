package mongo_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// These tests use identities and keys of the clouds. Environment variables name a deployment or keys. Without them the
// tests use mongotest and a local key, so that their code runs everywhere.

// cloudScene starts a deployment that knows one principal from outside.
func cloudScene(t *testing.T, principal string, knows mongotest.Option) string {
	user := mongotest.User{Name: principal, DB: "$external"}
	return "mongodb://" + mongotest.Start(t, mongotest.RequireAuth(), mongotest.WithUser(user), knows).Hosts()[0]
}

// OIDC_ATLAS_URI names a deployment, and OIDC_TOKEN_FILE a file with a token that it accepts.
func TestLiveOIDC(t *testing.T) {
	uri := os.Getenv("OIDC_ATLAS_URI")
	if uri == "" {
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte("token"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("OIDC_TOKEN_FILE", file)
		uri = cloudScene(t, "ada", mongotest.WithToken(mongotest.Token{JWT: "token", Principal: "ada"}))
	}
	testCommonAssertions(t, connectLive(t, uri, &options.Client{Auth: &options.Credential{
		AuthMechanism: new("MONGODB-OIDC"), AuthMechanismProperties: map[string]string{"ENVIRONMENT": "test"},
	}}), true)
}

// AWS_ATLAS_URI names a deployment that accepts the keys of AWS in the environment.
func TestLiveAWS(t *testing.T) {
	uri := os.Getenv("AWS_ATLAS_URI")
	if uri == "" {
		key := mongotest.AWSKey{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret", SessionToken: "session", ARN: "arn:aws:iam::1:user/ada"}
		t.Setenv("AWS_ACCESS_KEY_ID", key.AccessKeyID)
		t.Setenv("AWS_SECRET_ACCESS_KEY", key.SecretAccessKey)
		t.Setenv("AWS_SESSION_TOKEN", key.SessionToken)
		uri = cloudScene(t, key.ARN, mongotest.WithAWSKey(key))
	}
	testCommonAssertions(t, connectLive(t, uri, &options.Client{Auth: &options.Credential{AuthMechanism: new("MONGODB-AWS")}}), true)
}

// KMS_PROVIDERS and KMS_MASTER_KEYS are documents in extended JSON: the credentials and the master key of each
// provider.
func TestLiveKMS(t *testing.T) {
	read := func(variable string, into any) {
		text := os.Getenv(variable)
		if text == "" {
			text = map[string]string{
				"KMS_PROVIDERS":   `{"local": {"key": {"$binary": {"base64": "` + strings.Repeat("QUFB", 32) + `", "subType": "00"}}}}`,
				"KMS_MASTER_KEYS": `{"local": {}}`,
			}[variable]
		}
		if err := bson.UnmarshalExtJSON([]byte(text), false, into); err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
	}
	providers, keys := map[string]map[string]any{}, map[string]bson.Raw{}
	read("KMS_PROVIDERS", &providers)
	read("KMS_MASTER_KEYS", &keys)
	encryption, err := mongo.NewClientEncryption(connectLive(t, mongotest.Start(t).URI()), &options.ClientEncryption{
		KeyVaultNamespace: "encryption.keys", KMSProviders: providers,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer encryption.Close(t.Context())
	for provider, masterKey := range keys {
		t.Run(provider, func(t *testing.T) {
			key := &options.DataKey{}
			if provider != "local" {
				key.MasterKey = masterKey
			}
			id, err := encryption.CreateDataKey(t.Context(), provider, key)
			if err != nil {
				t.Fatal(err)
			}
			secret, err := encryption.Encrypt(t.Context(), "a secret", &options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmRandom})
			if err != nil {
				t.Fatal(err)
			}
			value, err := encryption.Decrypt(t.Context(), secret)
			if text, _ := value.StringOK(); err != nil || text != "a secret" {
				t.Errorf("decrypted to %s: %v", value, err)
			}
		})
	}
}
