package unified

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"strings"
)

// variables name the credentials of real services in the environment, as upstream's tools for drivers do.
var variables = map[string]map[string]string{
	"aws":       {"accessKeyId": "FLE_AWS_KEY", "secretAccessKey": "FLE_AWS_SECRET"},
	"aws:name2": {"accessKeyId": "FLE_AWS_KEY2", "secretAccessKey": "FLE_AWS_SECRET2"},
	"aws:temporary": {
		"accessKeyId": "CSFLE_AWS_TEMP_ACCESS_KEY_ID", "secretAccessKey": "CSFLE_AWS_TEMP_SECRET_ACCESS_KEY",
		"sessionToken": "CSFLE_AWS_TEMP_SESSION_TOKEN",
	},
	"azure": {
		"tenantId": "FLE_AZURE_TENANTID", "clientId": "FLE_AZURE_CLIENTID", "clientSecret": "FLE_AZURE_CLIENTSECRET",
		"accessToken": "FLE_AZURE_ACCESSTOKEN",
	},
	"gcp": {"email": "FLE_GCP_EMAIL", "privateKey": "FLE_GCP_PRIVATEKEY", "accessToken": "FLE_GCP_ACCESSTOKEN"},
}

// usesRealKMS reports whether cases on a real deployment use real key management services.
func usesRealKMS() bool { return serverURI() != "" && os.Getenv("FLE_AWS_KEY") != "" }

// realCredentials come from the environment.
func realCredentials(provider string, settings map[string]any) map[string]any {
	kind, _, _ := strings.Cut(provider, ":")
	if _, temporary := settings["sessionToken"]; temporary && kind == "aws" {
		provider = "aws:temporary"
	}
	names := variables[provider]
	if names == nil {
		names = variables[kind]
	}
	known := map[string]any{}
	for key, name := range names {
		if v := os.Getenv(name); v != "" {
			known[key] = v
		}
	}
	switch kind {
	case "local":
		known["key"] = localKey
	case "kmip":
		known["endpoint"] = "localhost:5698"
	}
	return known
}

// realTLS returns what upstream's KMIP server asks of its clients. Client Side Encryption Tests, "Use as integration tests".
func (r *Run) realTLS() map[string]*tls.Config {
	authority, certificate := os.Getenv("CSFLE_TLS_CA_FILE"), os.Getenv("CSFLE_TLS_CLIENT_CERT_FILE")
	if authority == "" || certificate == "" {
		return nil
	}
	data, err := os.ReadFile(authority)
	r.must(err, "read CSFLE_TLS_CA_FILE")
	pair, err := tls.LoadX509KeyPair(certificate, certificate)
	r.must(err, "read CSFLE_TLS_CLIENT_CERT_FILE")
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(data)
	return map[string]*tls.Config{"kmip": {RootCAs: pool, Certificates: []tls.Certificate{pair}}}
}
