//lint:file-ignore SA1019 hedge is deprecated, but still parsed, validated and sent

package selection

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
)

// String describes what the selector looks for, with all components of the read preference, for messages and logs.
func (s *Selector) String() string {
	var b strings.Builder
	if s.Write {
		b.WriteString("writable server")
	} else {
		writeReadPreference(&b, s.ReadPreference)
	}
	if s.Custom != nil {
		b.WriteString(", custom server selector")
	}
	return b.String()
}

func writeReadPreference(b *strings.Builder, rp *options.ReadPreference) {
	if rp == nil || rp.Mode == 0 {
		b.WriteString("read preference " + options.Primary.String())
	} else {
		b.WriteString("read preference " + rp.Mode.String())
	}
	if rp == nil {
		return
	}
	if len(rp.TagSets) > 0 {
		b.WriteString(", tag sets [")
		for i, set := range rp.TagSets {
			if i > 0 {
				b.WriteString(", ")
			}
			writeTagSet(b, set)
		}
		b.WriteString("]")
	}
	if rp.MaxStaleness != nil {
		fmt.Fprintf(b, ", max staleness %v", *rp.MaxStaleness)
	}
	if rp.Hedge != nil && rp.Hedge.Enabled != nil {
		fmt.Fprintf(b, ", hedge %v", *rp.Hedge.Enabled)
	}
}

func writeTagSet(b *strings.Builder, set options.TagSet) {
	b.WriteString("{")
	for i, tag := range set {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(tag.Name + ": " + tag.Value)
	}
	b.WriteString("}")
}

// Hints suggests what a user can do when no server is suitable.
func (s *Selector) Hints(t *description.Topology) []string {
	if len(t.Servers) == 0 {
		return []string{"every server has left the topology: replicaSet in the connection string names a set that they are not in; " +
			"compare it with rs.status().set, and leave it out for a mongos or a standalone"}
	}
	hints := errorHints(t)
	if s.Custom != nil {
		hints = append(hints, "the custom server selector may have refused every server")
	}
	known := 0
	for i := range t.Servers {
		if t.Servers[i].Type.IsAvailable() {
			known++
		}
	}
	if known == 0 {
		if len(hints) == 0 {
			hints = append(hints, "check that the servers run and can be reached from this host")
		}
		if t.MaxSetVersion != nil || t.Type == description.ReplicaSetNoPrimary {
			hints = append(hints, "an address that is not in the connection string is from the set's configuration: let "+
				"rs.conf() name each member as clients reach it, or set directConnection=true to use one member")
		}
		return hints
	}
	return append(hints, s.memberHints(t)...)
}

// memberHints says what is wrong when there are servers but none of the right kind.
func (s *Selector) memberHints(t *description.Topology) []string {
	mode := options.Primary
	if s.ReadPreference != nil && s.ReadPreference.Mode != 0 {
		mode = s.ReadPreference.Mode
	}
	switch {
	case allAre(t, description.RSGhost):
		return []string{"a server runs with a replica set's name but is in no set: it is starting, or rs.initiate() has not run yet"}
	case allAre(t, description.RSArbiter):
		return []string{"only arbiters were found, which hold no data: name other members of the set in the connection string"}
	case allAre(t, description.RSOther):
		return []string{"only members were found that no client uses, since they are hidden or still recovering: name other members " +
			"of the set in the connection string, or set directConnection=true to read from this one"}
	case t.Type == description.ReplicaSetNoPrimary && (s.Write || mode == options.Primary):
		return []string{"the replica set has no primary: an election may be under way, or most members are down or unreachable"}
	case !s.Write && s.ReadPreference != nil && len(s.ReadPreference.TagSets) > 0:
		return []string{"compare the tag sets with the tags of the members; an empty tag set at the end matches any member"}
	case !s.Write && s.ReadPreference != nil && s.ReadPreference.MaxStaleness != nil:
		return []string{"the secondaries may lag behind more than maxStalenessSeconds allows"}
	case !s.Write && mode == options.Secondary:
		return []string{"no secondary is available; secondaryPreferred would read from the primary"}
	}
	return nil
}

// allAre reports whether every server that answered is of one type.
func allAre(t *description.Topology, kind description.ServerType) bool {
	return !slices.ContainsFunc(t.Servers, func(s description.Server) bool { return s.Type != kind && s.Type.IsAvailable() })
}

// errorHints turns the errors of the servers into advice, without repeating any.
func errorHints(t *description.Topology) []string {
	var hints []string
	add := func(hint string) {
		for _, h := range hints {
			if h == hint {
				return
			}
		}
		hints = append(hints, hint)
	}
	for i := range t.Servers {
		if hint := errorHint(t.Servers[i].Err); hint != "" {
			add(hint)
		}
	}
	return hints
}

// tlsAlert is the Op of the errors that crypto/tls makes of the other side's alerts.
const tlsAlert = "remote error"

func errorHint(err error) string {
	if err == nil {
		return ""
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "a host name was not found: check its spelling and the DNS of this host"
	}
	if c, ok := errors.AsType[x509.CertificateInvalidError](err); ok && c.Reason == x509.Expired {
		return "a certificate has expired or is not valid yet: check the clock of this host, and renew the certificate"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "a certificate was not accepted: check tlsCAFile and the host names in the connection string"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "a certificate was not accepted: check tlsCAFile and the host names in the connection string"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "a server does not speak TLS: remove tls=true or enable TLS there"
	}
	if n, ok := errors.AsType[*net.OpError](err); ok && n.Op == tlsAlert {
		return "a server refused the TLS handshake: Atlas does so for an address that is not in its IP access list; " +
			"elsewhere, compare TLS versions and check tlsCertificateKeyFile"
	}
	if errors.Is(err, syscall.ENOENT) {
		return "there is no such socket: check its path and that the server runs on this host"
	}
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		if n, ok := errors.AsType[fault.NetworkError](err); ok && n.Doing == fault.HandshakeTLS {
			return "a server closed the connection during the TLS handshake: it does not seem to speak TLS; " +
				"remove tls=true or enable TLS there, and check what is in between"
		}
		return "a server closed the connection: if it requires TLS, set tls=true, and check what is in between"
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return "a connection was refused: check that the server runs and listens on this address and port"
	}
	if n, ok := errors.AsType[net.Error](err); ok && n.Timeout() {
		return "a server did not answer in time: check firewalls, IP access lists and whether it requires TLS"
	}
	return ""
}
