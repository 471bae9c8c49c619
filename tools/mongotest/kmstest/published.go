package kmstest

import (
	"encoding/hex"
	"strings"
)

// Foreign sets the data key that a provider returns when it decrypts something that it did not encrypt.
func Foreign(provider string, dataKey []byte) Option {
	return func(s *Server) { s.foreign[provider] = dataKey }
}

// Values that upstream has published for tests: the data key inside every key that its suites have wrapped with AWS,
// and the secret data 1 and the key 11 of the KMIP server of its tools.
const (
	publishedAWS = "4ea857cb7b4a7241028f2e3f64dca43161bc6a6045e3a8ac54fcde3a07aeb0aaf085e06661a53c4cc1b900747f35e503" +
		"2ae92aa3c8411a0a20890395a4b3e4a814070fc6242ec35b0e61e818e8a59794001e79e217f2f3e34e5b1ae701e537d1"
	publishedSecret = "f5c95881f32706703371666849f9fd0e08cd8dc9376128fbdefefd496f3c7c90f8fb5e4c5d4d047562d4dac63609d363" +
		"d770317c0b392e9d4689a125724617762ff3f0c881e8946aca320f7014389033d23343d40765ee3c298f26a3332ec015"
	publishedKey = "ffa70da4e91562c92795354a33b28c56e95f12d061fe58fa5829e023889a4cd1"
)

// The keys that upstream's suites use.
var (
	publishedARNs = []string{
		"arn:aws:kms:us-east-1:579766882180:key/89fcc2c4-08b0-4bd9-9f25-e30687b580d0",
		"arn:aws:kms:us-east-1:579766882180:key/061334ae-07a8-4ceb-a813-8135540e837d",
	}
	publishedARN2  = "arn:aws:kms:us-east-1:857654397073:key/0f8468f0-f135-4226-aa0b-bd05c4c30df5"
	publishedAzure = []string{
		"key-vault-csfle.vault.azure.net/key-name-csfle", "drivers-3392-key-vault.vault.azure.net/drivers-3392-keyname",
	}
	publishedGCPRing = "projects/devprod-drivers/locations/global/keyRings/key-ring-csfle/cryptoKeys/key-name-csfle"
)

// Published makes the server accept the accounts, keys and secrets of upstream's suites, so it can open the
// suites' data keys wrapped with AWS or KMIP. The data keys wrapped with Azure and Google are unpublished, so the
// server returns a made-up key for them.
func Published() Option {
	return func(s *Server) {
		for _, o := range []Option{
			AWS(
				AWSAccount{AccessKeyID: "AKIDKMSTEST", SecretAccessKey: "kmstest-secret", Keys: publishedARNs},
				AWSAccount{
					Name: "name2", AccessKeyID: "AKIDKMSTEST2", SecretAccessKey: "kmstest-secret-2", Keys: []string{publishedARN2},
				},
				AWSAccount{
					Name: "temporary", AccessKeyID: "ASIAKMSTEST", SecretAccessKey: "kmstest-secret",
					SessionToken: "kmstest-session", Keys: publishedARNs,
				},
			),
			AzureKeys(publishedAzure...), GCPKeys(publishedGCPRing),
			Foreign("aws", must(hex.DecodeString(publishedAWS))),
			Foreign("azure", []byte(strings.Repeat("a", 96))), Foreign("gcp", []byte(strings.Repeat("g", 96))),
			Secret("1", must(hex.DecodeString(publishedSecret))), SymmetricKey("11", must(hex.DecodeString(publishedKey))),
		} {
			o(s)
		}
	}
}

// KMIPEndpoint is the address of the KMIP server in [Server.Providers].
const KMIPEndpoint = "localhost:5698"

// Providers returns the settings of key management services by name, as a client takes them. The names are aws, azure,
// gcp and kmip, optionally followed by a colon and a name. The name chooses among several accounts of aws.
func (s *Server) Providers(names ...string) map[string]map[string]any {
	out := map[string]map[string]any{}
	for _, id := range names {
		kind, name, _ := strings.Cut(id, ":")
		switch kind {
		case "aws":
			out[id] = s.account(name).settings()
		case "azure":
			out[id] = map[string]any{"tenantId": azureTenant, "clientId": azureClient, "clientSecret": azureSecret}
		case "gcp":
			out[id] = map[string]any{"email": gcpEmail, "privateKey": newGCPPrivateKey()}
		case "kmip":
			out[id] = map[string]any{"endpoint": KMIPEndpoint}
		default:
			panic("kmstest: there is no provider " + id)
		}
	}
	return out
}
