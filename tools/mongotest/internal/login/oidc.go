package login

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
)

// oidcConversation is MONGODB-OIDC. The server answers a first message without a token with the address of the token
// provider. A message with a token ends the conversation.
type oidcConversation struct {
	directory *Directory
	named     string // the principal that the client named first
	principal Principal
}

func (c *oidcConversation) user() Principal { return c.principal }

func (c *oidcConversation) step(payload []byte) ([]byte, bool, error) {
	doc := bson.Raw(payload)
	if doc.Validate() != nil {
		return nil, false, errAuthentication()
	}
	jwt, ok := doc.Lookup("jwt").StringOK()
	if !ok {
		c.named, _ = doc.Lookup("n").StringOK()
		provider, ok := c.directory.config.providerOf(c.named)
		if !ok {
			return nil, false, errAuthentication()
		}
		return provider.describe(), false, nil
	}
	for _, token := range c.directory.config.Tokens {
		if _, revoked := c.directory.revoked.Load(jwt); revoked || token.JWT != jwt || c.named != "" && c.named != token.Principal {
			continue
		}
		c.principal = Principal{token.Principal, external}
		return nil, true, nil
	}
	return nil, false, errAuthentication()
}

// providerOf returns the identity provider of a principal. A client that names no principal gets the only provider.
func (c *Config) providerOf(name string) (IdentityProvider, bool) {
	if len(c.Providers) == 0 {
		return IdentityProvider{Issuer: "https://localhost/issuer", ClientID: "mongotest"}, true
	}
	if name == "" {
		return c.Providers[0], len(c.Providers) == 1
	}
	for _, p := range c.Providers {
		if strings.HasSuffix(name, p.Domain) {
			return p, true
		}
	}
	return IdentityProvider{}, false
}

func (p IdentityProvider) describe() bson.Raw {
	f := reply.New().String("issuer", p.Issuer)
	if p.ClientID != "" {
		f.String("clientId", p.ClientID).Value("requestScopes", bson.A{"openid"})
	}
	return f.Done()
}
