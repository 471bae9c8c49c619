package mongokrb5

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/specdrivers/onion/generated/core/authtable"
	"github.com/specdrivers/onion/runtime/uri"
)

// resolver is the part of net.Resolver that canonicalization needs.
type resolver interface {
	LookupHost(ctx context.Context, host string) ([]string, error)
	LookupCNAME(ctx context.Context, host string) (string, error)
	LookupAddr(ctx context.Context, address string) ([]string, error)
}

// serviceHost returns the host in the service principal: SERVICE_HOST or, if that is not set, the host of the address.
// CANONICALIZE_HOST_NAME says how to canonicalize it.
func (m *Mechanism) serviceHost(ctx context.Context, facts *uri.CredentialFacts, address string) (string, error) {
	host := address
	if h, _, err := net.SplitHostPort(address); err == nil {
		host = h
	}
	if given := facts.Property(authtable.ServiceHost); given != "" {
		host = given
	}
	switch mode := facts.Property(authtable.CanonicalizeHostName); mode {
	case "", "none", "false":
		return host, nil
	case "forward":
		return m.canonicalize(ctx, host, false)
	case "forwardAndReverse", "true":
		return m.canonicalize(ctx, host, true)
	default:
		return "", fmt.Errorf("mongokrb5: %s is %q", authtable.CanonicalizeHostName, mode)
	}
}

// canonicalize returns the canonical name of the host. If the reverse look-up finds no name, it is the CNAME or the
// host itself. GSSAPI, "Hostname Canonicalization".
func (m *Mechanism) canonicalize(ctx context.Context, host string, reverse bool) (string, error) {
	addresses, err := m.resolver.LookupHost(ctx, host)
	if err == nil && len(addresses) == 0 {
		err = errors.New("it has no address")
	}
	if err != nil {
		return "", fmt.Errorf("mongokrb5: %s asks for the name of %q: %w", authtable.CanonicalizeHostName, host, err)
	}
	name := host
	if cname, err := m.resolver.LookupCNAME(ctx, host); err == nil && cname != "" {
		name = cname
	}
	if reverse {
		if names, err := m.resolver.LookupAddr(ctx, addresses[0]); err == nil && len(names) > 0 {
			name = names[0]
		}
	}
	return strings.ToLower(strings.TrimSuffix(name, ".")), nil
}
