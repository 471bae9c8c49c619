package connstring

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/uritable"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/uri"
	"github.com/specdrivers/onion/tools/suite"
)

// Test is a connection string that was parsed.
type Test struct {
	t  *testing.T
	cs *uri.ConnString
}

// Valid parses a connection string that must be accepted, by the parser and by the rules for credentials.
func Valid(t *testing.T, connection string) *Test {
	t.Helper()
	cs, err := parse(connection)
	if err != nil {
		t.Fatalf("%q is refused: %v", connection, err)
	}
	return &Test{t, cs}
}

// Invalid checks that a connection string is refused.
func Invalid(t *testing.T, connection string) {
	t.Helper()
	cs, err := parse(connection)
	if err == nil {
		t.Errorf("%q is accepted as %v", connection, cs)
	}
	if e, ok := errors.AsType[fault.URIError](err); ok {
		suite.Touch("uri rules", e.Reason)
	}
}

// Refused checks that a connection string, or the option that is wrong in it, is not accepted: the specification leaves
// open whether a wrong value is an error or is ignored with a warning.
func Refused(t *testing.T, connection string) {
	t.Helper()
	if cs, err := parse(connection); err == nil && len(cs.Warnings) == 0 {
		t.Errorf("%q is accepted without a warning", connection)
	}
}

// parse reads a string as far as it goes without DNS: parsing, and the rules between options.
func parse(connection string) (*uri.ConnString, error) {
	cs, err := uri.Parse(connection)
	if err != nil {
		return nil, err
	}
	for _, warning := range cs.Warnings {
		suite.Touch("uri warnings", warning)
	}
	return cs, cs.Validate()
}

// Warns checks that something in the string caused a warning.
func (c *Test) Warns() {
	c.t.Helper()
	if len(c.cs.Warnings) == 0 {
		c.t.Errorf("there is no warning")
	}
}

// DoesNotWarn checks that nothing did.
func (c *Test) DoesNotWarn() {
	c.t.Helper()
	if len(c.cs.Warnings) > 0 {
		c.t.Errorf("there are warnings: %q", c.cs.Warnings)
	}
}

// Host is a host as a case describes it: an empty type or a zero port is not compared.
type Host struct {
	Type string // ipv4, ip_literal, hostname or unix
	Name string
	Port int
}

// Hosts checks the hosts, in the order in which the string has them.
func (c *Test) Hosts(want ...Host) {
	c.t.Helper()
	if len(c.cs.Hosts) != len(want) {
		c.t.Errorf("the hosts are %q, want %d", c.cs.Hosts, len(want))
		return
	}
	for i, address := range c.cs.Hosts {
		got := c.split(address)
		if want[i].Type == "" {
			got.Type = ""
		}
		if want[i].Port == 0 {
			got.Port = 0
		}
		// Names of hosts are compared in lower case, which the parser makes of them; paths are not.
		if w := want[i]; got.Type != w.Type || got.Port != w.Port || !sameName(w, got.Name) {
			c.t.Errorf("host %d is %+v, want %+v", i+1, got, w)
		}
	}
}

func sameName(want Host, got string) bool {
	return got == want.Name || want.Type != "unix" && got == strings.ToLower(want.Name)
}

// split tells what kind of host an address is.
func (c *Test) split(address string) Host {
	if strings.HasSuffix(address, ".sock") && strings.Contains(address, "/") {
		return Host{Type: "unix", Name: address}
	}
	if c.cs.SRV {
		return Host{Type: "hostname", Name: address}
	}
	name, port, err := net.SplitHostPort(address)
	if err != nil {
		return Host{Name: address}
	}
	n, _ := strconv.Atoi(port)
	kind := "hostname"
	if ip, err := netip.ParseAddr(name); err == nil && ip.Is4() {
		kind = "ipv4"
	} else if err == nil {
		kind = "ip_literal"
	}
	return Host{Type: kind, Name: name, Port: n}
}

