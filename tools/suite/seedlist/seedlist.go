package seedlist

import (
	"context"
	"slices"
	"testing"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/runtime/uri"
	"github.com/specdrivers/onion/tools/suite/connstring"
)

// Test is a connection string that was resolved.
type Test struct {
	t          *testing.T
	cs         *uri.ConnString
	zone       Zone
	deployment Deployment
	connection string
	client     *client // once a case asks for more than what was resolved
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
	return &Test{t: t, cs: cs, zone: zone, deployment: deployment, connection: connection}
}

// Fails checks that no client can be made of a connection string, because of what it says or of the records behind it.
func Fails(t *testing.T, zone Zone, connection string) {
	t.Helper()
	if client, err := mongo.Connect(t.Context(), connection, &options.Client{Resolver: zone, Dialer: emptyNetwork{}}); err == nil {
		t.Errorf("%q is accepted, with the topology %s", connection, client.TopologyDescription())
		_ = client.Close(context.Background())
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

// Database checks the database after the slash.
func (s *Test) Database(want string) {
	s.t.Helper()
	if s.cs.Database != want {
		s.t.Errorf("the database is %q, want %q", s.cs.Database, want)
	}
}

// Hosts checks the servers that a client has discovered in the end.
func (s *Test) Hosts(want ...string) { s.t.Helper(); s.compare("hosts", s.hosts(), want) }

// NumHosts checks how many servers a client has discovered in the end.
func (s *Test) NumHosts(want int) {
	s.t.Helper()
	if hosts := s.hosts(); len(hosts) != want {
		s.t.Errorf("the hosts are %q, want %d", hosts, want)
	}
}

func (s *Test) hosts() []string {
	s.t.Helper()
	hosts, err := s.connect().hosts(s.t.Context())
	if err != nil {
		s.t.Fatalf("discover the deployment: %v", err)
	}
	return hosts
}

// Pings checks that a client that was made of the connection string can ping.
func (s *Test) Pings() {
	s.t.Helper()
	if err := s.connect().ping(s.t.Context()); err != nil {
		s.t.Errorf("ping: %v", err)
	}
}

// connect returns the client of the case, and connects it to the deployment of the case first.
func (s *Test) connect() *client {
	s.t.Helper()
	if s.client == nil {
		withTLS := s.cs.Options.TLS != nil && *s.cs.Options.TLS
		client, err := connect(s.t, s.zone, s.deployment, withTLS, s.connection)
		if err != nil {
			s.t.Fatalf("connect with %q: %v", s.connection, err)
		}
		s.client = client
	}
	return s.client
}
