package mongo_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// CONTRIBUTING, "The API": a setting without a default is a plain value, and the call that needs it checks it. Each
// error names the setting.
func TestRequiredSettingsAreAskedFor(t *testing.T) {
	t.Parallel()
	d := mongotest.Start(t)
	client := connect(t, d)
	connects := func(o *options.Client) error {
		c, err := mongo.Connect(t.Context(), d.URI(), o)
		if err == nil {
			c.Close(t.Context())
		}
		return err
	}
	explicit, err := mongo.NewClientEncryption(client, &options.ClientEncryption{KeyVaultNamespace: "a.b", KMSProviders: localKMS()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { explicit.Close(t.Context()) })
	mistakes := map[string]func() error{
		"AutoEncryption.KeyVaultNamespace": func() error {
			return connects(&options.Client{AutoEncryption: &mongo.AutoEncryption{KMSProviders: localKMS()}})
		},
		"ClientEncryption.KeyVaultNamespace": func() error {
			_, err := mongo.NewClientEncryption(client, &options.ClientEncryption{KMSProviders: localKMS()})
			return err
		},
		"Encrypt.Algorithm": func() error {
			_, err := explicit.Encrypt(t.Context(), 1, &options.Encrypt{KeyID: new(bson.NewUUID())})
			return err
		},
		"ServerAPI.Version": func() error { return connects(&options.Client{ServerAPI: &options.ServerAPI{}}) },
		"DriverInfo.Name":   func() error { return connects(&options.Client{DriverInfo: &options.DriverInfo{Version: "1"}}) },
		"Collation.Locale": func() error {
			o := &options.FindOne{Collation: &options.Collation{Strength: new(int32(2))}} // the server asks
			return client.Database("a").Collection("b").FindOne(t.Context(), bson.D{}, o).Err()
		},
	}
	for _, name := range slices.Sorted(maps.Keys(mistakes)) {
		_, setting, _ := strings.Cut(name, ".")
		if err := mistakes[name](); err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(setting)) {
			t.Errorf("without %s: %v", name, err)
		}
		if !requiredSettings[name] {
			t.Errorf("%s is not in the list of what is required", name)
		}
	}
	if len(mistakes) != len(requiredSettings) {
		t.Errorf("%d settings are required, and %d are left out here", len(requiredSettings), len(mistakes))
	}
}

// A nil *AutoEncryption in the options is not the same as none: a client that would send everything in plain text is
// refused.
func TestNilAutoEncryptionIsRefused(t *testing.T) {
	t.Parallel()
	var auto *mongo.AutoEncryption
	_, err := mongo.Connect(t.Context(), "mongodb://localhost", &options.Client{AutoEncryption: auto})
	if err == nil || !strings.Contains(err.Error(), "nil *mongo.AutoEncryption") {
		t.Error(err)
	}
}
