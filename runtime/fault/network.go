package fault

import "strconv"

// NetworkKind says which part of a connection failed, as far as the driver can tell.
type NetworkKind uint8

// The kinds of network errors. Only an I/O error may be a sign that the server has too much to do.
const (
	NetworkIO          NetworkKind = iota // connecting, reading or writing failed; also the default
	NetworkDNS                            // the host name was not resolved
	NetworkCertificate                    // a certificate was not accepted
	NetworkProxy                          // the proxy was not reached or refused the connection
)

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
func (e *NetworkError) Error() string {
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

// Unwrap returns what failed underneath.
func (e *NetworkError) Unwrap() error { return e.Err }

// HasErrorLabel reports whether the error carries the label.
func (e *NetworkError) HasErrorLabel(label string) bool { return contains(e.Labels, label) }

func (e *NetworkError) withLabels(labels []string) error {
	c := *e
	c.Labels = union(e.Labels, labels)
	return &c
}

// AuthError is a failure to authenticate a connection: the server refused, or its part of the conversation was wrong.
// A connection that broke meanwhile is a NetworkError inside.
type AuthError struct {
	Address   string
	Mechanism string
	Err       error
}

// Error describes the mechanism and the server; credentials are never part of it.
func (e *AuthError) Error() string {
	return "auth: authenticating with " + e.Mechanism + " at " + e.Address + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *AuthError) Unwrap() error { return e.Err }

// URIError is a mistake in a connection string or in an option that could have been written there. It names the option,
// never its value.
type URIError struct {
	Option string // empty when the mistake is not in an option
	Reason string
	Err    error // what failed underneath, nil when there is nothing
}

// Error describes the option and the mistake.
func (e *URIError) Error() string {
	text := "uri: "
	if e.Option != "" {
		text += "option " + e.Option + ": "
	}
	text += e.Reason
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns what failed underneath.
func (e *URIError) Unwrap() error { return e.Err }
