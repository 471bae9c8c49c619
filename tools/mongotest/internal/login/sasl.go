// The commands of authentication: saslStart, saslContinue, authenticate and logout.
//
// Left out: GSSAPI.

package login

import (
	"encoding/base64"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// conversationID is the id of every conversation. A connection has at most one at a time.
const conversationID = 1

// RunSASLStart starts an authentication with SCRAM-SHA-1, SCRAM-SHA-256, PLAIN, MONGODB-AWS or MONGODB-OIDC.
func (d *Directory) RunSASLStart(c *call.Call, s *State) (bson.Raw, error) {
	conversation, err := d.newConversation(c)
	if err != nil {
		return nil, err
	}
	s.conversation = conversation
	return s.step(c, c.Body.Lookup("options", "skipEmptyExchange"))
}

// RunSASLContinue continues the authentication that saslStart started.
func (d *Directory) RunSASLContinue(c *call.Call, s *State) (bson.Raw, error) {
	if s.conversation == nil {
		return nil, status.Errorf(errcode.ProtocolError, "No SASL session state found")
	}
	if id, ok := c.Body.Lookup("conversationId").AsInt64OK(); !ok || id != conversationID {
		s.conversation = nil
		return nil, status.Errorf(errcode.ProtocolError, "sasl: Mismatched conversation id")
	}
	return s.step(c, bson.RawValue{})
}

func (d *Directory) newConversation(c *call.Call) (conversation, error) {
	mechanism := c.Text("mechanism")
	switch mechanism {
	case "SCRAM-SHA-1", "SCRAM-SHA-256":
		return newScramConversation(d, mechanism, c.DB), nil
	case "PLAIN":
		return &plainConversation{directory: d}, nil
	case "MONGODB-AWS":
		if len(d.config.AWSKeys) > 0 {
			return &awsConversation{directory: d}, nil
		}
	case "MONGODB-OIDC":
		if len(d.config.Tokens) > 0 {
			return &oidcConversation{directory: d}, nil
		}
	}
	return nil, errNoSuchMechanism(c, mechanism)
}

// errNoSuchMechanism is the error of a mechanism that the server does not have.
func errNoSuchMechanism(c *call.Call, mechanism string) error {
	if c.Wire < wire.Server50 {
		return status.Errorf(errcode.BadValue, "Received authentication for mechanism %s which is unknown or not enabled", mechanism)
	}
	return status.Errorf(errcode.MechanismUnavailable, "Received authentication for mechanism %s which is not enabled", mechanism)
}

func (s *State) step(c *call.Call, skipEmpty bson.RawValue) (bson.Raw, error) {
	payload, err := payloadOf(c.Body.Lookup("payload"))
	if err != nil {
		s.conversation = nil
		return nil, err
	}
	if scram, ok := s.conversation.(*scramConversation); ok && !skipEmpty.IsZero() {
		scram.skipEmpty, _ = skipEmpty.AsBoolOK()
	}
	out, done, err := s.conversation.step(payload)
	if err != nil {
		s.conversation = nil
		return nil, err
	}
	if done {
		s.Principals = append(s.Principals, s.conversation.user())
		s.conversation = nil
	}
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendInt32Element(dst, "conversationId", conversationID)
	dst = bson.AppendBooleanElement(dst, "done", done)
	dst = bson.AppendBinaryElement(dst, "payload", 0, out)
	return bson.AppendDocumentEnd(dst, start), nil
}

// payloadOf reads a payload. It is binary, or base64 in a string from very old drivers.
func payloadOf(value bson.RawValue) ([]byte, error) {
	if _, data, ok := value.BinaryOK(); ok {
		return data, nil
	}
	text, ok := value.StringOK()
	if !ok {
		return nil, status.Errorf(errcode.TypeMismatch,
			"Wrong type for field; expected BinData or String for payload, found %s", value.Type)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, status.Errorf(errcode.FailedToParse, "Failed to decode base64-encoded payload")
	}
	return data, nil
}

// Speculate runs the first message of an authentication that came with a hello, and adds the answer to the hello's
// reply. It reports no failure: the client then authenticates in the ordinary way.
func (d *Directory) Speculate(f *reply.Fields, c *call.Call, s *State) error {
	prefix := "hello"
	if c.Wire < wire.Server50 {
		prefix = "isMaster"
	}
	body, ok := c.Body.Lookup("speculativeAuthenticate").DocumentOK()
	if !ok {
		return status.Errorf(errcode.BadValue, "%s.speculativeAuthenticate must be an Object", prefix)
	}
	db, _ := body.Lookup("db").StringOK()
	inner := c.Inner(body, db)
	var answer bson.Raw
	var err error
	switch inner.Name {
	case "":
		return status.Errorf(errcode.BadValue, "%s.speculativeAuthenticate must be a non-empty Object", prefix)
	case "saslStart":
		answer, err = d.RunSASLStart(inner, s)
	case "authenticate":
		answer, err = d.RunAuthenticate(inner, s)
	default:
		return status.Errorf(errcode.Location51769, "%s.speculativeAuthenticate unknown command: %s", prefix, inner.Name)
	}
	if err == nil {
		f.Doc("speculativeAuthenticate", answer)
	}
	return nil
}

// RunAuthenticate is MONGODB-X509: the client's certificate says who it is.
func (d *Directory) RunAuthenticate(c *call.Call, s *State) (bson.Raw, error) {
	if m := c.Text("mechanism"); m != "MONGODB-X509" {
		return nil, errNoSuchMechanism(c, m)
	}
	if !d.config.TLS {
		return nil, status.Errorf(errcode.ProtocolError, "SSL support is required for the MONGODB-X509 mechanism.")
	}
	if c.DB != external {
		return nil, status.Errorf(errcode.ProtocolError, "X.509 authentication must always use the $external database.")
	}
	subject := s.Subject()
	if subject == "" {
		return nil, status.Errorf(errcode.AuthenticationFailed, "No verified subject name available from client")
	}
	if user := c.Text("user"); user != "" && user != subject {
		return nil, status.Errorf(errcode.AuthenticationFailed, "There is no x.509 client certificate matching the user.")
	}
	if d.find(external, subject) == nil {
		return nil, errAuthentication()
	}
	s.Principals = append(s.Principals, Principal{subject, external})
	return reply.New().String("dbname", external).String("user", subject).Done(), nil
}

// RunLogout logs out all users of the connection.
func RunLogout(s *State) (bson.Raw, error) {
	s.Principals = nil
	return reply.OK(), nil
}
