package fault

import (
	"errors"
	"strconv"

	"github.com/specdrivers/onion/generated/errcode"
)

// NetworkKind says which part of a connection failed, as far as the driver can tell.
type NetworkKind uint8

// The kinds of network errors. Only an I/O error may be a sign that the server is overloaded.
const (
	NetworkIO          NetworkKind = iota // connecting, reading or writing failed; also the default
	NetworkDNS                            // the host name was not resolved
	NetworkCertificate                    // TLS was refused, mostly because of a certificate
	NetworkProxy                          // the proxy was not reached or refused the connection
	NetworkProtocol                       // what the other side sent breaks the rules of the wire protocol
)

// HandshakeTLS is what a NetworkError was Doing when the TLS handshake failed.
const HandshakeTLS = "the TLS handshake with"

// NetworkError is a failure to connect to a server or to exchange a message with it.
type NetworkError struct {
	Address      string
	ConnectionID int64  // the pool's number for the connection, 0 when it is not pooled
	Doing        string // what was being done, such as "reading a reply from"
	Kind         NetworkKind
	Labels       []string
	Err          error // what failed underneath; a context's error when the context ended the wait
}

// Error describes what was being done and to which server.
func (e NetworkError) Error() string {
	doing := e.Doing
	if doing == "" {
		doing = "talking to"
	}
	text := "network: " + doing + " " + e.Address
	if e.ConnectionID != 0 {
		text += " (connection " + strconv.FormatInt(e.ConnectionID, 10) + ")"
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// As fills a target of type *NetworkError or **NetworkError; errors.As and errors.AsType call it.
func (e NetworkError) As(target any) bool { return fill(e, target) }

// Unwrap returns what failed underneath.
func (e NetworkError) Unwrap() error { return e.Err }

// HasErrorLabel reports whether the error carries the label.
func (e NetworkError) HasErrorLabel(label string) bool { return contains(e.Labels, label) }

func (e NetworkError) withLabels(labels []string) error {
	e.Labels = union(e.Labels, labels)
	return e
}

// AuthError is a failure to authenticate a connection: the server refused, or its part of the conversation was wrong.
// A connection that broke meanwhile is a NetworkError inside.
type AuthError struct {
	Address   string
	Mechanism string
	Username  string // empty when the mechanism or the server takes it from elsewhere
	Source    string // the database of the user
	Err       error
}

// Error describes the mechanism, the user and the server; secrets are never part of it.
func (e AuthError) Error() string {
	text := "auth: authenticating "
	if e.Username != "" {
		text += "the user " + e.Username + " of the database " + e.Source + " "
	}
	text += "with " + e.Mechanism + " at " + e.Address + ": " + e.Err.Error()
	if reply, ok := errors.AsType[CommandError](e.Err); ok && reply.Code == errcode.AuthenticationFailed {
		text += "; check the user name, the password, authSource, which is the database that holds the user, and that user and " +
			"server allow this authMechanism"
	}
	return text
}

// As fills a target of type *AuthError or **AuthError; errors.As and errors.AsType call it.
func (e AuthError) As(target any) bool { return fill(e, target) }

// Unwrap returns the reason.
func (e AuthError) Unwrap() error { return e.Err }
