package mongokrb5

import (
	"context"
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

// serviceHost is the host in the service principal. It is SERVICE_HOST or, if that is not set, the host of the address.
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
		return m.canonicalize(ctx, host, false), nil
	case "forwardAndReverse", "true":
		return m.canonicalize(ctx, host, true), nil
	default:
		return "", fmt.Errorf("mongokrb5: %s is %q", authtable.CanonicalizeHostName, mode)
	}
}

// canonicalize looks up the host. If a look-up fails, the name stays as it is. GSSAPI, "Hostname Canonicalization".
func (m *Mechanism) canonicalize(ctx context.Context, host string, reverse bool) string {
	addresses, err := m.resolver.LookupHost(ctx, host)
	if err != nil || len(addresses) == 0 {
		return host
	}
	name := host
	if reverse {
		names, err := m.resolver.LookupAddr(ctx, addresses[0])
		if err != nil || len(names) == 0 {
			return host
		}
		name = names[0]
	} else if cname, err := m.resolver.LookupCNAME(ctx, host); err == nil && cname != "" {
		name = cname
	}
	return strings.ToLower(strings.TrimSuffix(name, "."))
}
