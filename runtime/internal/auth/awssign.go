package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"

	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/options"
)

// The last part of every credential scope, and the prefix of the secret in the derivation of the signing key.
const (
	awsTerminator   = "aws4_request"
	awsSecretPrefix = "AWS4"
)

// awsSignature is what Signature Version 4 signs with and over.
type awsSignature struct {
	key          options.AWSCredentials
	nonce        []byte
	host, region string
	at           time.Time
}

func (s *awsSignature) date() string { return s.at.UTC().Format(authtable.AWSDateFormat) }

// headers lists the signed headers, ordered by name.
func (s *awsSignature) headers() []AWSHeader {
	headers := []AWSHeader{
		{"content-length", authtable.AWSContentLength},
		{"content-type", authtable.AWSContentType},
		{"host", s.host},
		{strings.ToLower(authtable.AWSHeaderDate), s.date()},
	}
	if s.key.SessionToken != "" {
		headers = append(headers, AWSHeader{strings.ToLower(authtable.AWSHeaderSecurityToken), s.key.SessionToken})
	}
	return append(headers,
		AWSHeader{strings.ToLower(authtable.AWSHeaderGS2CBFlag), string(rune(authtable.AWSGS2CBFlag))},
		AWSHeader{strings.ToLower(authtable.AWSHeaderServerNonce), base64.StdEncoding.EncodeToString(s.nonce)},
	)
}

// authorization is the Authorization header of the request. MONGODB-AWS, "Conversation".
func (s *awsSignature) authorization() string {
	return SignAWS(s.key, s.region, authtable.AWSService, s.date(), s.headers(), authtable.AWSBody)
}

// SignAWS returns the Authorization header for a POST request to / without a query. date is the value of X-Amz-Date.
func SignAWS(key options.AWSCredentials, region, service, date string, headers []AWSHeader, body string) string {
	r := &AWSRequest{Method: authtable.AWSMethod, Path: authtable.AWSPath, Headers: headers, Body: body}
	return r.Sign(key, region, service, date)
}

// Sign returns the Authorization header for the request. date is the value of X-Amz-Date.
func (r *AWSRequest) Sign(key options.AWSCredentials, region, service, date string) string {
	canonical, signed := r.Canonical()
	day, _, _ := strings.Cut(date, "T")
	scope := strings.Join([]string{day, region, service, awsTerminator}, "/")
	toSign := StringToSign(canonical, date, scope)
	secret := []byte(awsSecretPrefix + key.SecretAccessKey)
	for _, part := range []string{day, region, service, awsTerminator} {
		secret = keyedDigest(secret, part)
	}
	return authtable.AWSAlgorithm + " Credential=" + key.AccessKeyID + "/" + scope +
		", SignedHeaders=" + signed + ", Signature=" + hex.EncodeToString(keyedDigest(secret, toSign))
}

// StringToSign is what the signature signs: a digest of the canonical request, with its date and scope.
func StringToSign(canonical, date, scope string) string {
	return strings.Join([]string{authtable.AWSAlgorithm, date, scope, hexDigest(canonical)}, "\n")
}

func keyedDigest(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
