package connstring

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/tools/suite"
)

// InvalidCredential checks that a client with this connection string cannot be made: the string is refused, or the
// credential in it breaks the rules of its mechanism.
func InvalidCredential(t *testing.T, connection string) {
	t.Helper()
	cs, err := parse(connection)
	if err != nil {
		return
	}
	if auth, err := cs.Credential(); err == nil {
		t.Errorf("%q is accepted with the credential %+v", connection, auth)
	}
}

// HasCredential checks that a client with these options would authenticate, and goes on with the credential that it
// would use.
func (c *Test) HasCredential() {
	c.t.Helper()
	auth, err := c.cs.Credential()
	if err != nil {
		c.t.Fatalf("the credential is refused: %v", err)
	}
	if auth == nil {
		c.t.Fatalf("there is no credential")
	}
	mechanism := ""
	if auth.AuthMechanism != nil {
		mechanism = *auth.AuthMechanism
	}
	suite.Touch("auth-mechanisms", mechanism)
	o := *c.cs.Options
	o.Auth = auth
	cs := *c.cs
	cs.Options = &o
	c.cs = &cs
}

// NoCredential checks that a client with these options would not authenticate.
func (c *Test) NoCredential() {
	c.t.Helper()
	if auth, err := c.cs.Credential(); err != nil || auth != nil {
		c.t.Errorf("the credential is %+v (%v), want none", auth, err)
	}
}

// Source checks the database that holds the credential.
func (c *Test) Source(want string) {
	c.t.Helper()
	c.checkText("the source", c.credential().AuthSource, want)
}

// NoSource checks that there is no such database.
func (c *Test) NoSource() { c.t.Helper(); c.checkNoText("the source", c.credential().AuthSource) }

// Mechanism checks the mechanism.
func (c *Test) Mechanism(want string) {
	c.t.Helper()
	c.checkText("the mechanism", c.credential().AuthMechanism, want)
}

// NoMechanism checks that the mechanism is left to negotiation.
func (c *Test) NoMechanism() {
	c.t.Helper()
	c.checkNoText("the mechanism", c.credential().AuthMechanism)
}

// MechanismProperty checks a property of the mechanism, which is nil when it must not be set. There may be others.
func (c *Test) MechanismProperty(name string, want any) {
	c.t.Helper()
	suite.Touch("auth-properties", name)
	for key, got := range c.credential().AuthMechanismProperties {
		if strings.EqualFold(key, name) {
			if want == nil || !equal(got, want) && !equal([]any{got}, alternatives(want)) {
				c.t.Errorf("the property %s is %q, want %v", name, got, want)
			}
			return
		}
	}
	if want != nil {
		c.t.Errorf("the property %s is not set, want %v", name, want)
	}
}

// NoMechanismProperties checks that there are none.
func (c *Test) NoMechanismProperties() {
	c.t.Helper()
	if p := c.credential().AuthMechanismProperties; len(p) > 0 {
		c.t.Errorf("the mechanism has the properties %q, want none", p)
	}
}
