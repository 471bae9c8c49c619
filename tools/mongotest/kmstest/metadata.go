package kmstest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/core/kmstable"
)

// The role of the machine that the metadata service of AWS describes.
const awsRole = "kmstest-role"

// HTTPClient returns a client that reaches the metadata services of a machine in AWS, Azure or Google Cloud. They issue
// credentials that the server accepts. It fits the HTTPClient of a client's options, together with empty settings of
// the provider.
func (s *Server) HTTPClient() *http.Client { return &http.Client{Transport: metadata{s}} }

// metadata is the network of such a machine.
type metadata struct{ *Server }

// RoundTrip answers a request. A fault that breaks the connection returns an error, as on a network.
func (m metadata) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	a := m.describe(r)
	switch f := m.takeFault(r.URL.Host, "metadata"); {
	case f == nil:
	case f.hang:
		<-r.Context().Done()
		return nil, r.Context().Err()
	case f.status == 0:
		return nil, io.ErrUnexpectedEOF
	default:
		a = reply{f.status, map[string]any{"error": "injected"}}
	}
	data, plain := a.body.(string)
	if !plain {
		encoded, err := json.Marshal(a.body)
		if err != nil {
			return nil, err
		}
		data = string(encoded)
	}
	return &http.Response{
		Status: strconv.Itoa(a.status) + " " + http.StatusText(a.status), StatusCode: a.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte(data))), ContentLength: int64(len(data)), Request: r,
	}, nil
}

// describe finds the service that a request is for.
func (s *Server) describe(r *http.Request) reply {
	imds, err := url.Parse(kmstable.AzureIMDS)
	if err != nil {
		return fail(http.StatusInternalServerError, "%v", err)
	}
	host, path := r.URL.Scheme+"://"+r.URL.Host, r.URL.Path
	switch {
	case r.URL.Host == imds.Host && path == imds.Path:
		return s.describeAzureMachine(r)
	case path == kmstable.GCPMetadataPath:
		if r.Header.Get("Metadata-Flavor") != "Google" {
			return fail(http.StatusForbidden, "Metadata-Flavor is missing")
		}
		return s.newToken()
	case host == authtable.AWSEC2Endpoint && strings.HasPrefix(path, "/latest/"):
		return s.describeAWSMachine(r)
	}
	return fail(http.StatusNotFound, "there is no service at %s", r.URL)
}

// describeAzureMachine issues a token. Its expiry in seconds is a string there.
func (s *Server) describeAzureMachine(r *http.Request) reply {
	asked := r.URL.Query()
	switch {
	case asked.Get("api-version") != kmstable.AzureIMDSVersion:
		return fail(http.StatusBadRequest, "api-version is wrong")
	case strings.TrimSuffix(asked.Get("resource"), "/") != kmstable.AzureIMDSResource:
		return fail(http.StatusBadRequest, "resource is wrong")
	case r.Header.Get(kmstable.AzureIMDSHeader) != "true":
		return fail(http.StatusBadRequest, "%s is missing", kmstable.AzureIMDSHeader)
	}
	a := s.newToken()
	a.body.(map[string]any)["expires_in"] = strconv.Itoa(tokenLife)
	return a
}

// describeAWSMachine issues the credentials of the first account. The client first gets a token, then the name of the machine's
// role.
func (s *Server) describeAWSMachine(r *http.Request) reply {
	if r.Method == http.MethodPut && r.URL.Path == authtable.AWSEC2TokenPath {
		if r.Header.Get(authtable.AWSEC2TokenTTLHeader) == "" {
			return fail(http.StatusBadRequest, "the life of the token is missing")
		}
		token, _ := s.newToken().body.(map[string]any)["access_token"].(string)
		return succeed(token)
	}
	s.mu.Lock()
	known := s.tokens[r.Header.Get(authtable.AWSEC2TokenHeader)]
	s.mu.Unlock()
	role, below := strings.CutPrefix(r.URL.Path, authtable.AWSEC2CredentialsPath)
	switch {
	case !known:
		return fail(http.StatusUnauthorized, "the token is not known")
	case below && role == "":
		return succeed(awsRole)
	case below && role == awsRole:
		a := s.accounts[0]
		return succeed(map[string]any{
			"Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": a.AccessKeyID, "SecretAccessKey": a.SecretAccessKey,
			"Token":      a.SessionToken,
			"Expiration": time.Now().Add(tokenLife * time.Second).UTC().Format(time.RFC3339),
		})
	}
	return fail(http.StatusNotFound, "there is nothing at %s", r.URL.Path)
}
