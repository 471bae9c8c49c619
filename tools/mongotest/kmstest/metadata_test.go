package kmstest_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/core/kmstable"
	"github.com/specdrivers/onion/tools/mongotest/kmstest"
)

// ask asks a metadata service.
func ask(t *testing.T, client *http.Client, method, address string, headers ...string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(data)
}

func TestMetadataServices(t *testing.T) {
	client := kmstest.Start(t, kmstest.AWS(kmstest.AWSAccount{AccessKeyID: "id", SecretAccessKey: "secret", SessionToken: "session"})).HTTPClient()
	_, token := ask(t, client, http.MethodPut, authtable.AWSEC2Endpoint+authtable.AWSEC2TokenPath, authtable.AWSEC2TokenTTLHeader, "60")
	credentials := authtable.AWSEC2Endpoint + authtable.AWSEC2CredentialsPath
	_, role := ask(t, client, http.MethodGet, credentials, authtable.AWSEC2TokenHeader, token)
	azure := kmstable.AzureIMDS + "?api-version=" + kmstable.AzureIMDSVersion + "&resource=" + url.QueryEscape(kmstable.AzureIMDSResource)
	google := "http://" + kmstable.GCPMetadataHost + kmstable.GCPMetadataPath
	for _, tt := range []struct {
		name, method, address string
		headers               []string
		status                int
		want                  string
	}{
		{"AWS, credentials", http.MethodGet, credentials + role, []string{authtable.AWSEC2TokenHeader, token}, 200, `"SecretAccessKey":"secret"`},
		{"AWS, no token", http.MethodGet, credentials + role, nil, 401, "the token is not known"},
		{"AWS, another role", http.MethodGet, credentials + "x", []string{authtable.AWSEC2TokenHeader, token}, 404, "there is nothing at"},
		{"AWS, a token without a life", http.MethodPut, authtable.AWSEC2Endpoint + authtable.AWSEC2TokenPath, nil, 400, "the life of the token"},
		{"Azure", http.MethodGet, azure, []string{"Metadata", "true"}, 200, `"expires_in":"3600"`},
		{"Azure, no header", http.MethodGet, azure, nil, 400, "Metadata is missing"},
		{"Azure, no version", http.MethodGet, kmstable.AzureIMDS, []string{"Metadata", "true"}, 400, "api-version is wrong"},
		{"Azure, another resource", http.MethodGet, azure + "x", []string{"Metadata", "true"}, 400, "resource is wrong"},
		{"Google", http.MethodGet, google, []string{"Metadata-Flavor", "Google"}, 200, "access_token"},
		{"Google, no header", http.MethodGet, google, nil, 403, "Metadata-Flavor is missing"},
		{"nothing", http.MethodGet, "http://example.com/", nil, 404, "there is no service"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if status, body := ask(t, client, tt.method, tt.address, tt.headers...); status != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("got %d %s, want %d %s", status, body, tt.status, tt.want)
			}
		})
	}
}

func TestFaultsOfMetadataServices(t *testing.T) {
	s := kmstest.Start(t)
	client := s.HTTPClient()
	s.Fail(1, http.StatusBadGateway)
	s.Break(1)
	if status, _ := ask(t, client, http.MethodGet, kmstable.AzureIMDS, "Metadata", "true"); status != http.StatusBadGateway {
		t.Errorf("status %d", status)
	}
	if status, body := ask(t, client, http.MethodGet, kmstable.AzureIMDS, "Metadata", "true"); status != 0 || !strings.Contains(body, "EOF") {
		t.Errorf("status %d, %s", status, body)
	}
	s.Hang(1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, kmstable.AzureIMDS, nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := client.Do(r); err == nil {
		answer.Body.Close()
		t.Error("there is an answer")
	}
}

func TestProxy(t *testing.T) {
	p, err := kmstest.Start(t).NewProxy(nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Refuse(1)
	if _, err := p.Connect(t.Context(), "kms.us-east-1.amazonaws.com:443"); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("got %v", err)
	}
	nc, err := p.Connect(t.Context(), "kms.us-east-1.amazonaws.com:443")
	if err != nil || p.Connected() != 1 {
		t.Fatalf("%d connections, %v", p.Connected(), err)
	}
	defer nc.Close()
	p.Close()
	p.Close()
	if _, err := p.Connect(t.Context(), "any:1"); err == nil {
		t.Error("a proxy that is closed connects")
	}
}
