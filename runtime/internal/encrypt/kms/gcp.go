package kms

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/specdrivers/onion/generated/core/kmstable"
)

func (s *Service) wrapGCP(ctx context.Context, p *provider, m *masterKey, dek []byte) ([]byte, error) {
	path, err := m.resource(true)
	if err != nil {
		return nil, err
	}
	return s.callGCP(ctx, p, m, path+":encrypt", "plaintext", dek, "ciphertext")
}

// unwrapGCP names no version of the key: the service finds it in the ciphertext.
func (s *Service) unwrapGCP(ctx context.Context, p *provider, m *masterKey, wrapped []byte) ([]byte, error) {
	path, err := m.resource(false)
	if err != nil {
		return nil, err
	}
	return s.callGCP(ctx, p, m, path+":decrypt", "ciphertext", wrapped, "plaintext")
}

// resource returns the path of a key.
func (m *masterKey) resource(version bool) (string, error) {
	path := "/v1"
	for _, part := range []struct{ name, field string }{
		{"projects", kmstable.FieldProjectID}, {"locations", kmstable.FieldLocation},
		{"keyRings", kmstable.FieldKeyRing}, {"cryptoKeys", kmstable.FieldKeyName},
		{"cryptoKeyVersions", kmstable.FieldKeyVersion},
	} {
		value := m.fields.text[part.field]
		if part.field == kmstable.FieldKeyVersion && (!version || value == "") {
			continue
		}
		if value != url.PathEscape(value) || strings.ContainsAny(value, "$&+,/:;=@") {
			return "", fmt.Errorf(
				"encrypt: the field %s of the master key of %s has characters that cannot stand in a path",
				part.field, m.id)
		}
		path += "/" + part.name + "/" + value
	}
	return path, nil
}

func (s *Service) callGCP(ctx context.Context, p *provider, m *masterKey, path, field string, data []byte, result string) ([]byte, error) {
	to, err := m.endpoint(kmstable.FieldEndpoint, kmstable.GCPHost)
	if err != nil {
		return nil, fmt.Errorf("encrypt: the master key of %s: %w", m.id, err)
	}
	accessToken, err := s.gcpToken(ctx, p, to)
	if err != nil {
		return nil, err
	}
	body := `{"` + field + `": "` + base64.StdEncoding.EncodeToString(data) + `"}`
	doc, err := s.post(ctx, p, newBearerRequest(to, path, accessToken, body))
	if err != nil {
		return nil, err
	}
	return base64Field(doc, result, base64.StdEncoding)
}

// gcpToken returns the token in the settings, or one from the machine, or one for the private key.
func (s *Service) gcpToken(ctx context.Context, p *provider, service endpoint) (string, error) {
	if given := p.fields.text[accessTokenField]; given != "" {
		return given, nil
	}
	if p.onDemand {
		return s.askGCPMachine(ctx)
	}
	scope := fmt.Sprintf(kmstable.GCPScope, service.domain())
	if service.host == kmstable.GCPHost {
		scope = fmt.Sprintf(kmstable.GCPScope, "googleapis.com")
	}
	return s.tokenOf(ctx, p.id+" "+scope, margin, func(ctx context.Context) (token, error) {
		host := p.fields.text[kmstable.FieldEndpoint]
		if host == "" {
			host = kmstable.GCPLoginHost
		}
		to, err := parseEndpoint(host, false, p.Port)
		if err != nil {
			return token{}, err
		}
		assertion, err := signJWT(p.fields.bytes[kmstable.FieldPrivateKey], p.fields.text[kmstable.FieldEmail],
			"https://"+to.host+"/token", scope, s.now())
		if err != nil {
			return token{}, err
		}
		return s.login(ctx, p, newFormRequest(to, "/token", "grant_type="+url.QueryEscape(kmstable.GCPGrant)+"&assertion="+assertion))
	})
}

// signJWT returns the assertion that asks for a token, signed with the private key of a service account. RFC 7515, section 3; RFC 7523.
func signJWT(privateKey []byte, email, audience, scope string, now time.Time) (string, error) {
	parsed, err := x509.ParsePKCS8PrivateKey(privateKey)
	if err != nil {
		return "", errors.New("encrypt: the privateKey of the KMS provider gcp is not a PKCS #8 key")
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return "", errors.New("encrypt: the privateKey of the KMS provider gcp is not an RSA key")
	}
	issued := now.Unix()
	claims := `{"iss": ` + quoteJSON(email) + `, "aud": ` + quoteJSON(audience) + `, "scope": ` + quoteJSON(scope) +
		`, "iat": ` + strconv.FormatInt(issued, 10) +
		`, "exp": ` + strconv.FormatInt(issued+int64(kmstable.GCPTokenLife/time.Second), 10) + `}`
	encode := base64.RawURLEncoding.EncodeToString
	signing := encode([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + encode([]byte(claims))
	sum := sha256.Sum256([]byte(signing))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		return "", errors.New("encrypt: signing with the privateKey of the KMS provider gcp failed")
	}
	return signing + "." + encode(signature), nil
}
