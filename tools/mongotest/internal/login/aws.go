package login

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// The body of the GetCallerIdentity request that the client signs.
const awsBody = "Action=GetCallerIdentity&Version=2011-06-15"

// awsConversation is MONGODB-AWS: the server sends a nonce, and the client answers with a signature of a request to
// STS. A real server asks STS to check it. This one computes the signature with the secret that the test configured.
type awsConversation struct {
	directory   *Directory
	serverNonce []byte
	principal   Principal
}

func (c *awsConversation) user() Principal { return c.principal }

func (c *awsConversation) step(payload []byte) ([]byte, bool, error) {
	doc := bson.Raw(payload)
	if doc.Validate() != nil {
		return nil, false, errAuthentication()
	}
	if c.serverNonce == nil {
		return c.first(doc)
	}
	return c.second(doc)
}

func (c *awsConversation) first(doc bson.Raw) ([]byte, bool, error) {
	_, nonce, ok := doc.Lookup("r").BinaryOK()
	binding, _ := doc.Lookup("p").AsInt64OK()
	if !ok || len(nonce) != 32 || binding != 'n' {
		return nil, false, status.Errorf(errcode.AuthenticationFailed, "Incorrect client first message")
	}
	c.serverNonce = make([]byte, 64)
	copy(c.serverNonce, nonce)
	rand.Read(c.serverNonce[32:]) // it never fails
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendBinaryElement(dst, "s", 0, c.serverNonce)
	dst = bson.AppendStringElement(dst, "h", "sts.amazonaws.com")
	return bson.AppendDocumentEnd(dst, start), false, nil
}

func (c *awsConversation) second(doc bson.Raw) ([]byte, bool, error) {
	authorization, _ := doc.Lookup("a").StringOK()
	date, _ := doc.Lookup("d").StringOK()
	token, _ := doc.Lookup("t").StringOK()
	a, err := parseAuthorization(authorization)
	if err != nil || len(date) < 8 {
		return nil, false, errAuthentication()
	}
	for _, key := range c.directory.config.AWSKeys {
		if key.AccessKeyID != a.accessKey || key.SessionToken != token {
			continue
		}
		if c.signature(key, a, date, token) == a.signature {
			c.principal = Principal{key.ARN, external}
			return nil, true, nil
		}
	}
	return nil, false, errAuthentication()
}

// awsAuthorization is a parsed Authorization header of Signature Version 4.
type awsAuthorization struct {
	accessKey, date, region, service string
	signedHeaders                    string
	signature                        string
}

func parseAuthorization(header string) (awsAuthorization, error) {
	rest, ok := strings.CutPrefix(header, "AWS4-HMAC-SHA256 ")
	if !ok {
		return awsAuthorization{}, fmt.Errorf("the authorization is not AWS4-HMAC-SHA256")
	}
	values := map[string]string{}
	for _, part := range strings.Split(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		values[name] = value
	}
	scope := strings.Split(values["Credential"], "/")
	if len(scope) != 5 || scope[4] != "aws4_request" {
		return awsAuthorization{}, fmt.Errorf("the credential scope has %d parts", len(scope))
	}
	return awsAuthorization{
		accessKey: scope[0], date: scope[1], region: scope[2], service: scope[3],
		signedHeaders: values["SignedHeaders"], signature: values["Signature"],
	}, nil
}

// signature computes the signature that the client should send.
func (c *awsConversation) signature(key AWSKey, a awsAuthorization, date, token string) string {
	headers := map[string]string{
		"content-length":         fmt.Sprint(len(awsBody)),
		"content-type":           "application/x-www-form-urlencoded",
		"host":                   "sts.amazonaws.com",
		"x-amz-date":             date,
		"x-amz-security-token":   token,
		"x-mongodb-gs2-cb-flag":  "n",
		"x-mongodb-server-nonce": base64.StdEncoding.EncodeToString(c.serverNonce),
	}
	var request bytes.Buffer
	request.WriteString("POST\n/\n\n")
	for _, name := range strings.Split(a.signedHeaders, ";") {
		fmt.Fprintf(&request, "%s:%s\n", name, headers[name])
	}
	fmt.Fprintf(&request, "\n%s\n%s", a.signedHeaders, hexSHA256([]byte(awsBody)))
	scope := a.date + "/" + a.region + "/" + a.service + "/aws4_request"
	toSign := "AWS4-HMAC-SHA256\n" + date + "\n" + scope + "\n" + hexSHA256(request.Bytes())
	k := []byte("AWS4" + key.SecretAccessKey)
	for _, part := range []string{a.date, a.region, a.service, "aws4_request", toSign} {
		mac := hmac.New(sha256.New, k)
		mac.Write([]byte(part))
		k = mac.Sum(nil)
	}
	return hex.EncodeToString(k)
}

func hexSHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
