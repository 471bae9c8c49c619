package mongokrb5

import (
	"context"
	"errors"
	"fmt"

	"github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/gssapi"
	"github.com/jcmturner/gokrb5/v8/iana/keyusage"
	"github.com/jcmturner/gokrb5/v8/messages"
	"github.com/jcmturner/gokrb5/v8/spnego"
	"github.com/jcmturner/gokrb5/v8/types"
)

// The security layers of SASL. RFC 4752, section 3.3.
const noSecurityLayer = 1

const (
	wrapHeader = 16   // bytes before the payload of a wrap token. RFC 4121, section 4.2.6.2
	sealedFlag = 0x02 // the payload is encrypted
)

// conversation is the exchange of SASL GSSAPI. RFC 4752. The server lists its security layers in a wrapped message,
// which proves that it knows the service's key.
type conversation struct {
	user   string
	client *client.Client
	ticket messages.Ticket
	key    types.EncryptionKey
	begun  bool
}

// Next implements options.Conversation.
func (c *conversation) Next(_ context.Context, challenge []byte) ([]byte, bool, error) {
	if !c.begun {
		c.begun = true
		token, err := c.request()
		return token, false, err
	}
	if len(challenge) == 0 { // the server accepted the ticket and has nothing to say yet
		return nil, false, nil
	}
	answer, err := c.negotiate(challenge)
	return answer, err == nil, err
}

// request returns the token with the ticket.
func (c *conversation) request() ([]byte, error) {
	token, err := spnego.NewKRB5TokenAPREQ(c.client, c.ticket, c.key, []int{gssapi.ContextFlagInteg}, nil)
	if err != nil {
		return nil, fmt.Errorf("mongokrb5: making the token: %w", err)
	}
	out, err := token.Marshal()
	if err != nil {
		return nil, fmt.Errorf("mongokrb5: making the token: %w", err)
	}
	return out, nil
}

// negotiate answers the server's offer of security layers. The driver wants none, because TLS does that job.
func (c *conversation) negotiate(challenge []byte) ([]byte, error) {
	offer, err := c.unwrap(challenge)
	if err != nil {
		return nil, fmt.Errorf("mongokrb5: the server's security layers: %w", err)
	}
	if len(offer) != 4 || offer[0]&noSecurityLayer == 0 {
		return nil, errors.New("mongokrb5: the server does not offer a connection without a security layer")
	}
	wrapped, err := gssapi.NewInitiatorWrapToken(append([]byte{noSecurityLayer, 0, 0, 0}, c.user...), c.key)
	if err != nil {
		return nil, fmt.Errorf("mongokrb5: wrapping the answer: %w", err)
	}
	return wrapped.Marshal()
}

func (c *conversation) unwrap(token []byte) ([]byte, error) {
	if len(token) < wrapHeader {
		return nil, fmt.Errorf("a token of %d bytes", len(token))
	}
	if token[2]&sealedFlag != 0 {
		return nil, errors.New("the token is encrypted")
	}
	if n := int(token[6])<<8 | int(token[7]); n > 0 { // the data after the header was rotated to the right by n
		body := token[wrapHeader:]
		if len(body) == 0 {
			return nil, errors.New("an empty token")
		}
		n %= len(body)
		token = append(append(append([]byte(nil), token[:wrapHeader]...), body[n:]...), body[:n]...)
	}
	var wrapped gssapi.WrapToken
	if err := wrapped.Unmarshal(token, true); err != nil {
		return nil, err
	}
	if ok, err := wrapped.Verify(c.key, keyusage.GSSAPI_ACCEPTOR_SEAL); err != nil || !ok {
		return nil, errors.New("the server did not prove that it knows the key of the service")
	}
	return wrapped.Payload, nil
}
