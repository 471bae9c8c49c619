package unified

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/specdrivers/onion/tools/suite"
)

func TestCredentialsOfRealServices(t *testing.T) {
	for _, names := range variables {
		for _, name := range names {
			t.Setenv(name, "the "+name)
		}
	}
	t.Setenv("FLE_AZURE_ACCESSTOKEN", "")
	for _, tt := range []struct {
		provider string
		settings map[string]any
		want     map[string]any
	}{
		{"aws", nil, map[string]any{"accessKeyId": "the FLE_AWS_KEY", "secretAccessKey": "the FLE_AWS_SECRET"}},
		{"aws:name1", nil, map[string]any{"accessKeyId": "the FLE_AWS_KEY", "secretAccessKey": "the FLE_AWS_SECRET"}},
		{"aws:name2", nil, map[string]any{"accessKeyId": "the FLE_AWS_KEY2", "secretAccessKey": "the FLE_AWS_SECRET2"}},
		{"aws", map[string]any{"sessionToken": Placeholder}, map[string]any{
			"accessKeyId": "the CSFLE_AWS_TEMP_ACCESS_KEY_ID", "secretAccessKey": "the CSFLE_AWS_TEMP_SECRET_ACCESS_KEY",
			"sessionToken": "the CSFLE_AWS_TEMP_SESSION_TOKEN",
		}},
		{"azure", nil, map[string]any{
			"tenantId": "the FLE_AZURE_TENANTID", "clientId": "the FLE_AZURE_CLIENTID", "clientSecret": "the FLE_AZURE_CLIENTSECRET",
		}},
		{"gcp:name1", nil, map[string]any{
			"email": "the FLE_GCP_EMAIL", "privateKey": "the FLE_GCP_PRIVATEKEY", "accessToken": "the FLE_GCP_ACCESSTOKEN",
		}},
		{"kmip", nil, map[string]any{"endpoint": "localhost:5698"}},
		{"local:name2", nil, map[string]any{"key": localKey}},
	} {
		if got := realCredentials(tt.provider, tt.settings); !maps.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.provider, got, tt.want)
		}
	}
}

// Mocks stay in place until there is both a deployment and an account.
func TestMocksUnlessThereIsAnAccount(t *testing.T) {
	for _, tt := range []struct {
		uri, key string
		want     bool
	}{{"", "", false}, {"mongodb://h", "", false}, {"", "k", false}, {"mongodb://h", "k", true}} {
		t.Setenv(suite.ServerVariable, tt.uri)
		t.Setenv("FLE_AWS_KEY", tt.key)
		if usesRealKMS() != tt.want {
			t.Errorf("%+v", tt)
		}
	}
}

func TestTLSOfARealKMIPServer(t *testing.T) {
	r := &Run{t: t}
	t.Setenv("CSFLE_TLS_CA_FILE", "")
	if r.realTLS() != nil {
		t.Error("there are settings without files")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "both.pem")
	text := slices.Concat(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CSFLE_TLS_CA_FILE", file)
	t.Setenv("CSFLE_TLS_CLIENT_CERT_FILE", file)
	got := r.realTLS()["kmip"]
	if got == nil || len(got.Certificates) != 1 || got.RootCAs.Equal(x509.NewCertPool()) {
		t.Errorf("the settings are %+v", got)
	}
}
