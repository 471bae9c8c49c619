//lint:file-ignore SA1019 hedge is deprecated, but still parsed, validated and sent

package selection_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/selection"
)

// For each error of a server there is advice that a user can act on.
func TestHintsForErrorsOfServers(t *testing.T) {
	const (
		notAccepted = "a certificate was not accepted: check tlsCAFile and the host names in the connection string"
		closed      = "a server closed the connection: if it requires TLS, set tls=true, and check what is in between"
	)
	expired := x509.CertificateInvalidError{Reason: x509.Expired}
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"host name", &net.DNSError{}, "a host name was not found: check its spelling and the DNS of this host"},
		{"expired", &tls.CertificateVerificationError{Err: expired},
			"a certificate has expired or is not valid yet: check the clock of this host, and renew the certificate"},
		{"certificate of another purpose", &tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.IncompatibleUsage}}, notAccepted},
		{"unknown authority", x509.UnknownAuthorityError{}, notAccepted},
		{"no TLS there", tls.RecordHeaderError{}, "a server does not speak TLS: remove tls=true or enable TLS there"},
		{"TLS refused", &net.OpError{Op: "remote error", Err: errors.New("alert")}, "a server refused the TLS handshake: Atlas does so for an " +
			"address that is not in its IP access list; elsewhere, compare TLS versions and check tlsCertificateKeyFile"},
		{"no socket", &net.OpError{Op: "dial", Err: syscall.ENOENT}, "there is no such socket: check its path and that the server runs on this host"},
		{"end of file", io.EOF, closed},
		{"end of file in the TLS handshake", fault.NetworkError{Doing: fault.HandshakeTLS, Err: io.EOF}, "a server closed the connection during the " +
			"TLS handshake: it does not seem to speak TLS; remove tls=true or enable TLS there, and check what is in between"},
		{"reset", syscall.ECONNRESET, closed},
		{"refused", syscall.ECONNREFUSED, "a connection was refused: check that the server runs and listens on this address and port"},
		{"timeout", os.ErrDeadlineExceeded, "a server did not answer in time: check firewalls, IP access lists and whether it requires TLS"},
		{"anything else", errors.New("x"), "check that the servers run and can be reached from this host"},
		{"nothing", nil, "check that the servers run and can be reached from this host"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.err
			if err != nil {
				err = fmt.Errorf("check a:1: %w", err)
			}
			topology := &description.Topology{Servers: []description.Server{{Address: "a:1", Err: err}, {Address: "b:1", Err: err}}}
			if got := new(selection.Selector).Hints(topology); !slices.Equal(got, []string{tt.want}) {
				t.Errorf("got %q, want %q once", got, tt.want)
			}
		})
	}
}

