package kmstest

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/specdrivers/onion/generated/core/kmstable"
)

// AWSAccount is an AWS account.
type AWSAccount struct {
	Name                         string // of the provider aws that uses it, such as name2; empty for one without a name
	AccessKeyID, SecretAccessKey string
	SessionToken                 string   // of temporary credentials: requests must have it
	Keys                         []string // the ARNs that it may use; none allows every key of every region
}

var defaultAccount = AWSAccount{AccessKeyID: "AKIDKMSTEST", SecretAccessKey: "kmstest-secret"}

// AWS makes the server accept these accounts instead of its own.
func AWS(accounts ...AWSAccount) Option {
	return func(s *Server) { s.accounts = append(s.accounts, accounts...) }
}

// answerAWS answers as AWS KMS.
func (s *Server) answerAWS(c *call, target string) reply {
	scope, signed := c.parseSignature()
	if !signed {
		return awsError("MissingAuthenticationTokenException", "the request is not signed")
	}
	i := slices.IndexFunc(s.accounts, func(a AWSAccount) bool { return a.AccessKeyID == scope.accessKeyID })
	if i < 0 || c.Header.Get("X-Amz-Security-Token") != s.accounts[i].SessionToken {
		return awsError("UnrecognizedClientException", "The security token included in the request is invalid.")
	}
	account := s.accounts[i]
	if scope.sign(c, account.SecretAccessKey) != scope.signature {
		return awsError("InvalidSignatureException", "the signature does not match")
	}
	switch target {
	case kmstable.AWSTargetEncrypt:
		arn := c.field("KeyId")
		plaintext, err := base64.StdEncoding.DecodeString(c.field("Plaintext"))
		if err != nil || len(plaintext) == 0 {
			return awsError("ValidationException", "there is no plaintext")
		}
		if !account.mayUse(arn, scope.region) {
			return awsError("NotFoundException", "Key '"+arn+"' does not exist in "+scope.region)
		}
		return succeed(map[string]any{"KeyId": arn, "CiphertextBlob": base64.StdEncoding.EncodeToString(s.wrap("aws", arn, plaintext))})
	case kmstable.AWSTargetDecrypt:
		blob, err := base64.StdEncoding.DecodeString(c.field("CiphertextBlob"))
		if err != nil {
			return awsError("ValidationException", "there is no ciphertext")
		}
		plaintext, arn, err := s.unwrap("aws", blob)
		if err != nil || !account.mayUse(arn, scope.region) {
			return awsError("InvalidCiphertextException", "no key of the account decrypts the ciphertext in "+scope.region)
		}
		return succeed(map[string]any{"KeyId": arn, "Plaintext": base64.StdEncoding.EncodeToString(plaintext)})
	}
	return awsError("UnknownOperationException", target)
}

// mayUse reports whether an account may use a key in a region. If another service wrapped the data key, its key has no
// name, and any key of the region will do.
func (a AWSAccount) mayUse(arn, region string) bool {
	in := func(arn string) bool {
		parts := strings.Split(arn, ":")
		return len(parts) == 6 && parts[3] == region
	}
	switch {
	case arn == "":
		return len(a.Keys) == 0 || slices.ContainsFunc(a.Keys, in)
	case len(a.Keys) > 0 && !slices.Contains(a.Keys, arn):
		return false
	}
	return in(arn)
}

func awsError(kind, message string) reply {
	return reply{http.StatusBadRequest, map[string]any{"__type": kind, "message": message}}
}

// account returns the account of a named provider, or the first one.
func (s *Server) account(name string) AWSAccount {
	i := slices.IndexFunc(s.accounts, func(a AWSAccount) bool { return a.Name == name })
	return s.accounts[max(i, 0)]
}

// settings returns what a client needs for the account.
func (a AWSAccount) settings() map[string]any {
	settings := map[string]any{"accessKeyId": a.AccessKeyID, "secretAccessKey": a.SecretAccessKey}
	if a.SessionToken != "" {
		settings["sessionToken"] = a.SessionToken
	}
	return settings
}

// path returns the path of a request as the client signs it.
func (c *call) path() string { return cmp.Or(c.URL.EscapedPath(), "/") }
