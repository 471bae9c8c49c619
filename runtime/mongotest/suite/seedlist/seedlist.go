package seedlist

import (
	"slices"
	"testing"

	"github.com/specdrivers/onion/runtime/mongotest/suite/connstring"
	"github.com/specdrivers/onion/runtime/uri"
)

// Test is a connection string that was resolved.
type Test struct {
	t          *testing.T
	cs         *uri.ConnString
	deployment Deployment
	found      *client // once the deployment was discovered
}

// Resolve resolves a connection string that must be valid.
func Resolve(t *testing.T, zone Zone, deployment Deployment, connection string) *Test {
	t.Helper()
	t.Parallel()
	cs, err := uri.Parse(connection)
	if err == nil {
		cs, err = uri.Resolve(t.Context(), cs, zone)
	}
	if err != nil {
		t.Fatalf("resolve %q: %v", connection, err)
	}
	return &Test{t: t, cs: cs, deployment: deployment}
}

// Fails checks that a connection string, or the records behind it, are refused.
func Fails(t *testing.T, zone Zone, connection string) {
	t.Helper()
	cs, err := uri.Parse(connection)
	if err != nil {
		return
	}
	if cs, err = uri.Resolve(t.Context(), cs, zone); err == nil {
		t.Errorf("%q is accepted, with the hosts %q", connection, cs.Hosts)
	}
}

// Seeds checks the hosts that DNS named.
func (s *Test) Seeds(want ...string) { s.t.Helper(); s.compare("seeds", s.cs.Hosts, want) }

// NumSeeds checks how many hosts were taken from DNS.
func (s *Test) NumSeeds(want int) {
	s.t.Helper()
	if len(s.cs.Hosts) != want {
		s.t.Errorf("the seeds are %q, want %d", s.cs.Hosts, want)
	}
}

func (s *Test) compare(what string, got, want []string) {
	s.t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		s.t.Errorf("the %s are %q, want %q", what, got, want)
	}
}

// Option checks the value of an option, wherever it was set.
func (s *Test) Option(name string, want any) {
	s.t.Helper()
	connstring.CheckOption(s.t, s.cs.Options, name, want)
}

// User checks the name of the user.
func (s *Test) User(want string) {
	s.t.Helper()
	if auth := s.cs.Options.Auth; auth == nil || auth.Username == nil || *auth.Username != want {
		s.t.Errorf("the user is not %q", want)
	}
}

// Password checks the password.
func (s *Test) Password(want string) {
	s.t.Helper()
	if auth := s.cs.Options.Auth; auth == nil || auth.Password == nil || *auth.Password != want {
		s.t.Errorf("the password is not %q", want)
	}
}

// Database checks the database behind the slash.
func (s *Test) Database(want string) {
	s.t.Helper()
	if s.cs.Database != want {
		s.t.Errorf("the database is %q, want %q", s.cs.Database, want)
	}
}

// Hosts checks the servers that a client has discovered in the end.
func (s *Test) Hosts(want ...string) { s.t.Helper(); s.compare("hosts", s.discover().hosts(), want) }

// NumHosts checks how many servers a client has discovered in the end.
func (s *Test) NumHosts(want int) {
	s.t.Helper()
	if hosts := s.discover().hosts(); len(hosts) != want {
		s.t.Errorf("the hosts are %q, want %d", hosts, want)
	}
}

// Pings checks that a selected server answers a ping.
func (s *Test) Pings() {
	s.t.Helper()
	if err := s.discover().ping(); err != nil {
		s.t.Errorf("ping: %v", err)
	}
}

func (s *Test) discover() *client {
	s.t.Helper()
	if s.found == nil {
		found, err := discover(s.t, s.cs, s.deployment)
		if err != nil {
			s.t.Fatalf("discover the deployment: %v", err)
		}
		s.found = found
	}
	return s.found
}
