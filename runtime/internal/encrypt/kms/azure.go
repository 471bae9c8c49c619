package kms

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"

	"github.com/specdrivers/onion/generated/core/kmstable"
)

// callAzure has a key vault wrap or unwrap a data key.
func (s *Service) callAzure(ctx context.Context, p *provider, m *masterKey, operation string, data []byte) ([]byte, error) {
	to, err := m.endpoint(kmstable.FieldKeyVaultEndpoint, "")
	if err != nil {
		return nil, fmt.Errorf("encrypt: the master key of %s: %w", m.id, err)
	}
	accessToken, err := s.azureToken(ctx, p, to)
	if err != nil {
		return nil, err
	}
	// Without a version the path has two slashes, and the service takes the current version.
	path := "/keys/" + url.PathEscape(m.fields.text[kmstable.FieldKeyName]) + "/" +
		url.PathEscape(m.fields.text[kmstable.FieldKeyVersion]) +
		"/" + operation + "?api-version=" + kmstable.AzureVersion
	body := `{"alg": "` + kmstable.AzureAlgorithm + `", "value": "` + base64.RawURLEncoding.EncodeToString(data) + `"}`
	doc, err := s.post(ctx, p, newBearerRequest(to, path, accessToken, body))
	if err != nil {
		return nil, err
	}
	return base64Field(doc, "value", base64.RawURLEncoding)
}

// azureToken returns the token in the settings, or one from the machine, or one for the client's secret.
func (s *Service) azureToken(ctx context.Context, p *provider, vault endpoint) (string, error) {
	if given := p.fields.text[accessTokenField]; given != "" {
		return given, nil
	}
	if p.onDemand {
		return s.tokenOf(ctx, p.id, kmstable.AzureTokenReserve, s.askAzureMachine)
	}
	scope := "https://" + vault.domain() + "/.default"
	return s.tokenOf(ctx, p.id+" "+scope, margin, func(ctx context.Context) (token, error) {
		host := p.fields.text[kmstable.FieldIdentityPlatformEndpoint]
		if host == "" {
			host = kmstable.AzureLoginHost
		}
		to, err := parseEndpoint(host, false, p.Port)
		if err != nil {
			return token{}, err
		}
		// The secret is escaped. libmongocrypt sends it as it is, so secrets with some characters do not work there.
		body := "client_id=" + url.QueryEscape(p.fields.text[kmstable.FieldClientID]) + "&scope=" + url.QueryEscape(scope) +
			"&client_secret=" + url.QueryEscape(p.fields.text[kmstable.FieldClientSecret]) + "&grant_type=client_credentials"
		path := fmt.Sprintf(kmstable.AzureTokenPath, url.PathEscape(p.fields.text[kmstable.FieldTenantID]))
		return s.login(ctx, p, newFormRequest(to, path, body))
	})
}
