package auth

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

// jwtRequest returns the payload that presents a token.
func jwtRequest(token string) []byte {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendStringElement(dst, "jwt", token)
	return bson.AppendDocumentEnd(dst, start)
}

// principalRequest returns the payload that asks where to get tokens for a principal.
func principalRequest(username *string) []byte {
	dst, start := bson.AppendDocumentStart(nil)
	if username != nil {
		dst = bson.AppendStringElement(dst, "n", *username)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// parseIDPInfo reads the answer to principalRequest. A provider for machines has no client ID.
func parseIDPInfo(payload []byte) (*options.IDPInfo, error) {
	doc := bson.Raw(payload)
	if err := doc.Validate(); err != nil {
		return nil, fmt.Errorf("the server's identity provider: %w", err)
	}
	info := &options.IDPInfo{}
	var ok bool
	if info.Issuer, ok = doc.Lookup("issuer").StringOK(); !ok {
		return nil, errors.New("the server's identity provider has no issuer")
	}
	info.ClientID, _ = doc.Lookup("clientId").StringOK()
	scopes, _ := doc.Lookup("requestScopes").ArrayOK()
	for _, value := range scopes.All() {
		if scope, ok := value.StringOK(); ok {
			info.RequestScopes = append(info.RequestScopes, scope)
		}
	}
	return info, nil
}

// hostNotAllowedError says that a token must not be sent to a server.
type hostNotAllowedError struct{ address string }

func (e *hostNotAllowedError) Error() string {
	return fmt.Sprintf("%s is not one of the allowed hosts; options.Credential.OIDCAllowedHosts lists them", e.address)
}

// isAllowedHost compares a server's address, without its port, with the allowed hosts. A leading *. stands for any
// subdomain. MONGODB-OIDC, "ALLOWED_HOSTS".
func isAllowedHost(address string, allowed []string) bool {
	host := address
	if h, _, err := net.SplitHostPort(address); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	for _, pattern := range allowed {
		pattern = strings.ToLower(pattern)
		if domain, ok := strings.CutPrefix(pattern, "*"); ok && strings.HasPrefix(domain, ".") {
			if len(host) > len(domain) && strings.HasSuffix(host, domain) {
				return true
			}
		} else if host == pattern {
			return true
		}
	}
	return false
}
