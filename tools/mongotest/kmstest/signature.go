package kmstest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/generated/core/kmstable"
)

// scope holds the parts of the Authorization header of a signed request. AWS Signature Version 4.
type scope struct {
	accessKeyID, date, region, service string
	headers                            []string
	signature                          string
}

const algorithm = "AWS4-HMAC-SHA256"

// parseSignature reads the Authorization header.
func (c *call) parseSignature() (scope, bool) {
	rest, found := strings.CutPrefix(c.Header.Get("Authorization"), algorithm+" ")
	if !found {
		return scope{}, false
	}
	var s scope
	for _, part := range strings.Split(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "Credential":
			parts := strings.Split(value, "/")
			if len(parts) != 5 || parts[4] != "aws4_request" {
				return scope{}, false
			}
			s.accessKeyID, s.date, s.region, s.service = parts[0], parts[1], parts[2], parts[3]
		case "SignedHeaders":
			s.headers = strings.Split(value, ";")
		case "Signature":
			s.signature = value
		}
	}
	return s, s.accessKeyID != "" && s.service == kmstable.AWSService && s.signature != ""
}

// sign computes the signature that the request should have.
func (s scope) sign(c *call, secret string) string {
	var headers strings.Builder
	for _, name := range s.headers {
		headers.WriteString(name + ":" + strings.TrimSpace(c.header(name)) + "\n")
	}
	request := strings.Join([]string{
		c.Method, c.path(), c.URL.RawQuery, headers.String(), strings.Join(s.headers, ";"), hexHash(string(c.body)),
	}, "\n")
	credential := strings.Join([]string{s.date, s.region, s.service, "aws4_request"}, "/")
	text := strings.Join([]string{algorithm, c.Header.Get("X-Amz-Date"), credential, hexHash(request)}, "\n")
	key := []byte("AWS4" + secret)
	for _, part := range []string{s.date, s.region, s.service, "aws4_request", text} {
		key = hmacOf(key, part)
	}
	return hex.EncodeToString(key)
}

// header returns the value of a header, including those that package http removes.
func (c *call) header(name string) string {
	switch name {
	case "host":
		return c.Host
	case "content-length":
		return strconv.Itoa(len(c.body))
	}
	return strings.Join(c.Header.Values(name), ",")
}

func hexHash(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

func hmacOf(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
