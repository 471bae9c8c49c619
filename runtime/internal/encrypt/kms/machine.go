package kms

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/kmstable"
	"github.com/specdrivers/onion/runtime/internal/callback"
	"github.com/specdrivers/onion/runtime/internal/web"
)

// askAzureMachine asks the metadata service of an Azure machine for a token.
//
// Client Side Encryption, "Obtaining an Access Token for Azure Key Vault".
func (s *Service) askAzureMachine(ctx context.Context) (token, error) {
	ctx, cancel := context.WithTimeout(ctx, kmstable.AzureIMDSTimeout)
	defer cancel()
	asked := s.now()
	address := kmstable.AzureIMDS + "?api-version=" + kmstable.AzureIMDSVersion + "&resource=" + url.QueryEscape(kmstable.AzureIMDSResource)
	doc, err := s.askMetadata(ctx, address, map[string]string{kmstable.AzureIMDSHeader: "true", "Accept": "application/json"})
	if err != nil {
		return token{}, fmt.Errorf("encrypt: getting the machine's token for the KMS provider azure: %w", err)
	}
	value, _ := doc.Lookup(kmstable.FieldAccessToken).StringOK()
	seconds, _ := doc.Lookup(kmstable.FieldExpiresIn).StringOK()
	if _, err := strconv.ParseUint(seconds, 10, 31); value == "" || err != nil {
		return token{}, errors.New("encrypt: the answer of the metadata service of Azure lacks access_token or a valid expires_in")
	}
	return token{value: value, ends: asked.Add(lifetimeOf(doc))}, nil
}

// askGCPMachine asks the metadata service of a Google Cloud machine for a token. The token is not cached.
//
// Client Side Encryption, "Obtaining GCP Credentials".
func (s *Service) askGCPMachine(ctx context.Context) (string, error) {
	host := s.getenv(kmstable.GCPMetadataHostEnv)
	if host == "" {
		host = kmstable.GCPMetadataHost
	}
	doc, err := s.askMetadata(ctx, "http://"+host+kmstable.GCPMetadataPath, map[string]string{"Metadata-Flavor": "Google"})
	if err != nil {
		return "", fmt.Errorf("encrypt: getting the machine's token for the KMS provider gcp: %w", err)
	}
	value, _ := doc.Lookup(kmstable.FieldAccessToken).StringOK()
	if value == "" {
		return "", errors.New("encrypt: the answer of the metadata service of Google Cloud lacks access_token")
	}
	return value, nil
}

// askMetadata reads a JSON object from a metadata service.
func (s *Service) askMetadata(ctx context.Context, address string, headers map[string]string) (bson.Raw, error) {
	answer, err := callback.Call(ctx, "HTTPClient", func(ctx context.Context) (web.Answer, error) {
		return s.web.Do(ctx, web.Request{Method: "GET", Address: address, Header: headers, Machine: true})
	}, nil)
	if err != nil {
		return nil, err
	}
	if answer.Status != http.StatusOK {
		return nil, fmt.Errorf("HTTP status=%d, response body=\n%s", answer.Status, answer.Body[:min(len(answer.Body), maxQuotedSize)])
	}
	doc, err := bson.ExtJSONToRaw(answer.Body, false)
	if err != nil {
		return nil, errors.New("the answer is not a JSON object") // the answer stays out of the error: it may hold a token
	}
	return doc, nil
}