func TestHintsForMembers(t *testing.T) {
	const (
		custom  = "the custom server selector may have refused every server"
		primary = "the replica set has no primary: an election may be under way, or most members are down or unreachable"
		conf    = "an address that is not in the connection string is from the set's configuration: let " +
			"rs.conf() name each member as clients reach it, or set directConnection=true to use one member"
		reach     = "check that the servers run and can be reached from this host"
		tagSets   = "compare the tag sets with the tags of the members; an empty tag set at the end matches any member"
		lag       = "the secondaries may lag behind more than maxStalenessSeconds allows"
		secondary = "no secondary is available; secondaryPreferred would read from the primary"
	)
	of := func(typ description.TopologyType, servers ...description.ServerType) *description.Topology {
		t := &description.Topology{Type: typ}
		for _, s := range servers {
			t.Servers = append(t.Servers, description.Server{Type: s})
		}
		return t
	}
	noPrimary := of(description.ReplicaSetNoPrimary, description.RSSecondary)
	withPrimary := of(description.ReplicaSetWithPrimary, description.RSPrimary)
	known := of(description.Sharded, description.ServerUnknown)
	known.MaxSetVersion = new(int64(1))
	set := options.TagSet{{Name: "a"}}
	stale := &options.ReadPreference{Mode: options.Secondary, MaxStaleness: new(time.Hour)}
	refuse := func(*description.Topology, []*description.Server) []*description.Server { return nil }
	for _, tt := range []struct {
		name     string
		topology *description.Topology
		selector selection.Selector
		want     []string
	}{
		{"none", of(description.Sharded), selection.Selector{}, []string{"every server has left the topology: replicaSet in the connection string " +
			"names a set that they are not in; compare it with rs.status().set, and leave it out for a mongos or a standalone"}},
		{"ghosts", of(description.Single, description.RSGhost, description.ServerUnknown), selection.Selector{}, []string{
			"a server runs with a replica set's name but is in no set: it is starting, or rs.initiate() has not run yet"}},
		{"arbiters", of(description.ReplicaSetNoPrimary, description.RSArbiter), selection.Selector{}, []string{
			"only arbiters were found, which hold no data: name other members of the set in the connection string"}},
		{"hidden members", of(description.ReplicaSetNoPrimary, description.RSOther), selection.Selector{}, []string{
			"only members were found that no client uses, since they are hidden or still recovering: name other members " +
				"of the set in the connection string, or set directConnection=true to read from this one"}},
		{"a mixture", of(description.ReplicaSetNoPrimary, description.RSOther, description.RSArbiter), selection.Selector{Write: true}, []string{primary}},
		{"write", noPrimary, selection.Selector{Write: true, ReadPreference: newReadPreference(options.Secondary)}, []string{primary}},
		{"read from the primary", noPrimary, selection.Selector{}, []string{primary}},
		{"read from the primary by name", noPrimary, selection.Selector{ReadPreference: newReadPreference(options.Primary)}, []string{primary}},
		{"write with a primary", withPrimary, selection.Selector{Write: true, ReadPreference: newReadPreference(options.Secondary, set)}, nil},
		{"write with a staleness", withPrimary, selection.Selector{Write: true, ReadPreference: stale}, nil},
		{"tags", withPrimary, selection.Selector{ReadPreference: newReadPreference(options.Secondary, set)}, []string{tagSets}},
		{"staleness", withPrimary, selection.Selector{ReadPreference: stale}, []string{lag}},
		{"secondary", withPrimary, selection.Selector{ReadPreference: newReadPreference(options.Secondary)}, []string{secondary}},
		{"nearest", withPrimary, selection.Selector{ReadPreference: newReadPreference(options.Nearest)}, nil},
		{"nothing known", of(description.Sharded, description.ServerUnknown), selection.Selector{}, []string{reach}},
		{"nothing known of a set", of(description.ReplicaSetNoPrimary, description.ServerUnknown), selection.Selector{}, []string{reach, conf}},
		{"nothing known any more", known, selection.Selector{}, []string{reach, conf}},
		{"custom", withPrimary, selection.Selector{Custom: refuse, ReadPreference: newReadPreference(options.Secondary)}, []string{custom, secondary}},
		{"custom, nothing known", of(description.Sharded, description.ServerUnknown), selection.Selector{Custom: refuse}, []string{custom}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.selector.Hints(tt.topology); !slices.Equal(got, tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestSelectorsInWords(t *testing.T) {
	refuse := func(*description.Topology, []*description.Server) []*description.Server { return nil }
	for want, s := range map[string]selection.Selector{
		"writable server":                                    {Write: true, ReadPreference: newReadPreference(options.Nearest)},
		"read preference primary":                            {},
		"read preference primary, custom server selector":    {Custom: refuse, ReadPreference: &options.ReadPreference{}},
		"read preference secondary":                          {ReadPreference: &options.ReadPreference{Mode: options.Secondary, Hedge: &options.Hedge{}}},
		"read preference nearest, tag sets [{a: b}]":         {ReadPreference: newReadPreference(options.Nearest, options.TagSet{{Name: "a", Value: "b"}})},
		"read preference secondaryPreferred, hedge false":    {ReadPreference: &options.ReadPreference{Mode: options.SecondaryPreferred, Hedge: &options.Hedge{Enabled: new(false)}}},
		"writable server, custom server selector":            {Write: true, Custom: refuse},
		"read preference primaryPreferred, max staleness 0s": {ReadPreference: &options.ReadPreference{Mode: options.PrimaryPreferred, MaxStaleness: new(time.Duration(0))}},
	} {
		if got := s.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Max Staleness: the limits themselves are allowed, and 0 as a maximum with mode primary means none.
func TestLimitsOfMaxStaleness(t *testing.T) {
	noPrimary := replicaSet()
	noPrimary.Type = description.ReplicaSetNoPrimary
	sharded := &description.Topology{Type: description.Sharded, Compatible: true}
	for _, tt := range []struct {
		name      string
		topology  *description.Topology
		mode      options.ReadPreferenceMode
		limit     time.Duration
		heartbeat time.Duration
		ok        bool
	}{
		{"the smallest", replicaSet(), options.Nearest, 90 * time.Second, 10 * time.Second, true},
		{"below", replicaSet(), options.Nearest, 90*time.Second - 1, 10 * time.Second, false},
		{"heartbeat and idle write", replicaSet(), options.Nearest, 110 * time.Second, 100 * time.Second, true},
		{"less", noPrimary, options.Nearest, 110*time.Second - 1, 100 * time.Second, false},
		{"no replica set", sharded, options.Nearest, time.Second, 10 * time.Second, true},
		{"no maximum", replicaSet(), options.Nearest, -1, 10 * time.Second, true},
		{"zero with primary", replicaSet(), options.Primary, 0, 0, false},
		{"one with primary", replicaSet(), options.Primary, 1, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := selection.Selector{HeartbeatFrequency: tt.heartbeat, ReadPreference: &options.ReadPreference{Mode: tt.mode, MaxStaleness: &tt.limit}}
			if err := s.Validate(tt.topology); (err == nil) != tt.ok {
				t.Errorf("got %v", err)
			}
			if s.Write = true; s.Validate(tt.topology) != nil {
				t.Error("a write looks at the read preference")
			}
		})
	}
	if err := selection.ValidateReadPreference(&options.ReadPreference{MaxStaleness: new(time.Duration(0))}); err != nil {
		t.Errorf("zero with primary, without a topology: %v", err)
	}
}

// Server Selection, "Filtering suitable servers based on the latency window".
func TestTheWindowHasItsLimits(t *testing.T) {
	a, b, c := server("a", description.Mongos, 10), server("b", description.Mongos, 25), server("c", description.Mongos, 26)
	got := selection.Window([]*description.Server{&c, &b, &a}, 15)
	if !slices.Equal(got, []*description.Server{&b, &a}) {
		t.Errorf("got %d servers", len(got))
	}
	if got := selection.Window([]*description.Server{&a, &c}, 15); len(got) != 1 {
		t.Errorf("of two servers %d are left", len(got))
	}
}

// Server Selection, step 7: two different servers are drawn at random, and the one with fewer operations is chosen.
func TestChooseDrawsTwoServers(t *testing.T) {
	a, b, c := server("a", description.Mongos, 1), server("b", description.Mongos, 1), server("c", description.Mongos, 1)
	all := []*description.Server{&a, &b, &c}
	load := map[string]int64{"a": 3, "b": 2, "c": 1}
	for _, tt := range []struct {
		first, second int
		want          string
	}{{0, 0, "b"}, {0, 1, "c"}, {1, 0, "b"}, {1, 1, "c"}, {2, 0, "c"}, {2, 1, "c"}} {
		var asked []int
		draws := []int{tt.first, tt.second}
		got := selection.Choose(all, func(address string) int64 { return load[address] }, func(n int) int {
			asked = append(asked, n)
			return draws[len(asked)-1]
		})
		if got.Address != tt.want || !slices.Equal(asked, []int{3, 2}) {
			t.Errorf("%d, %d: %s, asked %v", tt.first, tt.second, got.Address, asked)
		}
	}
	if got := selection.Choose(all[:2], noLoad, func(int) int { return 0 }); got != &a {
		t.Errorf("of equals it takes %s, not the first that was drawn", got.Address)
	}
	if selection.Choose(nil, noLoad, nil) != nil || selection.Choose(all[2:], noLoad, nil) != &c {
		t.Error("of none or one it takes another")
	}
}
