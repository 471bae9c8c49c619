package kms

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/core/kmstable"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/auth"
)

func (s *Service) wrapAWS(ctx context.Context, p *provider, m *masterKey, dek []byte) ([]byte, error) {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendStringElement(dst, "Plaintext", base64.StdEncoding.EncodeToString(dek))
	dst = bson.AppendStringElement(dst, "KeyId", m.fields.text[kmstable.FieldKey])
	return s.callAWS(ctx, p, m, kmstable.AWSTargetEncrypt, bson.AppendDocumentEnd(dst, start), "CiphertextBlob")
}

func (s *Service) unwrapAWS(ctx context.Context, p *provider, m *masterKey, wrapped []byte) ([]byte, error) {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendStringElement(dst, "CiphertextBlob", base64.StdEncoding.EncodeToString(wrapped))
	return s.callAWS(ctx, p, m, kmstable.AWSTargetDecrypt, bson.AppendDocumentEnd(dst, start), "Plaintext")
}

// callAWS signs a request and returns a field of the answer.
func (s *Service) callAWS(ctx context.Context, p *provider, m *masterKey, target string, fields bson.Raw, result string) ([]byte, error) {
	key, err := s.awsKey(ctx, p)
	if err != nil {
		return nil, err
	}
	region := m.fields.text[kmstable.FieldRegion]
	to, err := m.endpoint(kmstable.FieldEndpoint, fmt.Sprintf(kmstable.AWSHost, region))
	if err != nil {
		return nil, fmt.Errorf("encrypt: the master key of %s: %w", m.id, err)
	}
	body, err := compactJSON(fields)
	if err != nil {
		return nil, err
	}
	doc, err := s.post(ctx, p, signAWS(key, to, region, target, s.now().UTC().Format(authtable.AWSDateFormat), body))
	if err != nil {
		return nil, err
	}
	return base64Field(doc, result, base64.StdEncoding)
}

// signAWS returns a request with its signature. The header Connection is not signed.
func signAWS(key options.AWSCredentials, to endpoint, region, target, date, body string) request {
	signed := []auth.AWSHeader{
		{Name: "content-length", Value: strconv.Itoa(len(body))},
		{Name: "content-type", Value: kmstable.AWSContentType},
		{Name: "host", Value: to.header()},
		{Name: "x-amz-date", Value: date},
	}
	headers := []string{"Content-Type", kmstable.AWSContentType, "Host", to.header(), authtable.AWSHeaderDate, date}
	if key.SessionToken != "" {
		signed = append(signed, auth.AWSHeader{Name: "x-amz-security-token", Value: key.SessionToken})
		headers = append(headers, authtable.AWSHeaderSecurityToken, key.SessionToken)
	}
	signed = append(signed, auth.AWSHeader{Name: "x-amz-target", Value: target})
	headers = append(headers, "X-Amz-Target", target,
		"Authorization", auth.SignAWS(key, region, kmstable.AWSService, date, signed, body))
	return request{to: to, path: authtable.AWSPath, headers: headers, body: body}
}

// awsKey returns the key to sign with: the key in the settings, or one that the machine offers.
func (s *Service) awsKey(ctx context.Context, p *provider) (options.AWSCredentials, error) {
	if p.onDemand {
		key, err := s.aws.CurrentKeys(ctx)
		if err != nil {
			return key, fmt.Errorf("encrypt: credentials for the KMS provider %s: %w", p.id, err)
		}
		return key, nil
	}
	return options.AWSCredentials{
		AccessKeyID: p.fields.text[kmstable.FieldAccessKeyID], SecretAccessKey: p.fields.text[kmstable.FieldSecretAccessKey],
		SessionToken: p.fields.text[kmstable.FieldSessionToken],
	}, nil
}

// compactJSON writes a document of texts as JSON.
func compactJSON(doc bson.Raw) (string, error) {
	var b strings.Builder
	for key, value := range doc.All() {
		text, ok := value.StringOK()
		if !ok {
			return "", errors.New("encrypt: a request has a field that is not a string")
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoteJSON(key) + ": " + quoteJSON(text))
	}
	return "{" + b.String() + "}", nil
}

// quoteJSON quotes a text. strconv.Quote would use escapes that JSON does not have.
func quoteJSON(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// base64Field decodes a field of an answer. No error quotes the field, because it may be a data key.
func base64Field(doc bson.Raw, field string, encoding *base64.Encoding) ([]byte, error) {
	value, err := text(doc, field)
	if err != nil {
		return nil, err
	}
	if encoding == base64.RawURLEncoding {
		value = strings.TrimRight(value, "=")
	}
	b, err := encoding.DecodeString(value)
	if err != nil {
		return nil, errors.New("encrypt: failed to base64 decode the field " + field + " of the KMS response")
	}
	return b, nil
}
