// The commands of authentication: saslStart, saslContinue, authenticate and logout.
//
// Left out: GSSAPI.

package mongotest

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"github.com/xdg-go/scram"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// conversation is an authentication under way on a connection: step takes the client's payload and gives the server's,
// and says whether the conversation is over. A nil conversation is none.
type conversation interface {
	step(payload []byte) (reply []byte, done bool, err error)
	who() principal
}

// conversationID numbers the one conversation that a connection has at a time.
const conversationID = 1

// errAuthentication is what a server says about every wrong credential.
func errAuthentication() error {
	return status.Errorf(errcode.AuthenticationFailed, "Authentication failed.")
}

// saslStart begins an authentication with SCRAM-SHA-1, SCRAM-SHA-256, PLAIN, MONGODB-AWS or MONGODB-OIDC.
func saslStart(r *request) (bson.Raw, error) {
	c, err := r.newConversation(r.text("mechanism"), r.db)
	if err != nil {
		return nil, err
	}
	r.conn.conversation = c
	return r.saslStep(r.body.Lookup("options", "skipEmptyExchange"))
}

// saslContinue goes on with the authentication that saslStart began.
func saslContinue(r *request) (bson.Raw, error) {
	if r.conn.conversation == nil {
		return nil, status.Errorf(errcode.ProtocolError, "No SASL session state found")
	}
	if id, ok := r.body.Lookup("conversationId").AsInt64OK(); !ok || id != conversationID {
		r.conn.conversation = nil
		return nil, status.Errorf(errcode.ProtocolError, "sasl: Mismatched conversation id")
	}
	return r.saslStep(bson.RawValue{})
}

func (r *request) newConversation(mechanism, db string) (conversation, error) {
	switch mechanism {
	case "SCRAM-SHA-1", "SCRAM-SHA-256":
		return newScramConversation(r.d, mechanism, db), nil
	case "PLAIN":
		return &plainConversation{d: r.d}, nil
	case "MONGODB-AWS":
		if len(r.d.config.awsKeys) > 0 {
			return &awsConversation{d: r.d}, nil
		}
	case "MONGODB-OIDC":
		if len(r.d.config.tokens) > 0 {
			return &oidcConversation{d: r.d}, nil
		}
	}
	return nil, r.noSuchMechanism(mechanism)
}

// noSuchMechanism is what a server says of a mechanism that it does not have.
func (r *request) noSuchMechanism(mechanism string) error {
	if !r.d.wireAtLeast("5.0") {
		return status.Errorf(errcode.BadValue, "Received authentication for mechanism %s which is unknown or not enabled", mechanism)
	}
	return status.Errorf(errcode.MechanismUnavailable, "Received authentication for mechanism %s which is not enabled", mechanism)
}

func (r *request) saslStep(skipEmpty bson.RawValue) (bson.Raw, error) {
	payload, err := payloadOf(r.body.Lookup("payload"))
	if err != nil {
		r.conn.conversation = nil
		return nil, err
	}
	c := r.conn.conversation
	if s, ok := c.(*scramConversation); ok && !skipEmpty.IsZero() {
		s.skipEmpty, _ = skipEmpty.AsBoolOK()
	}
	out, done, err := c.step(payload)
	if err != nil {
		r.conn.conversation = nil
		return nil, err
	}
	if done {
		r.conn.conversation = nil
		r.conn.principals = append(r.conn.principals, c.who())
	}
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendInt32Element(dst, "conversationId", conversationID)
	dst = bson.AppendBooleanElement(dst, "done", done)
	dst = bson.AppendBinaryElement(dst, "payload", 0, out)
	return bson.AppendDocumentEnd(dst, start), nil
}

// payloadOf reads a payload, which may be binary or base64 in a string; the string form is of drivers long gone.
func payloadOf(value bson.RawValue) ([]byte, error) {
	if _, data, ok := value.BinaryOK(); ok {
		return data, nil
	}
	text, ok := value.StringOK()
	if !ok {
		return nil, status.Errorf(errcode.TypeMismatch, "Wrong type for field; expected BinData or String for payload, found %s", value.Type)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, status.Errorf(errcode.FailedToParse, "Failed to decode base64-encoded payload")
	}
	return data, nil
}

