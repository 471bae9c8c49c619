package mongotest

import (
	"github.com/specdrivers/onion/bson"
)

// oidcConversation is MONGODB-OIDC. A first message that names a principal, or nobody, is answered with where tokens come
// from; a message with a token ends the conversation.
type oidcConversation struct {
	d         *Deployment
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
		reply := newReply().str("issuer", "https://localhost/issuer").str("clientId", "mongotest").
			value("requestScopes", bson.A{"openid"}).done()
		return reply, false, nil
	}
	for _, token := range c.d.config.tokens {
		if token.JWT == jwt {
			c.principal = principal{token.Principal, "$external"}
			return nil, true, nil
		}
	}
	return nil, false, errAuthentication()
}
