package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"

	authtable "github.com/specdrivers/onion/generated/core/auth"
)

// The last part of every credential scope, and the prefix of the secret in the derivation of the signing key.
const (
	awsTerminator   = "aws4_request"
	awsSecretPrefix = "AWS4"
)

// awsHeader is one header of the request that is signed, its name in lower case.
type awsHeader struct{ name, value string }

// headers are those that are signed, ordered by name.
func (s *awsSignature) headers() []awsHeader {
	headers := []awsHeader{
		{"content-length", authtable.AWSContentLength},
		{"content-type", authtable.AWSContentType},
		{"host", s.host},
		{strings.ToLower(authtable.AWSHeaderDate), s.date()},
	}
	if s.key.SessionToken != "" {
		headers = append(headers, awsHeader{strings.ToLower(authtable.AWSHeaderSecurityToken), s.key.SessionToken})
	}
	return append(headers,
		awsHeader{strings.ToLower(authtable.AWSHeaderGS2CBFlag), string(rune(authtable.AWSGS2CBFlag))},
		awsHeader{strings.ToLower(authtable.AWSHeaderServerNonce), base64.StdEncoding.EncodeToString(s.nonce)},
	)
}

// authorization is the Authorization header of the request. MONGODB-AWS, "Conversation".
func (s *awsSignature) authorization() string {
	var canonical strings.Builder
	canonical.WriteString(authtable.AWSMethod + "\n" + authtable.AWSPath + "\n\n") // there is no query
	var names []string
	for _, h := range s.headers() {
		canonical.WriteString(h.name + ":" + h.value + "\n")
		names = append(names, h.name)
	}
	signed := strings.Join(names, ";")
	canonical.WriteString("\n" + signed + "\n" + hexDigest(authtable.AWSBody))

	date := s.date()
	day, _, _ := strings.Cut(date, "T")
	scope := strings.Join([]string{day, s.region, authtable.AWSService, awsTerminator}, "/")
	toSign := strings.Join([]string{authtable.AWSAlgorithm, date, scope, hexDigest(canonical.String())}, "\n")

	key := []byte(awsSecretPrefix + s.key.SecretAccessKey)
	for _, part := range []string{day, s.region, authtable.AWSService, awsTerminator} {
		key = keyedDigest(key, part)
	}
	return authtable.AWSAlgorithm + " Credential=" + s.key.AccessKeyID + "/" + scope +
		", SignedHeaders=" + signed + ", Signature=" + hex.EncodeToString(keyedDigest(key, toSign))
}

func keyedDigest(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func hexDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
