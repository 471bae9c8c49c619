package kms

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/kmip"
	"github.com/specdrivers/onion/generated/core/kmstable"
)

// TestValuesFitTogether checks how the numbers and addresses of the tables relate to each other.
func TestValuesFitTogether(t *testing.T) {
	if kmstable.MaxRetries < 1 || kmstable.RetryBase<<kmstable.MaxRetries > kmstable.RetryCap {
		t.Errorf("%d retries from %v on reach the bound %v", kmstable.MaxRetries, kmstable.RetryBase, kmstable.RetryCap)
	}
	if kmstable.RetryCap >= kmstable.AttemptTimeout {
		t.Errorf("a delay of %v takes longer than an attempt, %v", kmstable.RetryCap, kmstable.AttemptTimeout)
	}
	if kmstable.TokenMargin >= kmstable.GCPTokenLife || kmstable.AzureTokenReserve >= kmstable.GCPTokenLife || kmstable.CollectionInfoExpiration <= 0 {
		t.Error("a token is never good enough")
	}
	if kmstable.MaxAnswerSize < 64<<10 {
		t.Errorf("%d bytes are not enough for the tokens of some providers", kmstable.MaxAnswerSize)
	}
	imds, err := url.Parse(kmstable.AzureIMDS)
	if err != nil || imds.Host != "169.254.169.254" || kmstable.AzureIMDSResource != "https://vault.azure.net" || kmstable.AzureIMDSVersion == "" ||
		kmstable.AzureIMDSTimeout != 10*time.Second {
		t.Errorf("the address of Azure's metadata is %v: %v", imds, err)
	}
	if !strings.HasPrefix(kmstable.GCPMetadataPath, "/") || kmstable.GCPMetadataHostEnv != strings.ToUpper(kmstable.GCPMetadataHostEnv) ||
		strings.Count(kmstable.GCPScope, "%s") != 1 || strings.Contains(kmstable.GCPMetadataHost, "/") {
		t.Errorf("Google's metadata: %q, %q, %q, %q", kmstable.GCPMetadataHost, kmstable.GCPMetadataPath, kmstable.GCPMetadataHostEnv, kmstable.GCPScope)
	}
}

// TestKeyVersions checks that only the path for wrapping names the version of the master key.
func TestKeyVersions(t *testing.T) {
	fields := map[string]string{"projectId": "p", "location": "l", "keyRing": "r", "keyName": "k", "keyVersion": "7"}
	for name, want := range map[string]string{
		"gcp/keyVersion": "projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/7",
	} {
		m := &masterKey{}
		m.fields.text = fields
		path, err := m.resource(true)
		if err != nil || !strings.HasSuffix(path, want) {
			t.Errorf("%s: %q, %v; want %q", name, path, err, want)
		}
		if path, err = m.resource(false); err != nil || strings.Contains(path, "Version") {
			t.Errorf("%s, to unwrap: %q, %v", name, path, err)
		}
	}
}

// TestAzureKeyVersion reads a master key of Azure that names a version.
func TestAzureKeyVersion(t *testing.T) {
	doc, err := bson.Marshal(bson.Doc("provider", "azure", "keyVaultEndpoint", "v.vault.azure.net", "keyName", "k", "keyVersion", "7"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := parseStored(doc)
	if err != nil || m.fields.text["keyVersion"] != "7" {
		t.Errorf("azure/keyVersion: %v, %v", m, err)
	}
}

// TestKMIPTypes: the protocol numbers the types of items from 1 on; 3, 4 and 10 are in no answer that the driver reads.
func TestKMIPTypes(t *testing.T) {
	for want, n := range map[int]int{
		1: kmip.TypeStructure, 2: kmip.TypeInteger, 5: kmip.TypeEnumeration, 6: kmip.TypeBoolean, 7: kmip.TypeText,
		8: kmip.TypeBytes, 9: kmip.TypeDateTime,
	} {
		if n != want {
			t.Errorf("type %d is %d", want, n)
		}
	}
}
