package auth

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// awsMechanism is MONGODB-AWS: the client signs a request that asks AWS for the client's identity, and the server sends
// it to AWS.
type awsMechanism struct {
	sasl *saslMechanism
	keys *awsKeys
}

func newAWS(name, source string, keys *awsKeys) *awsMechanism {
	return &awsMechanism{
		keys: keys,
		sasl: &saslMechanism{
			mech: name, source: source,
			start: func(context.Context, string) (options.Conversation, error) {
				return &awsConversation{keys: keys}, nil
			},
		},
	}
}

func (m *awsMechanism) name() string { return m.sasl.name() }

func (m *awsMechanism) begin(ctx context.Context, address string) (exchange, error) {
	inner, err := m.sasl.begin(ctx, address)
	if err != nil {
		return nil, err
	}
	return &awsExchange{inner, m.keys}, nil
}

// awsExchange drops the cached keys after any failure. MONGODB-AWS, "Caching Credentials".
type awsExchange struct {
	exchange
	keys *awsKeys
}

func (e *awsExchange) finish(ctx context.Context, c *conn.Conn, answered bson.Raw) error {
	err := e.exchange.finish(ctx, c, answered)
	if err != nil {
		e.keys.forget()
	}
	return err
}

// awsConversation sends a nonce, gets a longer one, and answers with a signature over it.
type awsConversation struct {
	keys  *awsKeys
	key   options.AWSCredentials
	nonce []byte
}

func (c *awsConversation) Next(ctx context.Context, challenge []byte) ([]byte, bool, error) {
	if c.nonce == nil {
		payload, err := c.fetchKeys(ctx)
		return payload, false, err
	}
	payload, err := c.answerChallenge(challenge)
	return payload, err == nil, err
}

// fetchKeys fetches the keys before the conversation begins, so that the server need not wait for them.
func (c *awsConversation) fetchKeys(ctx context.Context) ([]byte, error) {
	var err error
	if c.key, err = c.keys.currentKeys(ctx); err != nil {
		return nil, err
	}
	c.nonce = make([]byte, authtable.AWSNonceSize)
	rand.Read(c.nonce) // it never fails
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendBinaryElement(dst, authtable.AWSFieldClientNonce, 0, c.nonce)
	dst = bson.AppendInt32Element(dst, authtable.AWSFieldGS2CBFlag, authtable.AWSGS2CBFlag)
	return bson.AppendDocumentEnd(dst, start), nil
}

func (c *awsConversation) answerChallenge(challenge []byte) ([]byte, error) {
	doc := bson.Raw(challenge)
	if err := doc.Validate(); err != nil {
		return nil, fmt.Errorf("the server's first message: %w", err)
	}
	_, nonce, _ := doc.Lookup(authtable.AWSFieldServerNonce).BinaryOK()
	if len(nonce) != 2*len(c.nonce) || !bytes.HasPrefix(nonce, c.nonce) {
		return nil, errors.New("the server's nonce does not extend the client's")
	}
	host, ok := doc.Lookup(authtable.AWSFieldHost).StringOK()
	if !ok {
		return nil, errors.New("the server named no host to sign for")
	}
	region, err := authtable.Region(host)
	if err != nil {
		return nil, err
	}
	s := awsSignature{key: c.key, nonce: nonce, host: host, region: region, at: c.keys.now()}
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendStringElement(dst, authtable.AWSFieldAuthorization, s.authorization())
	dst = bson.AppendStringElement(dst, authtable.AWSFieldDate, s.date())
	if c.key.SessionToken != "" {
		dst = bson.AppendStringElement(dst, authtable.AWSFieldSecurityToken, c.key.SessionToken)
	}
	return bson.AppendDocumentEnd(dst, start), nil
}