// AuthDB checks the database after the slash.
func (c *Test) AuthDB(want string) {
	c.t.Helper()
	if c.cs.Database != want {
		c.t.Errorf("the database is %q, want %q", c.cs.Database, want)
	}
}

// credential returns the credential, empty if there is none.
func (c *Test) credential() *options.Credential {
	if c.cs.Options.Auth == nil {
		return &options.Credential{}
	}
	return c.cs.Options.Auth
}

// Username checks the name of the user.
func (c *Test) Username(want string) {
	c.t.Helper()
	c.checkText("the username", c.credential().Username, want)
}

// NoUsername checks that there is no user.
func (c *Test) NoUsername() { c.t.Helper(); c.checkNoText("the username", c.credential().Username) }

// Password checks the password.
func (c *Test) Password(want string) {
	c.t.Helper()
	c.checkText("the password", c.credential().Password, want)
}

// NoPassword checks that there is no password.
func (c *Test) NoPassword() { c.t.Helper(); c.checkNoText("the password", c.credential().Password) }

func (c *Test) checkText(what string, got *string, want string) {
	c.t.Helper()
	if got == nil {
		c.t.Errorf("%s is not set, want %q", what, want)
	} else if *got != want {
		c.t.Errorf("%s is %q, want %q", what, *got, want)
	}
}

func (c *Test) checkNoText(what string, got *string) {
	c.t.Helper()
	if got != nil && *got != "" {
		c.t.Errorf("%s is %q, want none", what, *got)
	}
}

// ReadConcern checks the read concern; one without a level is the same as none.
func (c *Test) ReadConcern(want *options.ReadConcern) {
	c.t.Helper()
	got := c.cs.Options.ReadConcern
	if got == nil {
		got = &options.ReadConcern{}
	}
	if *got != *want {
		c.t.Errorf("the read concern is %+v, want %+v", *got, *want)
	}
}

// WriteConcern checks the write concern; an empty one is the same as none.
func (c *Test) WriteConcern(want *options.WriteConcern) {
	c.t.Helper()
	got := c.cs.Options.WriteConcern
	if got == nil {
		got = &options.WriteConcern{}
	}
	if !equal(got.W, want.W) || !samePointee(got.Journal, want.Journal) || !samePointee(got.WTimeout, want.WTimeout) {
		c.t.Errorf("the write concern is %+v, want %+v", *got, *want)
	}
}

func samePointee[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// Option checks the value of an option, by its name in a connection string.
func (c *Test) Option(name string, want any) {
	c.t.Helper()
	CheckOption(c.t, c.cs.Options, name, want)
	// The name alone says what is a secret: the table is under test here.
	if lower := strings.ToLower(name); strings.HasSuffix(lower, "password") || strings.HasSuffix(lower, "properties") {
		_, query, _ := strings.Cut(c.cs.String(), "?")
		c.checkNoSecret(query, want)
	}
}

// checkNoSecret checks that the text for logs and messages has no secret in it. Short ones could stand there by chance.
func (c *Test) checkNoSecret(text string, secret any) {
	c.t.Helper()
	switch secret := secret.(type) {
	case string:
		if len(secret) >= shortestSecret && strings.Contains(text, secret) {
			c.t.Errorf("%s shows the secret %q", text, secret)
		}
	case bson.D:
		for _, e := range secret {
			c.checkNoSecret(text, e.Value)
		}
	}
}

const shortestSecret = 8

// CheckOption checks the value that an option has in the options of a client.
func CheckOption(t *testing.T, o *options.Client, name string, want any) {
	t.Helper()
	if option, known := uritable.Lookup(strings.ToLower(name)); known {
		suite.Touch("uri", option.String())
	}
	got, ok := lookUp(o, name)
	switch {
	case !ok:
		t.Errorf("no option is called %s", name)
	case !equal(got, want) && !slices.ContainsFunc(alternatives(want), func(w any) bool { return equal(got, w) }):
		t.Errorf("%s is %v, want %v", name, got, want)
	}
}
