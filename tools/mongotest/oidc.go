package mongotest

import (
	"strings"

	"github.com/specdrivers/onion/bson"
)

// RevokeToken makes MONGODB-OIDC refuse a token from now on, as if it had expired. Connections that have authenticated
// with it stay so.
func (d *Deployment) RevokeToken(jwt string) { d.revoked.Store(jwt, true) }

// oidcConversation is MONGODB-OIDC. A first message that names a principal, or nobody, is answered with where tokens come
// from; a message with a token ends the conversation.
type oidcConversation struct {
	d         *Deployment
	named     string // the principal that the client named first
	principal principal
}

func (c *oidcConversation) who() principal { return c.principal }

func (c *oidcConversation) step(payload []byte) ([]byte, bool, error) {
	doc := bson.Raw(payload)
	if doc.Validate() != nil {
		return nil, false, errAuthentication()
	}
	jwt, ok := doc.Lookup("jwt").StringOK()
	if !ok {
		c.named, _ = doc.Lookup("n").StringOK()
		provider, ok := c.d.config.providerOf(c.named)
		if !ok {
			return nil, false, errAuthentication()
		}
		return provider.describe(), false, nil
	}
	for _, token := range c.d.config.tokens {
		if _, revoked := c.d.revoked.Load(jwt); revoked || token.JWT != jwt || c.named != "" && c.named != token.Principal {
			continue
		}
		c.principal = principal{token.Principal, "$external"}
		return nil, true, nil
	}
	return nil, false, errAuthentication()
}

// providerOf is the identity provider of a principal. Nobody's is the only one there is.
func (c *config) providerOf(name string) (IdentityProvider, bool) {
	if len(c.providers) == 0 {
		return IdentityProvider{Issuer: "https://localhost/issuer", ClientID: "mongotest"}, true
	}
	if name == "" {
		return c.providers[0], len(c.providers) == 1
	}
	for _, p := range c.providers {
		if strings.HasSuffix(name, p.Domain) {
			return p, true
		}
	}
	return IdentityProvider{}, false
}

func (p IdentityProvider) describe() bson.Raw {
	f := newReply().str("issuer", p.Issuer)
	if p.ClientID != "" {
		f.str("clientId", p.ClientID).value("requestScopes", bson.A{"openid"})
	}
	return f.done()
}