// speculate runs the first message of an authentication that came with the hello, and answers it beside the rest. One
// that fails is not mentioned: the client has to begin in the ordinary way.
func (r *request) speculate(f *fields, value bson.RawValue) error {
	prefix := "hello"
	if !r.d.wireAtLeast("5.0") {
		prefix = "isMaster"
	}
	body, ok := value.DocumentOK()
	if !ok {
		return status.Errorf(errcode.BadValue, "%s.speculativeAuthenticate must be an Object", prefix)
	}
	inner := *r
	inner.body, inner.name = body, ""
	for key := range body.All() {
		inner.name = key
		break
	}
	inner.db, _ = body.Lookup("db").StringOK()
	var reply bson.Raw
	var err error
	switch inner.name {
	case "":
		return status.Errorf(errcode.BadValue, "%s.speculativeAuthenticate must be a non-empty Object", prefix)
	case "saslStart":
		reply, err = saslStart(&inner)
	case "authenticate":
		reply, err = authenticate(&inner)
	default:
		return status.Errorf(errcode.Location51769, "%s.speculativeAuthenticate unknown command: %s", prefix, inner.name)
	}
	if err == nil {
		f.doc("speculativeAuthenticate", reply)
	}
	return nil
}

// authenticate is MONGODB-X509: the client's certificate says who it is.
func authenticate(r *request) (bson.Raw, error) {
	if m := r.text("mechanism"); m != "MONGODB-X509" {
		return nil, r.noSuchMechanism(m)
	}
	if r.d.config.tls == nil {
		return nil, status.Errorf(errcode.ProtocolError, "SSL support is required for the MONGODB-X509 mechanism.")
	}
	if r.db != "$external" {
		return nil, status.Errorf(errcode.ProtocolError, "X.509 authentication must always use the $external database.")
	}
	subject := r.conn.peerSubject()
	if subject == "" {
		return nil, status.Errorf(errcode.AuthenticationFailed, "No verified subject name available from client")
	}
	if user := r.text("user"); user != "" && user != subject {
		return nil, status.Errorf(errcode.AuthenticationFailed, "There is no x.509 client certificate matching the user.")
	}
	if r.d.users.find("$external", subject) == nil {
		return nil, errAuthentication()
	}
	r.conn.principals = append(r.conn.principals, principal{subject, "$external"})
	return newReply().str("dbname", "$external").str("user", subject).done(), nil
}

// logout forgets who is authenticated.
func logout(r *request) (bson.Raw, error) {
	r.conn.principals = nil
	return newReply().done(), nil
}

// scramConversation is SCRAM-SHA-1 or SCRAM-SHA-256.
type scramConversation struct {
	server    *scram.ServerConversation
	principal principal
	skipEmpty bool
	verified  bool
}

func newScramConversation(d *Deployment, mechanism, db string) *scramConversation {
	c := &scramConversation{principal: principal{db: db}}
	hash := scram.SHA256
	if mechanism == "SCRAM-SHA-1" {
		hash = scram.SHA1
	}
	server, err := hash.NewServer(func(name string) (scram.StoredCredentials, error) {
		user := d.users.find(db, name)
		var stored *scram.StoredCredentials
		if user != nil {
			stored = user.sha256
			if mechanism == "SCRAM-SHA-1" {
				stored = user.sha1
			}
		}
		if stored == nil {
			return scram.StoredCredentials{}, fmt.Errorf("no credential of %s for %s", mechanism, name)
		}
		c.principal.name = name
		return *stored, nil
	})
	if err == nil {
		c.server = server.NewConversation()
	}
	return c
}

func (c *scramConversation) who() principal { return c.principal }

func (c *scramConversation) step(payload []byte) ([]byte, bool, error) {
	if c.verified { // the empty exchange at the end
		return nil, true, nil
	}
	if c.server == nil {
		return nil, false, errAuthentication()
	}
	out, err := c.server.Step(string(payload))
	if err != nil {
		return nil, false, errAuthentication()
	}
	if !c.server.Done() {
		return []byte(out), false, nil
	}
	if !c.server.Valid() {
		return nil, false, errAuthentication()
	}
	c.verified = true
	return []byte(out), c.skipEmpty, nil
}

// plainConversation is PLAIN (RFC 4616): one message with the name and the password.
type plainConversation struct {
	d         *Deployment
	principal principal
}

func (c *plainConversation) who() principal { return c.principal }

func (c *plainConversation) step(payload []byte) ([]byte, bool, error) {
	parts := bytes.Split(payload, []byte{0})
	if len(parts) != 3 {
		return nil, false, errAuthentication()
	}
	user := c.d.users.find("$external", string(parts[1]))
	if user == nil || user.Password != string(parts[2]) {
		return nil, false, errAuthentication()
	}
	c.principal = principal{user.Name, "$external"}
	return nil, true, nil
}
